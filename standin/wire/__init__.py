"""GitHub's JSON shapes, made from the records. Which fields must exist is in GitHub's published OpenAPI description."""
