"""Real output folders of lm-eval become accuracy cells whose scores come from the samples."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judge.evidence import collect
from judge.summarise import summarise
from worker.bundle import read
from worker.check import check
from worker.errors import WorkerError
from worker.importers import import_lm_eval

Edited = Callable[[Path, Callable[[dict[str, Any]], None]], Path]


@pytest.fixture
def folder(evals: Path, tmp_path: Path) -> Path:
    """A copy of the baseline's folder, to be damaged."""
    target = tmp_path / "copy"
    shutil.copytree(evals / "baseline", target)
    return target


def results_of(folder: Path) -> Path:
    (found,) = folder.rglob("results_*.json")
    return found


def samples_of(folder: Path, task: str) -> Path:
    (found,) = folder.rglob(f"samples_{task}_*.jsonl")
    return found


def test_both_arms_give_the_scores_that_lm_eval_printed(evals: Path, out: Path) -> None:
    bundle = import_lm_eval({"baseline": evals / "baseline", "candidate": evals / "candidate"}, out)
    scores = {
        summary.cell.task: [(arm.samples, arm.value) for arm in summary.arms] for summary in summarise(collect(bundle))
    }
    assert scores == {
        "box_sums/flexible-extract/exact_match": [(12, pytest.approx(5 / 12)), (12, pytest.approx(3 / 12))],
        "box_sums/strict-match/exact_match": [(12, pytest.approx(4 / 12)), (12, pytest.approx(2 / 12))],
        "short_endings/none/acc": [(8, 0.75), (8, 0.75)],
        "short_endings/none/acc_norm": [(8, 0.75), (8, 0.625)],
    }


def test_answers_that_flipped_are_counted_by_document(evals: Path, out: Path) -> None:
    bundle = import_lm_eval({"baseline": evals / "baseline", "candidate": evals / "candidate"}, out)
    pairs = {summary.cell.task: summary.pairs for summary in summarise(collect(bundle))}
    strict = pairs["box_sums/strict-match/exact_match"]
    assert strict is not None
    assert (strict.both, strict.baseline_only, strict.candidate_only, strict.neither) == (2, 2, 0, 8)


def test_the_bundle_reads_back_and_its_samples_are_those_of_the_run(evals: Path, out: Path) -> None:
    bundle = import_lm_eval({"baseline": evals / "baseline", "candidate": evals / "candidate"}, out)
    assert read(out).id == bundle.id
    evidence = collect(bundle)
    assert evidence.problems == ()
    assert set(evidence.lm_eval) == {("accuracy", "baseline"), ("accuracy", "candidate")}
    assert [finding for finding in check(bundle) if finding.severity == "error"] == []


def test_files_are_kept_byte_for_byte_with_role_and_arm(evals: Path, out: Path) -> None:
    bundle = import_lm_eval({"candidate": evals / "candidate"}, out)
    kept = {}
    for entry in bundle.manifest.files:
        assert (entry.eval_id, entry.arm) == ("accuracy", "candidate")
        with bundle.blobs.open(entry.sha256) as stream:
            kept[entry.name] = (entry.role, stream.read())
    assert kept == {
        path.name: (
            "lm_eval_results" if path.name.startswith("results_") else "lm_eval_samples",
            path.read_bytes(),
        )
        for path in (evals / "candidate").rglob("*.json*")
    }


def test_an_import_says_what_it_is(evals: Path, out: Path) -> None:
    manifest = import_lm_eval({"candidate": evals / "baseline"}, out).manifest
    assert (manifest.origin.kind, manifest.origin.tool, manifest.origin.tool_version) == (
        "imported",
        "lm-eval",
        "0.4.13",
    )
    assert manifest.subject.repository == manifest.producer.ended_at == "unknown"
    (arm,) = manifest.arms
    assert (arm.model, arm.weights_digest, arm.ledgers, arm.chat_template_digest) == (
        "smollm2",
        "unknown",
        "unknown",
        None,
    )
    settings = {entry.name: entry.value for entry in arm.engine_config}
    assert settings["model_source"] == "local-completions"
    assert settings["model_args.num_concurrent"] == "2"
    assert settings["fewshot_seed"] == "1234"


