"""What the dashboard reads."""
