"""What kernels share: memory classes, arithmetic on packed values, reductions, launches."""
