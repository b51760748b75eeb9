"""The HTTP calls, one module for each part of GitHub's API."""
