"""The pull request that the demo opens: its text, its claims, its commits."""

from standin.acts import NewPull
from worker.arms import Arms
from worker.bundle.schema import CodeIdentity

REPOSITORY = "demo/k3-kernels"
AUTHOR = "demo-contributor"
TITLE = "Decode K3 with specialized kernels"
BODY = """\
Adds a specialized decode path for Kimi K3. What it promises, as data that is judged:

```byogpu-claims
- id: decode-faster
  metric: step_latency_us
  cells: {batch: [1, 4], phase: decode}
  relation: ">= 1.6x baseline"
- id: serving-no-slower
  metric: tpot_ms
  relation: "no regression within 5%"
- id: operators-exact
  metric: max_relative_error
  relation: "within tolerance"
- id: answers-unchanged
  metric: score
  relation: "equal within 5%"
```
"""


def demo_pull(arms: Arms) -> NewPull:
    """The pull request: its head is the candidate's code as it lies here, its base the baseline's."""
    return NewPull(
        repository=REPOSITORY,
        title=TITLE,
        body=BODY,
        author=AUTHOR,
        head_sha=commit(arms.candidate.code),
        base_sha=None,
    )


def commit(code: CodeIdentity) -> str:
    """The commit git knows; outside a git checkout, a stand-in derived from the code's own digest."""
    return code.commit_sha if code.commit_sha != "unknown" else code.tree_digest[:40]
