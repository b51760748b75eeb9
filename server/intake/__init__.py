"""Taking bundles in: protocol, validation, expiry."""
