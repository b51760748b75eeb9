"""What the blocks that divide one request's keys and the stage that merges them agree on."""

NOTHING = -1.0e30
"""Logarithm of an empty sum: finite, so that no difference of two is NaN."""
