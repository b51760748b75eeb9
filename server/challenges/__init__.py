"""Challenges: what a run has to follow, issued before it begins, good for one bundle."""
