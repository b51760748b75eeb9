"""Import, check, compare, export: what a user does with other tools' files and no server."""

import json

import pytest


def import_bench(byogpu, bench, *, candidate="candidate-c2.json", out=None):
    options = [] if out is None else ["--out", out]
    return byogpu("import", "vllm-bench", "--arm", f"baseline={bench}/baseline-c2.json",
                  "--arm", f"candidate={bench}/{candidate}", "--json", *options)  # fmt: skip


def test_an_import_is_shelved_under_its_id_and_found_by_its_beginning(byogpu, bench):
    made = import_bench(byogpu, bench)
    assert made.code == 0, made.err
    bundle_id = made.document["bundle_id"]
    assert byogpu("check", bundle_id[:8], "--json").document["bundle_id"] == bundle_id
    # The same files give the same bundle; it is not kept twice.
    assert import_bench(byogpu, bench).document["bundle_id"] == bundle_id
    assert byogpu("check", "ffffff").code == 2


def test_arms_at_another_achieved_concurrency_are_not_comparable_and_the_field_is_named(byogpu, bench):
    made = import_bench(byogpu, bench, candidate="candidate-c4.json")
    assert made.code == 1
    for cell in made.document["cells"]:
        fields = {one["field"]: (one["a"], one["b"]) for one in cell["differing"]}
        assert fields["achieved_concurrency"] == ("2.00", "4.00")
        assert cell["estimate"] is None


def test_compare_names_the_field_across_bundles(byogpu, bench):
    two = import_bench(byogpu, bench).document["bundle_id"]
    four = import_bench(byogpu, bench, candidate="candidate-c4.json").document["bundle_id"]
    compared = byogpu("compare", two, four, "--json")
    assert compared.code == 0
    assert set(compared.document) >= {"comparable", "differing", "cells"}
    assert compared.document["comparable"] is False
    assert "achieved_concurrency" in {one["field"] for one in compared.document["differing"]}
    assert "achieved_concurrency" in byogpu("compare", two, four).out
    same = byogpu("compare", two, two, "--json")
    assert same.document["comparable"] is True
    assert same.document["cells"]


def test_a_summary_that_contradicts_its_rows_is_a_finding(byogpu, bench, tmp_path):
    honest = import_bench(byogpu, bench)
    assert "M-" not in {f["rule_id"][:2] for f in honest.document["findings"] if f["severity"] == "error"}
    for path in ("baseline-c2.json", "candidate-c2.json"):
        content = json.loads((bench / path).read_text())
        if path.startswith("candidate"):
            content["median_tpot_ms"] /= 1.5
        (tmp_path / path).write_text(json.dumps(content))
    forged = import_bench(byogpu, tmp_path)
    assert forged.code == 1
    contradicting = [f for f in forged.document["findings"] if "tpot" in f["detail"]]
    assert contradicting
    assert contradicting[0]["severity"] == "error"


def test_lm_eval_results_of_both_arms_are_paired(byogpu, lm_eval):
    made = byogpu("import", "lm-eval", "--arm", f"baseline={lm_eval}/baseline",
                  "--arm", f"candidate={lm_eval}/candidate", "--json")  # fmt: skip
    assert made.code == 0, made.err
    pairs = [cell["pairs"] for cell in made.document["cells"]]
    assert any(pair and pair["baseline_only"] + pair["candidate_only"] > 0 for pair in pairs)
    one = byogpu("import", "lm-eval", lm_eval / "baseline", "--json")
    assert {arm["arm"] for cell in one.document["cells"] for arm in cell["arms"]} == {"candidate"}


def test_export_and_import_carry_a_bundle_whole(byogpu, bench, tmp_path):
    bundle_id = import_bench(byogpu, bench).document["bundle_id"]
    archive = tmp_path / "x.byogpu"
    exported = byogpu("export", bundle_id, "-o", archive)
    assert exported.code == 0
    assert bundle_id in exported.out
    assert byogpu("check", archive, "--json").document["bundle_id"] == bundle_id
    back = byogpu("import", "bundle", archive, "--out", tmp_path / "back", "--json")
    assert back.document["bundle_id"] == bundle_id
    assert byogpu("export", bundle_id, "-o", archive).code == 2


def test_a_failed_import_leaves_nothing(byogpu, bench, tmp_path):
    (tmp_path / "half.json").write_text((bench / "baseline-c2.json").read_text()[:5_000])
    ended = byogpu("import", "vllm-bench", "--arm", f"baseline={tmp_path}/half.json")
    assert ended.code == 2
    assert list((tmp_path / "data" / "byogpu" / "runs").iterdir()) == []


def test_reproduce_refuses_what_cannot_be_run_again(byogpu, bench):
    bundle_id = import_bench(byogpu, bench).document["bundle_id"]
    ended = byogpu("reproduce", bundle_id)
    assert ended.code == 2
    assert "imported" in ended.err


def test_doctor_says_what_this_machine_can_run(byogpu):
    ended = byogpu("doctor", "--json")
    assert ended.code == 0, ended.err
    assert ended.document["ready"] is True
    names = {one["name"]: one for one in ended.document["capabilities"]}
    assert names["suite smoke"]["ok"]
    assert all(one["how_to_fix"] for one in names.values() if not one["ok"])


@pytest.mark.parametrize(
    "command", ["demo", "serve", "run", "check", "upload", "import", "compare", "reproduce", "doctor", "export"]
)
def test_every_command_explains_itself(byogpu, command):
    ended = byogpu(command, "--help")
    assert ended.code == 0
    assert ended.out.count("\n") > 5
