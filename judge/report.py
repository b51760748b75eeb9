"""The text of the GitHub check: one line, one table, and what to do next; then everything behind it."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from judge.assess import Assessment
from judge.claim import ClaimSet
from judge.decision import Outcome
from judge.markdown import SUMMARY_MAX_BYTES, TITLE_MAX_CHARS, Markdown, code, escape, fit, link, plain, shorten, table
from judge.policy import Shortfall
from judge.rules.record import EFFECTS, Finding
from judge.scope import ASPECTS, Aspect, ScopeCell, ScopeMap
from judge.verdict import Verdict
from judge.waiver import Waiver
from worker.bundle.record import CommitSha, Positive, Record, RepositoryName, Sha256

Conclusion = Literal["success", "failure", "neutral", "action_required"]

_WORDS: dict[Outcome, str] = {
    "supported": "supported",
    "contradicted": "contradicted",
    "inconclusive": "inconclusive",
    "no_evidence": "no evidence",
    "not_comparable": "not comparable",
}
_AXES = {"batch": "Batch", "tp": "TP", "context": "Context", "speculation": "Speculation", "dcp": "DCP"}
MAX_SCOPE_ROWS = 40
"""Cells of the scope that the check lists, those with holes first; the page of the pull request has all."""
_SEVERITIES = {"error": "Errors", "warning": "Warnings", "info": "Remarks"}


class PullRef(Record):
    """The pull request a check is about."""

    repository: RepositoryName
    number: Positive
    head_sha: CommitSha


class BundleUrl(Record):
    """Where one bundle's page is."""

    bundle_id: Sha256
    url: str


class ReportUrls(Record):
    """Pages of the dashboard, absolute addresses."""

    pull: str
    bundles: tuple[BundleUrl, ...]

    def bundle(self, bundle_id: str) -> str | None:
        """A bundle's page, or None."""
        return next((one.url for one in self.bundles if one.bundle_id == bundle_id), None)


class CheckReport(Record):
    """What is published: everything escaped, and within GitHub's limits.

    Findings come as text and not as annotations: they are about bundles, and belong to no file of the pull request.
    """

    conclusion: Conclusion
    title: Annotated[str, Field(max_length=TITLE_MAX_CHARS)]
    summary: Annotated[str, Field(max_length=SUMMARY_MAX_BYTES)]
    text: Annotated[str, Field(max_length=SUMMARY_MAX_BYTES)]


def render(
    pull: PullRef,
    claims: ClaimSet,
    verdicts: Sequence[Verdict],
    bundles: Sequence[Assessment],
    urls: ReportUrls,
    *,
    shortfalls: Sequence[Shortfall] = (),
    scope: ScopeMap | None = None,
    waivers: Sequence[Waiver] = (),
) -> CheckReport:
    """Write the check.

    Args:
        pull: The pull request.
        claims: What it claims, or what is wrong with its claims block.
        verdicts: One for each claim.
        bundles: Every bundle that was assessed for it.
        urls: Where the evidence can be seen.
        shortfalls: What the repository's merge policy asks for and the evidence does not have.
        scope: The declared scope, filled in; None: none was declared.
        waivers: What maintainers let pass at this head.
    """
    headline = _headline(claims, verdicts, shortfalls)
    said = (
        *_claims(claims, verdicts),
        *_covered(scope),
        *_policy(shortfalls),
        *_waived(waivers),
        *_next(claims, verdicts),
    )
    parts = [f"**{escape(headline)}**", *said, _links(urls)]
    details = [*_verdicts(verdicts, urls), *_scope(scope), *_bundles(bundles, urls)]
    details.append(f"Judged for commit {code(pull.head_sha[:12])} of {escape(pull.repository)}.")
    return CheckReport(
        conclusion=conclude(claims, verdicts, shortfalls),
        title=shorten(plain(headline), TITLE_MAX_CHARS),
        summary=fit("\n\n".join(parts), SUMMARY_MAX_BYTES),
        text=fit("\n\n".join(details), SUMMARY_MAX_BYTES),
    )


def conclude(claims: ClaimSet, verdicts: Sequence[Verdict], shortfalls: Sequence[Shortfall] = ()) -> Conclusion:
    """What GitHub is told.

    ``neutral`` lets a required check pass, so only a pull request that claims nothing gets it; a claim that is not
    settled, or that the repository's merge policy asks more for, asks for action.
    """
    outcomes = {verdict.outcome for verdict in verdicts}
    if claims.errors:
        return "action_required"
    if not claims.claims:
        return "neutral"
    if "contradicted" in outcomes:
        return "failure"
    return "success" if outcomes == {"supported"} and not shortfalls else "action_required"


