"""Write the golden assessments and renders anew: ``python tests/judge/golden/make.py``. Read the difference first.

The assessments are stored, so that the renders do not change when the smoke suite does, and so that a test reads what
an earlier version stored.
"""

import importlib.util
import sys
import tempfile
from pathlib import Path

from judge import assess, collect, judge, parse_claims, render
from judge.assess import Assessment
from judge.report import BundleUrl, CheckReport, PullRef, ReportUrls

FOLDER = Path(__file__).parent
HEAD_SHA = "a" * 40
BODIES = {
    "supported": "- {id: speed, metric: step_latency_us, cells: {batch: [1, 4]}, relation: '>= 1.5x baseline'}\n"
    "- {id: accuracy, metric: score, relation: 'no regression within 20%'}\n"
    "- {id: numerics, metric: max_relative_error, relation: within tolerance}",
    "mixed": "- {id: speed, metric: step_latency_us, relation: '>= 1.9x baseline'}\n"
    "- {id: accuracy, metric: score, relation: 'equal within 2%'}\n"
    "- {id: large, metric: step_latency_us, cells: {batch: 64}, relation: '>= 1.5x baseline'}",
    "cpu": "- {id: speed, metric: step_latency_us, relation: '>= 1.2x baseline'}\n"
    "- {id: serving, metric: tpot_ms, relation: 'no regression within 3%'}",
    "broken": "- {id: speed, metric: step_latency_us, relation: '>= 1.2x @everyone|<b>'}\n- {id: B}",
    "nothing": "",
}
BUNDLES = {"supported": ["fast"], "mixed": ["fast"], "cpu": ["stock"], "broken": ["fast"], "nothing": []}


def report(name: str) -> CheckReport:
    """Render one golden case from the stored assessments."""
    body = BODIES[name]
    claims = parse_claims(f"```byogpu-claims\n{body}\n```" if body else "No claims here.")
    stored = [(FOLDER / f"{bundle}.json").read_text(encoding="utf-8") for bundle in BUNDLES[name]]
    bundles = [Assessment.model_validate_json(text) for text in stored]
    verdicts = judge(claims.claims, bundles, head_sha=HEAD_SHA)
    pages = tuple(
        BundleUrl(bundle_id=one.bundle_id, url=f"https://byogpu.example/bundles/{one.bundle_id}") for one in bundles
    )
    urls = ReportUrls(pull="https://byogpu.example/pulls/octo/kernels/1", bundles=pages)
    return render(PullRef(repository="octo/kernels", number=1, head_sha=HEAD_SHA), claims, verdicts, bundles, urls)


def text(made: CheckReport) -> str:
    """A report as one file."""
    return f"{made.conclusion}\n{made.title}\n\n{made.summary}\n\n---\n\n{made.text}\n"


def main() -> None:
    """Make the assessments, then the renders."""
    spec = importlib.util.spec_from_file_location("golden_specimen", FOLDER.parent / "specimen.py")
    assert spec
    assert spec.loader
    specimen = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = specimen
    spec.loader.exec_module(specimen)
    for name, made in (("fast", specimen.build()), ("stock", specimen.build_on_cpu())):
        with tempfile.TemporaryDirectory() as folder:
            context = specimen.server_context(made)
            assessment = assess(collect(made.write(Path(folder)), context=context))
        (FOLDER / f"{name}.json").write_text(assessment.model_dump_json(indent=1) + "\n", encoding="utf-8")
    for name in BODIES:
        (FOLDER / f"{name}.md").write_text(text(report(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
