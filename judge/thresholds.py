"""Every limit that a judgement depends on, in one place and with a version.

A change here changes verdicts, so it raises `VERSION`; the version is printed in every report.
"""

VERSION = 1

# ------------------------------------------------------------------ statistics
CONFIDENCE = 0.95
"""Coverage of every interval shown; a decision needs one-sided error below (1 - CONFIDENCE) / 2."""

ALPHA = (1 - CONFIDENCE) / 2
"""One-sided error of a pull request's whole family of decisions, in each direction."""

BOOTSTRAP_DRAWS = 10_000
MAX_BOOTSTRAP_SAMPLES = 4_096
"""Samples for each arm that a bootstrap looks at; longer series are thinned evenly within each block."""

MIN_BLOCKS = 3
"""Fewest blocks for each arm from which an interval is stated."""

DRIFT_LIMIT = 0.05
"""Largest relative change from the first to the last baseline block; beyond it the cell is inconclusive."""

DEFAULT_FLOORS = (20, 100, 1000)
"""Samples below which p50, p90 and p99 are not stated when no suite of ours was run."""

# ------------------------------------------------------------------ path coverage
MIN_SPECIALIZED_SHARE = 0.99
"""Share of a bucket's steps that must have run on the specialized path in the candidate; the baseline has none."""

# ------------------------------------------------------------------ load
CONCURRENCY_TOLERANCE = 0.10
"""Relative difference between two achieved concurrencies, or achieved and requested, that still counts as equal."""

MAX_ERROR_RATE = 0.01
MIN_OUTPUT_SHARE = 0.90
"""Least share of the requested output tokens that a request must produce."""

SUMMARY_TOLERANCE = 0.02
"""Relative difference between a typed number and the one recomputed from raw rows."""

IDENTITY_TOLERANCE_S = 0.005
"""Absolute slack of identities between times of one request, plus 1 % of its duration."""

# ------------------------------------------------------------------ plausibility
MIN_STEP_LATENCY_US = 1.0
"""No decode step of any model on any machine is faster: one kernel launch takes longer."""

MAX_DUPLICATE_LATENCY_SHARE = 0.5
"""Share of steps with one identical latency above which the series was not measured."""

# ------------------------------------------------------------------ accuracy
SCORE_TOLERANCE = 1e-6
"""Difference between a reported score and the mean of its own sample rows."""
