"""When each launch of a layer starts, has asked for its weights, may go on, and ends: a profile without a profiler.

`instrument` copies the package and puts stamps of the GPU's clock into every kernel of the copy, which is then built;
`measure` replays one layer with those kernels and reads the stamps. The kernels that serve carry none of it.
"""