def _headline(claims: ClaimSet, verdicts: Sequence[Verdict], shortfalls: Sequence[Shortfall]) -> str:
    if claims.errors:
        return f"The claims block cannot be read: {claims.errors[0].detail} (line {claims.errors[0].line})"
    if not claims.claims:
        return "No claims: this pull request has no byogpu-claims block"
    counts = [(word, sum(one.outcome == outcome for one in verdicts)) for outcome, word in _WORDS.items()]
    said = ", ".join(f"{count} {word}" for word, count in counts if count)
    policy = "; the merge policy asks for more" if shortfalls else ""
    return f"{len(verdicts)} {'claim' if len(verdicts) == 1 else 'claims'}: {said}{policy}"


def _policy(shortfalls: Sequence[Shortfall]) -> Iterator[str]:
    if shortfalls:
        yield "### What the merge policy asks for"
        yield "\n".join(
            f"- {f'{code(one.claim_id)}: ' if one.claim_id else ''}{escape(one.sentence)}" for one in shortfalls
        )


def _waived(waivers: Sequence[Waiver]) -> Iterator[str]:
    if waivers:
        yield "### Waived for this commit"
        yield "\n".join(
            f"- waiver {one.number}: findings of {code(one.rule_id)}, by {escape(one.by)}: {escape(one.reason)}"
            for one in waivers
        )


def _claims(claims: ClaimSet, verdicts: Sequence[Verdict]) -> Iterator[Markdown]:
    if claims.errors:
        rows = [(escape(str(one.line)), code(one.code), escape(one.detail)) for one in claims.errors]
        yield table([Markdown("Line"), Markdown("Code"), Markdown("What is wrong")], rows)
    elif verdicts:
        header = ("Claim", "Verdict", "Candidate against baseline (95 %)", "n", "Unit", "Trust")
        rows_of_claims = [
            (
                Markdown(f"{code(one.claim_id)}: {code(one.claim.metric)} {escape(one.claim.relation_text)}"),
                Markdown(f"**{_WORDS[one.outcome]}**"),
                Markdown(_estimate(one)),
                Markdown(f"{one.samples[0]} + {one.samples[1]}" if one.samples else "none"),
                escape(one.unit or "none"),
                escape(f"{one.trust.level}, {one.trust.name}" if one.trust else "none"),
            )
            for one in verdicts
        ]
        yield table([Markdown(word) for word in header], rows_of_claims)
    else:
        yield Markdown(
            "State claims as data, in a fenced block of the description, and they are judged against measurements:\n\n"
            "````text\n```byogpu-claims\n- id: decode-speed\n  metric: step_latency_us\n"
            '  cells: {batch: [1, 4]}\n  relation: ">= 1.2x baseline"\n```\n````'
        )


def _next(claims: ClaimSet, verdicts: Sequence[Verdict]) -> Iterator[str]:
    todo = [one for one in verdicts if one.next_run is not None] if not claims.errors else []
    if todo:
        yield "### What to do next"
        yield "\n".join(dict.fromkeys(f"- {code(one.claim_id)}: {_todo(one)}" for one in todo))


def _todo(verdict: Verdict) -> Markdown:
    assert verdict.next_run is not None
    minutes = verdict.next_run.minutes
    about = f"About {max(minutes, 1):.0f} min" if minutes is not None else ""
    gpu_minutes = verdict.next_run.gpu_minutes
    about += f", {gpu_minutes:g} GPU-minutes" if gpu_minutes else ""
    where = verdict.next_run.hardware if about and verdict.next_run.hardware else None
    about += f" on {where}" if where else ""
    return Markdown(f"{escape(verdict.next_run.sentence)}{f' {escape(about)}.' if about else ''}")


def _links(urls: ReportUrls) -> str:
    pages = [link("Claims and evidence", urls.pull)]
    pages += [link(f"bundle {one.bundle_id[:12]}", one.url) for one in urls.bundles]
    return " · ".join(pages)


def _verdicts(verdicts: Sequence[Verdict], urls: ReportUrls) -> Iterator[str]:
    for one in verdicts:
        yield f"### {code(one.claim_id)}: {_WORDS[one.outcome]}"
        yield f"{escape(_sentence(one.reason))} {_behind(one, urls)}".strip()
        rows = [(code(cell.cell.cell.id), Markdown(_WORDS[cell.outcome]), escape(cell.reason)) for cell in one.cells]
        if len(rows) > 1:
            yield table([Markdown("Cell"), Markdown("Says"), Markdown("Why")], rows)


