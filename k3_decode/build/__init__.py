"""Builds kernels ahead of time, for any architecture, on a machine that needs no GPU.

``python -m k3_decode.build --arch sm_90a --out DIR`` compiles, links one shared library an architecture, and writes
the manifest: the digest of every cubin and of the sources they came from.
"""