def test_cells_are_named_by_task_filter_and_metric(evals: Path, out: Path) -> None:
    cells = import_lm_eval({"candidate": evals / "baseline"}, out).manifest.evals[0].cells
    assert [cell.id for cell in cells] == [
        "accuracy.box_sums.flexible-extract.exact_match",
        "accuracy.box_sums.strict-match.exact_match",
        "accuracy.short_endings.none.acc",
        "accuracy.short_endings.none.acc_norm",
    ]
    assert {cell.metric for cell in cells} == {"score"}


def test_behind_a_server_the_machine_is_unknown(evals: Path, out: Path) -> None:
    assert json.loads(results_of(evals / "baseline").read_bytes())["pretty_env_info"]
    assert import_lm_eval({"candidate": evals / "baseline"}, out).manifest.environment == "unknown"


def test_in_lm_evals_own_process_the_machine_is_the_one_it_describes(evals: Path, out: Path) -> None:
    environment = import_lm_eval({"candidate": evals / "in_process"}, out).manifest.environment
    assert environment != "unknown"
    assert (environment.cpu_model, environment.cpu_count) == ("AMD EPYC", 2)
    versions = {package.name: package.version for package in environment.packages}
    assert versions == {
        "lm_eval": "0.4.13", "numpy": "2.3.5", "torch": "2.13.0+cpu", "transformers": "5.20.2", "triton": "3.9.0",
    }  # fmt: skip


def test_machines_that_differ_are_unknown(evals: Path, out: Path, folder: Path) -> None:
    arms = {"baseline": evals / "in_process", "candidate": folder}
    assert import_lm_eval(arms, out).manifest.environment == "unknown"


def test_a_limit_is_imported_and_found(evals: Path, out: Path) -> None:
    bundle = import_lm_eval({"candidate": evals / "limited"}, out)
    assert {cell.task for cell in bundle.manifest.evals[0].cells} == {
        "box_sums/flexible-extract/exact_match", "box_sums/strict-match/exact_match",
        "short_endings/none/acc", "short_endings/none/acc_norm",
    }, "the group they were run as is no task"  # fmt: skip
    assert collect(bundle).lm_eval[("accuracy", "candidate")].limit == 5
    assert {"A-001", "A-002"} <= {finding.rule_id for finding in check(bundle)}


def test_results_without_samples_say_so(evals: Path, out: Path) -> None:
    bundle = import_lm_eval({"candidate": evals / "no_samples"}, out)
    (record,) = bundle.manifest.evals
    assert record.outcome.outcome == "failed"
    assert record.outcome.code == "samples_missing"
    assert "candidate: box_sums" in record.outcome.detail
    assert "--log_samples" in record.outcome.detail
    assert all(not summary.arms for summary in summarise(collect(bundle)))


def test_tasks_of_one_arm_only_are_cells_of_that_arm(evals: Path, out: Path) -> None:
    arms = {"baseline": evals / "no_samples", "candidate": evals / "candidate"}
    cells = import_lm_eval(arms, out).manifest.evals[0].cells
    assert {cell.task.split("/")[0]: cell.arms for cell in cells if cell.task} == {
        "box_sums": ("baseline", "candidate"),
        "short_endings": ("candidate",),
    }


def test_the_same_folders_give_the_same_bundle(evals: Path, out: Path) -> None:
    arms = {"baseline": evals / "baseline", "candidate": evals / "candidate"}
    assert import_lm_eval(arms, out / "a").id == import_lm_eval(dict(reversed(arms.items())), out / "b").id


def test_a_tampered_score_is_kept_and_found(evals: Path, out: Path, folder: Path) -> None:
    path = results_of(folder)
    value = json.loads(path.read_bytes())
    value["results"]["box_sums"]["exact_match,strict-match"] = 0.9
    path.write_text(json.dumps(value))
    found = [f.detail for f in check(import_lm_eval({"candidate": folder}, out)) if f.rule_id == "A-003"]
    assert found == ["box_sums/strict-match/exact_match: reported 0.9, rows give 0.333333"]


def test_a_tampered_sample_is_kept_and_found(out: Path, folder: Path) -> None:
    path = samples_of(folder, "box_sums")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    found = {finding.rule_id for finding in check(import_lm_eval({"candidate": folder}, out))}
    assert {"A-003", "A-004"} <= found


# ------------------------------------------------------------------ which files belong together
def test_a_results_file_stands_for_its_own_run(evals: Path, out: Path, folder: Path) -> None:
    for path in (evals / "limited" / "smollm2").iterdir():
        shutil.copy(path, folder / "smollm2")
    path = folder / "smollm2" / results_of(evals / "limited").name
    bundle = import_lm_eval({"candidate": path}, out)
    assert len(bundle.manifest.files) == 3
    assert collect(bundle).lm_eval[("accuracy", "candidate")].limit == 5


