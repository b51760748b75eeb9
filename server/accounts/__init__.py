"""People: signing in with GitHub, and the credentials they make."""
