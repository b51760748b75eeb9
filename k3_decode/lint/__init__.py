"""Reads machine code for mistakes that compilers make in silence. ``python -m k3_decode.lint DIR``.

Loads moved across the dependency wait, lost prefetches, weak polls, spills, narrow loads of weights.
"""
