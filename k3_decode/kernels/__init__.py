"""The decode operators in CuTe DSL, one stage a file."""