def test_a_task_that_was_run_twice_is_ambiguous(evals: Path, out: Path, folder: Path) -> None:
    shutil.copytree(evals / "limited", folder / "again")
    with pytest.raises(WorkerError, match=r"import_ambiguous.* was run twice: .*; name one of these files"):
        import_lm_eval({"candidate": folder}, out)


def test_runs_of_other_tasks_share_a_folder(evals: Path, out: Path, folder: Path) -> None:
    def only(task: str, path: Path) -> None:
        value = json.loads(path.read_bytes())
        for name in ("results", "configs", "versions", "n-shot", "n-samples", "task_hashes"):
            value[name] = {task: value[name][task]}
        path.write_text(json.dumps(value))

    only("box_sums", results_of(folder))
    samples_of(folder, "short_endings").unlink()
    second = shutil.copytree(evals / "baseline" / "smollm2", folder / "second")
    only("short_endings", results_of(second))
    samples_of(second, "box_sums").unlink()
    bundle = import_lm_eval({"candidate": folder}, out)
    assert [summary.arms[0].value for summary in summarise(collect(bundle))] == [
        pytest.approx(5 / 12), pytest.approx(4 / 12), 0.75, 0.75,
    ]  # fmt: skip


def test_two_models_in_one_folder_are_two_arms(out: Path, folder: Path, evals: Path) -> None:
    second = shutil.copytree(evals / "candidate", folder / "second")
    path = results_of(second)
    path.write_text(path.read_text().replace('"model_name": "smollm2"', '"model_name": "other"'))
    with pytest.raises(
        WorkerError, match=r"import_ambiguous: .* is about other .*, .* about smollm2 .*--arm baseline="
    ):
        import_lm_eval({"candidate": folder}, out)


def test_samples_without_results_are_refused(out: Path, folder: Path) -> None:
    path = samples_of(folder, "box_sums")
    path.rename(path.with_name(path.name.replace("18-32-47", "18-32-48")))
    with pytest.raises(WorkerError, match=r"import_inconsistent: .* belongs to no task of a results file beside it"):
        import_lm_eval({"candidate": folder}, out)


def test_links_are_not_followed(out: Path, folder: Path, tmp_path: Path) -> None:
    path = samples_of(folder, "box_sums")
    path.rename(tmp_path / "elsewhere.jsonl")
    path.symlink_to(tmp_path / "elsewhere.jsonl")
    bundle = import_lm_eval({"candidate": folder}, out)
    assert bundle.manifest.evals[0].outcome.outcome == "failed"


def test_an_output_path_that_was_a_file_is_read_too(out: Path, folder: Path) -> None:
    path = results_of(folder)
    path.rename(path.with_name(path.name.replace("results_", "mine_")))
    assert len(import_lm_eval({"candidate": folder}, out).manifest.files) == 3


def test_a_chat_template_is_known_by_its_digest(out: Path, folder: Path) -> None:
    path = results_of(folder)
    value = json.loads(path.read_bytes())
    path.write_text(json.dumps(value | {"chat_template_sha": "ab" * 32}))
    assert import_lm_eval({"candidate": folder}, out).manifest.arms[0].chat_template_digest == "ab" * 32


def test_the_template_of_a_chat_server_is_unknown(out: Path, folder: Path) -> None:
    path = results_of(folder)
    value = json.loads(path.read_bytes())
    path.write_text(json.dumps(value | {"model_source": "local-chat-completions"}))
    assert import_lm_eval({"candidate": folder}, out).manifest.arms[0].chat_template_digest == "unknown"


def test_names_that_spell_alike_get_ids_of_their_own(out: Path, folder: Path) -> None:
    path = results_of(folder)
    value = json.loads(path.read_bytes())
    scores = value["results"]["box_sums"]
    scores["exact_match,Strict Match"] = scores["exact_match,strict-match"]
    scores["exact_match," + "long" * 40] = scores["exact_match," + "long" * 39] = 0.5
    path.write_text(json.dumps(value))
    cells = import_lm_eval({"candidate": folder}, out).manifest.evals[0].cells
    assert len({cell.id for cell in cells}) == len(cells) == 7
