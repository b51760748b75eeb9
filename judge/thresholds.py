"""Every limit that a judgement depends on, in one place and with a version.

A change here changes verdicts, so it raises `VERSION`; the version is printed in every report.
"""

VERSION = 3

# ------------------------------------------------------------------ statistics
CONFIDENCE = 0.95
"""Coverage of every interval shown."""

ALPHA = (1 - CONFIDENCE) / 2
"""One-sided error of an interval's bound."""

DECISION_ERROR = 0.005
"""One-sided error of a pull request's whole family of decisions, in each direction: 1 % in total."""

BOOTSTRAP_DRAWS = 10_000
MAX_BOOTSTRAP_SAMPLES = 2_048
"""Distinct values for each arm at which a bootstrap looks up how many samples lie below."""

MIN_BLOCKS = 4
"""Fewest blocks for each arm from which an interval, and an A/A noise floor, is stated."""

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

DURATION_SLACK_S = 2.0
"""Time, plus 5 %, by which a tool's own duration may exceed first start to last end: it counts setting up too."""

IDENTITY_SLACK_S = 0.05
"""Time from a request's last token to its end, plus `IDENTITY_SHARE` of its duration, that ending a stream takes."""

IDENTITY_SHARE = 0.05
MAX_IDENTITY_VIOLATIONS = 0.01
"""Share of requests that may break an identity, for a stalled client; beyond it the identity does not hold."""

MAX_FINISH_DIFFERENCE = 0.05
"""Difference between the arms' shares of one finish reason that chance explains."""

# ------------------------------------------------------------------ plausibility
MIN_STEP_LATENCY_US = 1.0
"""No decode step of any model on any machine is faster: one kernel launch takes longer."""

MAX_STEPS_BELOW_BOUND = 0.01
"""Share of steps that may be faster than the physics bound: a timer's slips."""

MIN_HIDDEN_SPEEDUP = 0.05
"""Speed-up of steps from which half of it, at least, must show from the start of one step to that of the next."""

WARM_UP_FACTOR = 1.1
"""By how much the first quarter of a block may be slower than the rest of it."""

MAX_EQUAL_LATENCY_SHARE = 0.9
"""Share of steps with one identical latency above which the series was filled in; a coarse GPU timer stays below."""

MIN_STEPS_FOR_SPREAD = 20

OVERLAP_SLACK_US = 5.0
"""Overlap of two steps, plus 1 % of the time between their starts, that the timer's own cost explains."""

CLOCK_SLACK_S = 5.0
"""Disagreement of wall and monotonic clock, plus 1 % of the duration, that a time service explains."""

# ------------------------------------------------------------------ accuracy
SCORE_TOLERANCE = 1e-6
"""Difference between a reported score and the mean of its own sample rows."""

MIN_DOCUMENTS_FOR_VARIETY = 8
"""Documents from which an arm that answers all of them alike is remarked on."""

SAMPLES_ERROR = 0.001
"""Probability by chance below which sampled tokens of the two arms come from different distributions."""

MIN_SLICE = 4
"""Known answers of the hidden slice from which it is scored."""

MIN_SLICE_SHARE = 0.5
"""Least share of the known answers that an arm must give; near ties and other hardware explain that some differ."""

ACCEPTANCE_TOLERANCE = 0.05
"""Relative difference between two acceptance lengths, or declared and counted, that still counts as equal."""

# ------------------------------------------------------------------ reproduction
REPRODUCTION_TOLERANCE = 0.05
"""Largest relative difference between two runs' ratios, or difference in score, that counts as the same result."""
