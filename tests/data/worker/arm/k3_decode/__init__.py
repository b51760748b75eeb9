"""A stand-in for k3_decode: the same command line and answers, no model, and on request one kind of misbehaviour."""
