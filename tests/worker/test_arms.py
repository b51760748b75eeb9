import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from worker.arms import identify, resolve, tree_digest
from worker.errors import WorkerError


def test_a_committed_tree_is_named_by_its_commit(
    package_tree: Path, tmp_path: Path, commit: Callable[[Path], str]
) -> None:
    sha = commit(package_tree)
    arm = resolve("candidate", work=tmp_path, tree=package_tree)
    assert arm.code.commit_sha == sha
    assert arm.code.dirty is False
    assert arm.code.tree_digest == tree_digest(package_tree / "k3_decode")
    assert (arm.decode, arm.environment(tmp_path)["PYTHONPATH"]) == ("specialized", str(package_tree.resolve()))


@pytest.mark.parametrize("name", ["decoder.py", "new.py"])
def test_a_changed_or_added_file_makes_the_tree_dirty(
    package_tree: Path, tmp_path: Path, commit: Callable[[Path], str], name: str
) -> None:
    commit(package_tree)
    before = identify(package_tree / "k3_decode", work=tmp_path)
    (package_tree / "k3_decode" / name).write_text("FAST = False\n")
    after = identify(package_tree / "k3_decode", work=tmp_path)
    assert (before.dirty, after.dirty) == (False, True)
    assert before.commit_sha == after.commit_sha
    assert before.tree_digest != after.tree_digest


def test_a_change_elsewhere_in_the_repository_is_not_the_arms(
    package_tree: Path, tmp_path: Path, commit: Callable[[Path], str]
) -> None:
    commit(package_tree)
    (package_tree / "notes.txt").write_text("unrelated")
    assert identify(package_tree / "k3_decode", work=tmp_path).dirty is False


def test_without_git_only_the_digest_is_known(package_tree: Path, tmp_path: Path) -> None:
    code = identify(package_tree / "k3_decode", work=tmp_path)
    assert (code.commit_sha, code.dirty) == ("unknown", "unknown")
    assert code.tree_digest == tree_digest(package_tree / "k3_decode")


def test_a_package_installed_inside_an_unrelated_repository_does_not_borrow_its_commit(
    package_tree: Path, tmp_path: Path, commit: Callable[[Path], str]
) -> None:
    (package_tree / ".gitignore").write_text("k3_decode/\n")
    commit(package_tree)
    assert identify(package_tree / "k3_decode", work=tmp_path).commit_sha == "unknown"


def test_asking_git_runs_nothing_of_the_repository(
    package_tree: Path, tmp_path: Path, commit: Callable[[Path], str]
) -> None:
    commit(package_tree)
    hook = tmp_path / "hook.sh"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    with (package_tree / ".git" / "config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {hook}\n")
    identify(package_tree / "k3_decode", work=tmp_path)
    assert not (tmp_path / "ran").exists()


def test_the_digest_ignores_compiled_files_and_order(package_tree: Path) -> None:
    package = package_tree / "k3_decode"
    before = tree_digest(package)
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "decoder.cpython-311.pyc").write_bytes(b"x")
    (package / ".hidden").write_text("x")
    assert tree_digest(package) == before
    (package / "decoder.py").rename(package / "renamed.py")
    assert tree_digest(package) != before


def test_both_arms_of_this_installation_have_the_same_source(tmp_path: Path) -> None:
    baseline, candidate = (resolve(name, work=tmp_path) for name in ("baseline", "candidate"))
    assert baseline.code == candidate.code
    assert baseline.packages_digest == candidate.packages_digest
    assert "pydantic" in {package.name for package in baseline.packages}
    assert (baseline.decode, candidate.decode) == ("stock", "specialized")


def test_a_tree_without_the_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match="tree_missing"):
        resolve("baseline", work=tmp_path, tree=tmp_path)


@pytest.mark.parametrize("content", [None, "#!/bin/sh\nexit 1\n", "#!/bin/sh\necho '{}'\n"])
def test_a_launcher_that_is_no_python_is_refused(tmp_path: Path, content: str | None) -> None:
    launcher = tmp_path / "launcher"
    if content is not None:
        launcher.write_text(content)
        launcher.chmod(0o755)
    with pytest.raises(WorkerError, match="launcher_missing"):
        resolve("baseline", work=tmp_path, python=launcher)
