"""The specialized decode path: one step of a model through the kernels, in one CUDA graph a row count."""
