"""Bundles from files that other tools wrote: no measurement, no signature, trust level 0.

An import keeps the files as they are, takes over the rows and identities they hold, and says ``unknown`` to the rest.
It believes none of their summaries: those go in as such, for the judge to hold against the rows.
"""

from worker.importers.lm_eval import import_lm_eval
from worker.importers.vllm_bench import import_vllm_bench

__all__ = ["import_lm_eval", "import_vllm_bench"]