def _behind(verdict: Verdict, urls: ReportUrls) -> str:
    parts = []
    if verdict.p_value is not None:
        tries = f" over {verdict.tries} tries" if verdict.tries > 1 else ""
        parts.append(f"Corrected one-sided error {_probability(verdict.p_value)}{tries}.")
    if verdict.trust is not None:
        parts.append(f"Trust level {verdict.trust.level}: {escape(verdict.trust.reason)}.")
    if verdict.bundle_ids and (url := urls.bundle(verdict.bundle_ids[0])):
        parts.append(f"Judged on {link(f'bundle {verdict.bundle_ids[0][:12]}', url)}.")
    return " ".join(parts)


def _covered(scope: ScopeMap | None) -> Iterator[str]:
    if scope is not None:
        whole = sum(not cell.holes for cell in scope.cells)
        shown = sum(one.evidence.state == "shown" for one in scope.features)
        features = f", {shown} of {len(scope.features)} features are shown" if scope.features else ""
        holes = f"; {len(scope.holes)} holes" if scope.holes else "; no hole"
        yield f"Of the declared scope {whole} of {len(scope.cells)} cells are whole{features}{holes}."


def _scope(scope: ScopeMap | None) -> Iterator[str]:
    if scope is None:
        return
    yield "### The declared scope"
    axes = [name for name in _AXES if any(getattr(cell, name) is not None for cell in scope.cells)]
    header = [Markdown(word) for word in (*(_AXES[name] for name in axes), *map(str.capitalize, ASPECTS), "Headroom")]
    cells = sorted(scope.cells, key=lambda cell: not cell.holes)
    yield table(header, [_scope_row(cell, axes) for cell in cells[:MAX_SCOPE_ROWS]])
    if len(cells) > MAX_SCOPE_ROWS:
        yield f"{len(cells) - MAX_SCOPE_ROWS} more cells stand on the page of the pull request."
    if scope.features:
        rows = [(code(one.feature), _aspect(one.evidence)) for one in scope.features]
        yield table([Markdown("Feature"), Markdown("Evidence")], rows)


def _scope_row(cell: ScopeCell, axes: Sequence[str]) -> tuple[Markdown, ...]:
    places = [escape("any" if (value := getattr(cell, name)) is None else str(value)) for name in axes]
    headroom = "none stated" if cell.headroom is None else f"{cell.headroom.headroom:.0%} ({cell.headroom.limited_by})"
    return (*places, *(_aspect(getattr(cell, name)) for name in ASPECTS), escape(headroom))


def _aspect(found: Aspect) -> Markdown:
    return Markdown(f"**{found.state}**: {escape(found.detail)}")


def _bundles(bundles: Sequence[Assessment], urls: ReportUrls) -> Iterator[str]:
    for bundle in bundles:
        url = urls.bundle(bundle.bundle_id)
        name = link(f"bundle {bundle.bundle_id[:12]}", url) if url else code(bundle.bundle_id[:12])
        yield f"### Findings of {name}: {bundle.validity}"
        if not bundle.findings:
            yield f"None, after {bundle.rules_applied} rules."
        for severity, heading in _SEVERITIES.items():
            found = [finding for finding in bundle.findings if finding.severity == severity]
            if found:
                yield f"**{heading}**"
                yield table(
                    [Markdown(word) for word in ("Rule", "Where", "What", "What to do")],
                    [_finding(finding) for finding in found],
                )
        yield from _explained(bundle)


def _explained(bundle: Assessment) -> Iterator[str]:
    """How much of the timed steps their kernels explain."""
    found = [
        (arm.reconciliation, f"{cell.cell.id}, {arm.arm}")
        for cell in bundle.cells
        for arm in cell.arms
        if arm.reconciliation is not None
    ]
    if found:
        explained = sum(one.explained for one, _ in found)
        most, where = max(found, key=lambda pair: abs(pair[0].residual_share))
        yield (
            f"Kernels and the gaps between them explain {explained} of {len(found)} timed steps; "
            f"the largest residual is {most.residual_us:+.1f} µs of {most.step_us:.1f} µs, "
            f"{most.residual_share:+.1%} ({escape(where)})."
        )


def _finding(finding: Finding) -> tuple[Markdown, ...]:
    effect = "" if finding.effect == "notes" else f" ({EFFECTS[finding.effect]})"
    return (
        code(finding.rule_id),
        code(finding.where),
        escape(f"{finding.title}: {finding.detail}"),
        Markdown(f"{finding.hint}{effect}"),
    )


def _estimate(verdict: Verdict) -> str:
    estimate = verdict.estimate
    if estimate is None:
        return "none"
    if estimate.kind == "difference":
        return f"{100 * estimate.value:+.2f} points [{100 * estimate.low:+.2f}, {100 * estimate.high:+.2f}]"
    return f"{estimate.value:.3f}x [{estimate.low:.3f}, {estimate.high:.3f}]"


def _probability(value: float) -> str:
    return "below 0.001" if value < 0.001 else f"{value:.3f}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "…")) else ".")
