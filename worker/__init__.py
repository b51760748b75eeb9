"""Runs suites on a contributor's machine, writes bundles and uploads them. Needs no server."""
