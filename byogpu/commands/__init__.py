"""The sub-commands: each parses its options, calls one function of the packages, prints what came out."""
