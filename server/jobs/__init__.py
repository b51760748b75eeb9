"""Community compute: people order jobs, nodes that others lend claim them, run them, and deliver bundles."""
