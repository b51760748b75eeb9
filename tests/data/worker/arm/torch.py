"""A stand-in for torch: a version, quickly."""


class version:
    cuda = None


__version__ = "2.13.0+cpu"
