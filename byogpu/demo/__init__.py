"""The demo: nothing to a judged pull request, on one machine, with every part real but GitHub."""

from byogpu.demo.flow import performed
from byogpu.demo.summary import Summary

__all__ = ["Summary", "performed"]
