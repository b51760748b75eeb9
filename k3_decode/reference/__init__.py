"""The Kimi K3 text model in plain PyTorch: every operator with its formula, the oracle of faster paths."""
