"""What people ask of the service on GitHub, and its answers."""
