"""Real files of ``vllm bench serve`` become rows that give the tool's own numbers back."""

import hashlib
import json
import statistics
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judge.evidence import collect
from judge.summarise import summarise
from worker.bundle import read
from worker.bundle.samples import CounterRow, RequestRow, SummaryRow
from worker.check import check
from worker.importers import import_vllm_bench
from worker.importers.vllm_bench import same_load
from worker.importers.vllm_result import read_result

Rows = Callable[..., list[Any]]
Edited = Callable[[Path, Callable[[dict[str, Any]], None]], Path]


def load(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(path.read_bytes())
    return value


def test_rows_give_the_statistics_that_the_tool_printed(bench: Path, out: Path, rows: Rows) -> None:
    bundle = import_vllm_bench({"baseline": bench / "baseline-c2.json"}, out)
    printed = load(bench / "baseline-c2.json")
    found = rows(bundle, "requests", "baseline", RequestRow)
    assert len(found) == 24
    ttft_ms = [(row.token_times_s[0] - row.start_s) * 1000 for row in found]
    e2e_ms = [(row.end_s - row.start_s) * 1000 for row in found]
    itl_ms = [(b - a) * 1000 for row in found for a, b in pairwise(row.token_times_s)]
    tpot_ms = [(row.token_times_s[-1] - row.token_times_s[0]) * 1000 / (row.output_tokens - 1) for row in found]
    for name, values in (("ttft", ttft_ms), ("e2el", e2e_ms), ("itl", itl_ms), ("tpot", tpot_ms)):
        assert statistics.fmean(values) == pytest.approx(printed[f"mean_{name}_ms"], rel=1e-9)
        assert statistics.median(values) == pytest.approx(printed[f"median_{name}_ms"], rel=1e-9)
        assert np.percentile(values, 99) == pytest.approx(printed[f"p99_{name}_ms"], rel=1e-9)
    assert {(row.input_tokens, row.output_tokens) for row in found} == {(24, 24)}
    assert sum(row.output_tokens for row in found) == printed["total_output_tokens"]


def test_a_row_is_the_file_entry_of_its_index(bench: Path, out: Path, rows: Rows) -> None:
    path = bench / "candidate-c4.json"
    row = rows(import_vllm_bench({"candidate": path}, out), "requests", "candidate", RequestRow)[5]
    value = load(path)
    assert row.index == 5
    assert row.start_s == pytest.approx(value["start_times"][5] - min(value["start_times"]))
    assert row.token_times_s[0] - row.start_s == pytest.approx(value["ttfts"][5])
    assert len(row.token_times_s) == 1 + len(value["itls"][5])
    assert row.end_s - row.start_s == pytest.approx(value["latencies"][5])
    assert row.output_sha256 == hashlib.sha256(value["generated_texts"][5].encode()).hexdigest()
    assert (row.prompt_sha256, row.requested_output_tokens, row.finish_reason) == ("unknown", "unknown", "unknown")


def test_arms_at_concurrency_2_and_4_share_a_cell_and_are_not_comparable(bench: Path, out: Path) -> None:
    bundle = import_vllm_bench({"baseline": bench / "baseline-c2.json", "candidate": bench / "candidate-c4.json"}, out)
    (cell,) = bundle.manifest.evals[0].cells
    assert (cell.arms, cell.batch, cell.input_tokens, cell.output_tokens) == (
        ("baseline", "candidate"),
        "unknown",
        24,
        24,
    )
    for summary in summarise(collect(bundle)):
        achieved = [arm.key.achieved_concurrency for arm in summary.arms]
        assert achieved == [pytest.approx(2.0, rel=0.02), pytest.approx(4.0, rel=0.02)]
        assert [difference.field for difference in summary.differing] == ["achieved_concurrency"]
        assert summary.estimate is None


def test_arms_at_the_same_concurrency_are_comparable(bench: Path, out: Path) -> None:
    bundle = import_vllm_bench({"baseline": bench / "baseline-c2.json", "candidate": bench / "candidate-c2.json"}, out)
    assert bundle.manifest.evals[0].cells[0].batch == 2
    assert [summary.differing for summary in summarise(collect(bundle))] == [()] * 6


def test_concurrency_that_was_asked_for_and_not_reached_is_seen(bench: Path, out: Path) -> None:
    arms = {"baseline": bench / "candidate-c4.json", "candidate": bench / "rate-limited-c4.json"}
    bundle = import_vllm_bench(arms, out)
    assert bundle.manifest.evals[0].cells[0].batch == 4
    differences = summarise(collect(bundle))[0].differing
    assert [(one.field, one.b) for one in differences] == [("achieved_concurrency", "2.82 of 4 requested")]


def test_the_bundle_reads_back_and_breaks_no_rule_of_form(bench: Path, out: Path) -> None:
    bundle = import_vllm_bench({"baseline": bench / "baseline-c2.json", "candidate": bench / "candidate-c2.json"}, out)
    assert read(out).id == bundle.id
    assert [finding for finding in check(bundle) if finding.severity == "error"] == []


def test_an_import_says_what_it_is(bench: Path, out: Path) -> None:
    manifest = import_vllm_bench({"candidate": bench / "candidate-c2.json"}, out).manifest
    assert (manifest.origin.kind, manifest.origin.tool, manifest.origin.tool_version) == (
        "imported",
        "vllm-bench",
        "unknown",
    )
    assert manifest.environment == manifest.subject.head_sha == manifest.producer.started_at == "unknown"
    assert manifest.challenge is manifest.subject.suite is None
    (arm,) = manifest.arms
    assert (arm.name, arm.model, arm.ledgers, arm.tokenizer_digest) == ("candidate", "smollm2", "unknown", "unknown")
    settings = {entry.name: entry.value for entry in arm.engine_config}
    assert settings["tokenizer_id"] == "smollm2"
    assert settings["max_concurrency"] == "2"
    assert settings["request_rate"] == "inf"
    assert not settings.keys() & {"duration", "p99_ttft_ms", "latencies", "output_throughput", "date"}


def test_metadata_of_the_user_is_kept(bench: Path, out: Path) -> None:
    (arm,) = import_vllm_bench({"candidate": bench / "ngram-c2.json"}, out).manifest.arms
    assert ("backend", "openai") in {(entry.name, entry.value) for entry in arm.engine_config}


def test_the_file_is_kept_byte_for_byte(bench: Path, out: Path) -> None:
    path = bench / "baseline-c2.json"
    bundle = import_vllm_bench({"baseline": path}, out)
    (entry,) = [entry for entry in bundle.manifest.files if entry.role == "imported"]
    assert (entry.name, entry.arm, entry.media_type) == ("baseline-c2.json", "baseline", "application/json")
    with bundle.blobs.open(entry.sha256) as stream:
        assert stream.read() == path.read_bytes()


def test_the_same_files_give_the_same_bundle(bench: Path, out: Path) -> None:
    arms = {"baseline": bench / "baseline-c2.json", "candidate": bench / "candidate-c4.json"}
    assert import_vllm_bench(arms, out / "a").id == import_vllm_bench(dict(reversed(arms.items())), out / "b").id


def test_blocks_follow_the_order_in_which_the_runs_were_made(bench: Path, out: Path, rows: Rows) -> None:
    arms = {"baseline": bench / "baseline-c2.json", "candidate": bench / "candidate-c4.json"}
    assert load(arms["candidate"])["date"] < load(arms["baseline"])["date"]
    bundle = import_vllm_bench(arms, out)
    assert [(block.index, block.arm) for block in bundle.manifest.evals[0].blocks] == [
        (0, "candidate"),
        (1, "baseline"),
    ]
    first, second = (rows(bundle, "requests", arm, RequestRow) for arm in ("candidate", "baseline"))
    assert {row.block for row in first} == {0}
    assert {row.block for row in second} == {1}
    assert max(row.end_s for row in first) < min(row.start_s for row in second)


# ------------------------------------------------------------------ what the tool printed
def test_printed_numbers_go_in_as_summary_rows(bench: Path, out: Path, rows: Rows) -> None:
    value = load(bench / "baseline-c2.json")
    bundle = import_vllm_bench({"baseline": bench / "baseline-c2.json"}, out)
    found = {(row.metric, row.statistic, row.value) for row in rows(bundle, "summary", "baseline", SummaryRow)}
    assert found >= {
        ("ttft_ms", "mean", value["mean_ttft_ms"]),
        ("ttft_ms", "median", value["p50_ttft_ms"]),
        ("tpot_ms", "p90", value["p90_tpot_ms"]),
        ("itl_ms", "p99", value["p99_itl_ms"]),
        ("e2e_ms", "median", value["median_e2el_ms"]),
        ("output_tokens_per_s", "mean", value["output_throughput"]),
        ("requests_per_s", "mean", value["request_throughput"]),
        ("completed", "total", 24.0),
        ("failed", "total", 0.0),
        ("duration_s", "total", value["duration"]),
    }
    assert "achieved_concurrency" not in {metric for metric, _, _ in found}, "the tool prints none"


def test_no_file_as_the_tool_wrote_it_contradicts_itself(bench: Path, out: Path) -> None:
    files = sorted(bench.glob("*.json"))
    assert len(files) == 8
    for path in files:
        findings = check(import_vllm_bench({"candidate": path}, out / path.stem))
        assert [finding for finding in findings if finding.rule_id in ("M-001", "M-002", "M-003", "M-009")] == []


@pytest.mark.parametrize(
    ("field", "factor", "where"),
    [
        ("mean_ttft_ms", 0.5, "mean ttft_ms"),
        ("p99_itl_ms", 0.1, "p99 itl_ms"),
        ("median_e2el_ms", 0.9, "median e2e_ms"),
        ("output_throughput", 1.8, "mean output_tokens_per_s"),
        ("completed", 2, "total completed"),
        ("duration", 0.5, "total duration_s"),
    ],
)
def test_a_tampered_summary_is_kept_and_found(
    bench: Path, out: Path, edited: Edited, field: str, factor: float, where: str
) -> None:
    def tamper(value: dict[str, Any]) -> None:
        value[field] *= factor

    path = edited(bench / "candidate-c2.json", tamper)
    bundle = import_vllm_bench({"baseline": bench / "baseline-c2.json", "candidate": path}, out)
    findings = [finding for finding in check(bundle) if finding.rule_id == "M-009"]
    assert [(finding.arm, finding.detail.startswith(where)) for finding in findings] == [("candidate", True)]


def test_tampered_rows_no_longer_give_the_summary(bench: Path, out: Path, edited: Edited) -> None:
    def faster(value: dict[str, Any]) -> None:
        value["itls"] = [[gap / 2 for gap in gaps] for gaps in value["itls"]]

    path = edited(bench / "candidate-c2.json", faster)
    found = {finding.rule_id for finding in check(import_vllm_bench({"candidate": path}, out))}
    assert found >= {"M-003", "M-009"}


# ------------------------------------------------------------------ what a file may lack or add
def test_a_file_without_details_has_no_rows_and_says_so(bench: Path, out: Path, rows: Rows) -> None:
    bundle = import_vllm_bench({"baseline": bench / "summary-only-c2.json"}, out)
    (record,) = bundle.manifest.evals
    assert record.outcome.outcome == "failed"
    assert record.outcome.code == "rows_missing"
    assert "start_times" in record.outcome.detail
    assert "--save-detailed" in record.outcome.detail
    assert {entry.role for entry in bundle.manifest.files} == {"imported", "summary"}
    assert len(rows(bundle, "summary", "baseline", SummaryRow)) == 25
    assert all(not summary.arms for summary in summarise(collect(bundle)))


def test_one_arm_without_details_leaves_the_other_its_rows(bench: Path, out: Path, rows: Rows) -> None:
    arms = {"baseline": bench / "summary-only-c2.json", "candidate": bench / "candidate-c2.json"}
    bundle = import_vllm_bench(arms, out)
    assert bundle.manifest.evals[0].outcome.detail.startswith("baseline: no ")
    assert len(rows(bundle, "requests", "candidate", RequestRow)) == 24


def test_refused_requests_are_rows_with_an_error(bench: Path, out: Path, rows: Rows) -> None:
    bundle = import_vllm_bench({"candidate": bench / "refused-c2.json"}, out)
    found = rows(bundle, "requests", "candidate", RequestRow)
    assert [row.error for row in found] == [
        "Bad Request", None, "Bad Request", "Bad Request", None, "Bad Request", "Bad Request", None,
    ]  # fmt: skip
    assert [row.output_tokens for row in found] == [0, 6, 0, 0, 12, 0, 0, 11]
    assert all(row.end_s == "unknown" and row.token_times_s == () for row in found if row.error)


def test_requests_cut_off_in_the_middle_keep_what_arrived(bench: Path, out: Path, rows: Rows) -> None:
    bundle = import_vllm_bench({"candidate": bench / "killed-c2.json"}, out)
    found = rows(bundle, "requests", "candidate", RequestRow)
    assert [row.error is None for row in found] == [True] * 5 + [False] * 2
    assert [len(row.token_times_s) for row in found] == [150, 150, 150, 142, 142, 69, 68]
    error = found[-1].error
    assert error.startswith("aiohttp.client_exceptions.ClientPayloadError")
    assert "Traceback" not in error
    assert found[-1].output_sha256 == "unknown"


def test_a_failure_without_a_reason_is_a_failure(bench: Path, out: Path, edited: Edited, rows: Rows) -> None:
    def silence(value: dict[str, Any]) -> None:
        value["errors"] = [""] * len(value["errors"])

    bundle = import_vllm_bench({"candidate": edited(bench / "refused-c2.json", silence)}, out)
    found = rows(bundle, "requests", "candidate", RequestRow)
    assert sum(row.error == "the server gave no reason" for row in found) == 5


def test_chunks_may_hold_several_tokens(bench: Path, out: Path, rows: Rows) -> None:
    found = rows(import_vllm_bench({"candidate": bench / "ngram-c2.json"}, out), "requests", "candidate", RequestRow)
    assert {row.output_tokens for row in found} == {48}
    assert all(len(row.token_times_s) < 48 for row in found)


def test_speculation_goes_in_as_counters(bench: Path, out: Path, rows: Rows) -> None:
    bundle = import_vllm_bench({"candidate": bench / "ngram-c2.json"}, out)
    counters = rows(bundle, "counters", "candidate", CounterRow)
    grown = {row.name: row.value for row in counters if row.moment == "after"}
    assert grown == {
        "vllm:spec_decode_num_drafts_total": 95,
        "vllm:spec_decode_num_draft_tokens_total": 252,
        "vllm:spec_decode_num_accepted_tokens_total": 101,
    }
    assert {row.value for row in counters if row.moment == "before"} == {0}
    assert bundle.manifest.evals[0].cells[0].speculation == "unknown", "the file tells neither method nor kind"


def test_loads_that_differ_get_a_cell_each(bench: Path, out: Path) -> None:
    arms = {"baseline": bench / "baseline-c2.json", "candidate": bench / "ngram-c2.json"}
    cells = import_vllm_bench(arms, out).manifest.evals[0].cells
    assert [(cell.id, cell.arms, cell.output_tokens) for cell in cells] == [
        ("serving-baseline", ("baseline",), 24),
        ("serving-candidate", ("candidate",), 48),
    ]


def test_a_load_is_its_prompt_lengths_answer_lengths_and_speculation(bench: Path, edited: Edited) -> None:
    reference = read_result(bench / "baseline-c2.json")

    def same(edit: Callable[[dict[str, Any]], None]) -> bool:
        return same_load(reference, read_result(edited(bench / "candidate-c4.json", edit)))

    def put(name: str, values: list[int]) -> Callable[[dict[str, Any]], None]:
        return lambda value: value.update({name: values})

    speculation = {
        name: value for name, value in load(bench / "ngram-c2.json").items() if name.startswith("spec_decode_")
    }
    assert same(lambda value: None)
    assert not same(put("input_lens", [25] * 24))
    assert not same(put("input_lens", [25, *[24] * 23]))
    assert not same(put("output_lens", [25] * 24))
    assert same(put("output_lens", [25, *[24] * 23])), "answers that end when they end say nothing about the load"
    assert not same(lambda value: value.update(speculation))
