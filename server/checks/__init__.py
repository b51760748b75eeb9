"""Pull requests, their verdicts, and the check on GitHub."""
