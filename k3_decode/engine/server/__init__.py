"""The engine's OpenAI-compatible HTTP service."""
