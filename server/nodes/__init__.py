"""Contributors' machines and their signing keys."""
