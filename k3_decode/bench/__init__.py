"""Measures the decoder and checks its numbers: `python -m k3_decode.bench --help`."""
