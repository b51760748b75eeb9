"""Damaged, hostile and foreign files: one error with a stable code, and nothing left behind."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from judge.evidence import collect
from worker.errors import WorkerError
from worker.importers import import_lm_eval, import_vllm_bench
from worker.importers.sources import identifier, read_source

Edit = Callable[[dict[str, Any]], None]
Edited = Callable[[Path, Edit], Path]

STRANGE: tuple[Any, ...] = (None, -1, 10**30, "", "x\x00" * 3000, [], {"a": {"b": []}})


@pytest.fixture(autouse=True)
def nothing_half_written(out: Path) -> Iterator[None]:
    """No scratch folder stays beside the bundle, and a folder that is there holds a whole bundle."""
    yield
    beside = list(out.parent.iterdir()) if out.parent.is_dir() else []
    assert beside in ([], [out])
    assert not out.exists() or (out / "manifest.json").exists() or (out / "mine").exists()


def refused(path: Path, out: Path, code: str, words: str) -> None:
    with pytest.raises(WorkerError, match=rf"^{code}: .*{words}") as caught:
        import_vllm_bench({"candidate": path}, out)
    assert not out.exists()
    assert caught.value.exit_code == 2
    assert len(caught.value.detail) < 1000


def write(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "file.json"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.9, 0.9999])
def test_a_truncated_result_is_no_result(bench: Path, tmp_path: Path, out: Path, share: float) -> None:
    data = (bench / "baseline-c2.json").read_bytes()
    refused(
        write(tmp_path, data[: int(len(data) * share)]), out, "import_invalid", "take the file as the tool wrote it"
    )


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"[]", "import_wrong_tool", "no JSON object"),
        (b"{}", "import_wrong_tool", "--save-result"),
        (b"\xff\xfe{}", "import_invalid", "not UTF-8"),
        (b"[" * 100_000, "import_invalid", "nested too deeply"),
        (b'{"a": 1, "a": 2}', "import_invalid", "duplicate key"),
        (b'{"duration": NaN}', "import_invalid", "NaN is not a finite number"),
        (b'{"duration": -Infinity}', "import_invalid", "Infinity is not a finite number"),
        (b'{"lm_eval_version": "0.4.13", "results": {}}', "import_wrong_tool", "byogpu import lm-eval"),
        (b'{"avg_latency": 1.0, "latencies": []}', "import_wrong_tool", "vllm bench latency"),
        (b'{"elapsed_time": 1.0, "requests_per_second": 2}', "import_wrong_tool", "vllm bench serve"),
    ],
)
def test_other_files_are_named_for_what_they_are(tmp_path: Path, out: Path, data: bytes, code: str, words: str) -> None:
    refused(write(tmp_path, data), out, code, words)


def test_a_pooling_benchmark_is_another_thing(bench: Path, out: Path, edited: Edited) -> None:
    path = edited(bench / "baseline-c2.json", lambda value: value.pop("output_throughput"))
    refused(path, out, "import_wrong_tool", "pooling or embeddings")


def test_appended_results_are_to_be_split(bench: Path, tmp_path: Path, out: Path) -> None:
    data = (bench / "baseline-c2.json").read_bytes()
    refused(write(tmp_path, data + b"\n" + data), out, "import_ambiguous", "--append-result")


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda v: v.pop("total_input_tokens"), "total_input_tokens: Field required"),
        (lambda v: v.update(duration=0), "duration: Input should be greater than 0"),
        (lambda v: v.update(duration="1.0"), "duration: Input should be a valid number"),
        (lambda v: v.update(max_concurrency=0), "max_concurrency: "),
        (lambda v: v.update(model_id=""), "model_id: "),
        (lambda v: v.update(date="yesterday"), "date: yesterday is not YYYYMMDD-HHMMSS"),
        (lambda v: v.update(date="00010101-000000"), "date: 00010101-000000 is not YYYYMMDD-HHMMSS"),
        (lambda v: v.update(mean_ttft_ms=-1.0), "values.mean_ttft_ms: "),
        (lambda v: v.update(output_throughput="fast"), "output_throughput: "),
        (lambda v: v["ttfts"].__setitem__(3, -0.1), "ttfts.3: "),
        (lambda v: v["itls"][2].__setitem__(0, None), "itls.2.0: "),
        (lambda v: v["latencies"].__setitem__(0, 1e300), "latencies.0: "),
        (lambda v: v["output_lens"].__setitem__(1, 2.5), "output_lens.1: "),
        (lambda v: v["errors"].__setitem__(0, None), "errors.0: "),
        (lambda v: v["itls"].__setitem__(0, [0.001] * 32_768), "itls.0: "),
        (lambda v: v.update(spec_decode_num_drafts=3), "spec_decode_draft_tokens: Field required"),
    ],
)
def test_a_wrong_field_is_named(bench: Path, out: Path, edited: Edited, edit: Edit, words: str) -> None:
    refused(edited(bench / "baseline-c2.json", edit), out, "import_incomplete", words)


@pytest.mark.parametrize(
    "name", ["input_lens", "output_lens", "ttfts", "itls", "latencies", "start_times", "errors", "generated_texts"]
)
def test_lists_of_different_length_are_refused(bench: Path, out: Path, edited: Edited, name: str) -> None:
    path = edited(bench / "baseline-c2.json", lambda value: value[name].pop())
    refused(path, out, "import_inconsistent", f"{name} 23")


def test_no_field_can_break_the_importer(bench: Path, tmp_path: Path, out: Path) -> None:
    original = json.loads((bench / "ngram-c2.json").read_bytes())
    path, outcomes = tmp_path / "file.json", set()
    for name in [*original, "metadata of the user"]:
        for strange in STRANGE:
            path.write_text(json.dumps({**original, name: strange}))
            try:
                bundle = import_vllm_bench({"candidate": path}, out)
            except WorkerError as error:
                outcomes.add(error.code)
                assert not out.exists()
            else:
                outcomes.add("imported")
                assert collect(bundle).problems == (), "the judge reads what the importer takes"
                shutil.rmtree(out)
    assert outcomes == {"imported", "import_incomplete", "import_inconsistent"}


def test_no_field_can_break_the_importer_of_lm_eval(evals: Path, tmp_path: Path, out: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(evals / "no_samples", folder)
    (path,) = folder.rglob("results_*.json")
    original, outcomes = json.loads(path.read_bytes()), set()
    for name in [*original, "results.box_sums", "configs.box_sums", "config.model_args"]:
        for strange in STRANGE:
            value = json.loads(json.dumps(original))
            *outer, last = name.split(".")
            (value[outer[0]] if outer else value)[last] = strange
            path.write_text(json.dumps(value))
            try:
                bundle = import_lm_eval({"candidate": folder}, out)
            except WorkerError as error:
                outcomes.add(error.code)
                assert not out.exists()
            else:
                outcomes.add("imported")
                assert collect(bundle).problems == (), "the judge reads what the importer takes"
                shutil.rmtree(out)
    assert outcomes == {"imported", "import_incomplete", "import_invalid"}


def test_a_configuration_without_end_is_refused(bench: Path, out: Path, edited: Edited) -> None:
    path = edited(bench / "baseline-c2.json", lambda value: value.update({f"k{n}": "" for n in range(1001)}))
    refused(path, out, "import_too_large", "more than 1000 values")


def test_a_secret_is_the_owners_to_remove(bench: Path, out: Path, edited: Edited) -> None:
    secret = "ghp_" + "a1B2" * 9
    path = edited(bench / "baseline-c2.json", lambda value: value.update(note=secret))
    with pytest.raises(WorkerError, match=r"import_secret: .* looks like a secret \(github_token\)") as caught:
        import_vllm_bench({"candidate": path}, out)
    assert secret not in str(caught.value)


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    path = write(tmp_path, b"x" * 11)
    assert read_source(path, limit_bytes=11) == b"x" * 11
    with pytest.raises(WorkerError, match=r"import_too_large: .* more than 10 bytes"):
        read_source(path, limit_bytes=10)


def test_results_beyond_the_limit_are_refused(evals: Path, tmp_path: Path, out: Path) -> None:
    shutil.copytree(evals / "baseline", tmp_path / "copy")
    (path,) = (tmp_path / "copy").rglob("results_*.json")
    os.truncate(path, 16_000_001)
    with pytest.raises(WorkerError, match=r"import_too_large: .*16000000 bytes"):
        import_lm_eval({"candidate": tmp_path / "copy"}, out)


@pytest.mark.parametrize(
    ("damage", "code", "words"),
    [
        (lambda data: data[:-40], "import_invalid", "line 24: "),
        (lambda data: data.replace(b'"exact_match": 0.0', b'"exact_match": NaN', 1), "import_invalid", "NaN is not a"),
        (lambda data: data.replace(b'"doc_id": 3', b'"doc_id": -3'), "import_invalid", "line 4: doc_id"),
        (lambda data: data.replace(b'"filter": "strict-match", ', b"", 1), "import_invalid", "line 1: filter"),
        (lambda data: b"{" + b" " * 1_000_001 + data[1:], "import_invalid", "line 1 is longer than"),
        (lambda data: data + b"[]\n", "import_invalid", "line 25: "),
    ],
)
def test_a_damaged_samples_file_is_refused(
    evals: Path, tmp_path: Path, out: Path, damage: Callable[[bytes], bytes], code: str, words: str
) -> None:
    shutil.copytree(evals / "baseline", tmp_path / "copy")
    (path,) = (tmp_path / "copy").rglob("samples_box_sums_*.jsonl")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(WorkerError, match=rf"{code}: .*{words}"):
        import_lm_eval({"candidate": tmp_path / "copy"}, out)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", "No such file"),
        ("folder", "holds no results_"),
    ],
)
def test_a_place_without_results_is_named(tmp_path: Path, out: Path, name: str, words: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(WorkerError, match=rf"import_missing: .*{words}"):
        import_lm_eval({"candidate": tmp_path / name}, out)


def test_files_of_the_other_tool_are_named_for_it(bench: Path, evals: Path, tmp_path: Path, out: Path) -> None:
    stolen = tmp_path / "results_2026-01-01T00-00-00.000000.json"
    shutil.copy(bench / "baseline-c2.json", stolen)
    with pytest.raises(WorkerError, match=r"import_wrong_tool: .*byogpu import vllm-bench"):
        import_lm_eval({"candidate": stolen}, out)
    with pytest.raises(WorkerError, match=r"import_wrong_tool: .*is not named like"):
        import_lm_eval({"candidate": bench / "baseline-c2.json"}, out)
    (path,) = (evals / "baseline").rglob("results_*.json")
    refused(path, out, "import_wrong_tool", "byogpu import lm-eval")


def test_a_folder_is_no_bench_result(bench: Path, out: Path) -> None:
    refused(bench, out, "import_missing", "name a file that can be read")


def test_without_a_source_nothing_is_imported(out: Path) -> None:
    for run in (import_vllm_bench, import_lm_eval):
        with pytest.raises(WorkerError, match=r"usage: .*--arm baseline="):
            run({}, out)


def test_a_folder_with_something_in_it_is_left_alone(bench: Path, out: Path) -> None:
    out.mkdir(parents=True)
    (out / "mine").write_text("kept")
    with pytest.raises(WorkerError, match="out_not_empty"):
        import_vllm_bench({"candidate": bench / "baseline-c2.json"}, out)
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    assert (out / "mine").read_text() == "kept"


def test_an_empty_folder_is_filled(bench: Path, out: Path) -> None:
    out.mkdir(parents=True)
    import_vllm_bench({"candidate": bench / "baseline-c2.json"}, out)
    assert sorted(path.name for path in out.iterdir()) == ["blobs", "manifest.json"]


def test_a_place_that_cannot_be_written_is_named(bench: Path, out: Path) -> None:
    out.parent.parent.mkdir(parents=True, exist_ok=True)
    out.parent.write_text("a file where a folder should be")
    with pytest.raises(WorkerError, match="work_folder_unusable"):
        import_vllm_bench({"candidate": bench / "baseline-c2.json"}, out)


@pytest.mark.parametrize(
    ("text", "spelled"),
    [("GSM8K CoT", "gsm8k-cot"), ("--x/y--", "x-y"), ("...", "unnamed"), ("é" * 9, "unnamed"), ("a" * 99, "a" * 80)],
)
def test_any_name_has_a_spelling_as_an_identifier(text: str, spelled: str) -> None:
    assert identifier(text) == spelled
