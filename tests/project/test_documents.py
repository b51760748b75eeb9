"""Documents say what is there: targets, paths, settings, codes."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from byogpu.cli import DEFECT, INTERRUPTED
from worker.errors import ExitCode

DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
# What running the project makes, and what a page shows as an example of a name.
NOT_IN_THE_TREE = {".venv/bin/python", "web/dist", "blobs/HEX"}
FIRST_PARTS = (
    r"\.ci|byogpu|containers|docs|judge|k3_decode|migrations|requirements|scripts|server|standin|tests|web|worker"
)


@pytest.fixture(scope="module")
def documents(root: Path) -> dict[Path, str]:
    paths = [root / name for name in DOCUMENTS] + sorted((root / "docs").rglob("*.md"))
    return {path.relative_to(root): path.read_text(encoding="utf-8") for path in paths}


@pytest.fixture(scope="module")
def targets(root: Path) -> set[str]:
    return set(re.findall(r"^\.PHONY: (\S+)$", (root / "Makefile").read_text(encoding="utf-8"), flags=re.M))


def test_the_first_two_commands_of_the_readme(documents: dict[Path, str]) -> None:
    commands = re.findall(r"^    (\S.*)$", documents[Path("README.md")], flags=re.M)
    assert commands[:2] == ["make demo", "make test"]


def test_the_readme_fits_one_screen(documents: dict[Path, str]) -> None:
    assert len(documents[Path("README.md")].splitlines()) <= 60


def test_plain_make_lists_every_target(make: Callable[..., str], targets: set[str]) -> None:
    listed = re.findall(r"^make (\S+) +\S.*$", make(), flags=re.M)
    assert set(listed) == targets
    assert {"demo", "test", "check", "fmt", "setup", "lock", "clean"} <= targets


def test_every_make_target_named_in_a_document_exists(documents: dict[Path, str], targets: set[str]) -> None:
    named = {
        (str(path), target)
        for path, text in documents.items()
        for target in re.findall(r"(?:^    |`)make ([a-z][a-z-]*)", text, flags=re.M)
    }
    assert {pair for pair in named if pair[1] not in targets} == set()
    assert ("README.md", "demo") in named


def test_every_path_named_in_a_document_exists(root: Path, documents: dict[Path, str]) -> None:
    missing = {
        f"{path}: {named}"
        for path, text in documents.items()
        for named in _paths(text)
        if named not in NOT_IN_THE_TREE and not any(root.glob(named))
    }
    assert missing == set()


def test_every_link_between_documents_leads_somewhere(root: Path, documents: dict[Path, str]) -> None:
    broken = {
        f"{path}: {target}"
        for path, text in documents.items()
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
        if not re.match(r"https?://", target) and not (root / path.parent / target).exists()
    }
    assert broken == set()


def test_the_architecture_names_functions_that_exist(root: Path, documents: dict[Path, str]) -> None:
    rows = re.findall(
        r"^\| [^|]+ \| `([\w/.]+\.(?:py|tsx?))` \| (.+) \|$", documents[Path("ARCHITECTURE.md")], flags=re.M
    )
    assert len(rows) >= 8
    for path, functions in rows:
        source = (root / path).read_text(encoding="utf-8")
        for name in re.findall(r"`(\w+)`", functions):
            assert re.search(rf"\b(def|class|function|const) {name}\b|^{name}\b", source, flags=re.M), f"{path}: {name}"


def test_every_package_has_its_place_in_the_architecture(root: Path, documents: dict[Path, str]) -> None:
    packages = {path.parent.name for path in root.glob("*/__init__.py")} | {"web", "containers"}
    assert {name for name in packages if f"{name}/" not in documents[Path("ARCHITECTURE.md")]} == set()


def test_error_codes_and_settings_are_documented(root: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "scripts/write_docs.py", "--check"], cwd=root, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_exit_codes_are_documented(documents: dict[Path, str]) -> None:
    rows = re.findall(r"^\| (\d+) \| ([a-z ]+) \|", documents[Path("docs/exit-codes.md")], flags=re.M)
    ours = {int(code): code.name.lower() for code in ExitCode}
    assert {int(number): name.split()[0] for number, name in rows} == ours | {
        DEFECT: "defect",
        INTERRUPTED: "interrupted",
    }


def test_every_command_named_in_the_readme_exists(documents: dict[Path, str]) -> None:
    shown = subprocess.run(
        [Path(sys.executable).parent / "byogpu", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={"COLUMNS": "100"},
    ).stdout
    issue = {"demo", "serve", "run", "check", "upload", "import", "compare", "reproduce", "doctor", "export"}
    named = set(re.findall(r"`byogpu ([a-z]+)", documents[Path("README.md")])) | issue
    assert {name for name in named if not re.search(rf"\b{name}\b", shown)} == set()


def test_decisions_are_numbered_and_whole(root: Path) -> None:
    pages = sorted((root / "docs/decisions").glob("*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(len(pages)))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for part in ("## Context", "## Decision", "## Consequences", "## Alternatives"):
            assert part in text, f"{page.name} lacks {part}"


def _paths(text: str) -> set[str]:
    """Everything in a document that looks like a path of this repository."""
    return {
        match.rstrip("/.")
        for match in re.findall(rf"(?<![\w/.-])((?:{FIRST_PARTS})/[\w./*-]*)", text)
        if not match.endswith(("/api/", "..."))
    }
