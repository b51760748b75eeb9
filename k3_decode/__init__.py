"""The Kimi K3 model: its plain reference, the decode runtime and engine over it, and their benchmark."""
