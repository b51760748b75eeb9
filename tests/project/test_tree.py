"""Rules that hold for the files of the repository as such."""

import json
import re
from pathlib import Path

import pytest

PACKAGES = ("byogpu", "judge", "k3_decode", "migrations", "server", "standin", "worker")
CODE = (".py", ".ts", ".tsx")
LONGEST_MODULE_LINES = 400
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
INDEX_HOSTS = re.compile(r"\b(pypi|pythonhosted|npmjs|debian)\.(org|net|com)\b|\bdownload\.pytorch\.org\b")
MACHINE_PATHS = re.compile(r"(?:^|[^\w.])/(?:root|work)/")


def offenders(texts: dict[Path, str], pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (INDEX_HOSTS, "https://" + ".".join(("pypi", "org")) + "/simple"),
        (INDEX_HOSTS, "https://" + ".".join(("registry", "npmjs", "org")) + "/"),
        (MACHINE_PATHS, "cache = " + "/".join(("", "root", "cache"))),
        (MACHINE_PATHS, "/".join(("", "work", "x"))),
    ],
)
def test_the_patterns_find_what_they_are_for(pattern: re.Pattern[str], line: str) -> None:
    assert offenders({Path("x"): line}, pattern)


def test_no_file_names_a_package_index(texts: dict[Path, str]) -> None:
    assert offenders(texts, INDEX_HOSTS) == []


def test_no_file_names_a_path_of_one_machine(root: Path, texts: dict[Path, str]) -> None:
    assert offenders(texts, MACHINE_PATHS) == []
    assert offenders(texts, re.compile(re.escape(str(root)) + r"\b")) == []


def test_python_pins_are_exact_and_hashed(root: Path) -> None:
    for path in sorted((root / "requirements").glob("*.txt")):
        entries = re.split(r"\n(?=\S)", path.read_text(encoding="utf-8").strip())
        for entry in entries:
            assert re.match(r"[A-Za-z0-9._-]+(\[[\w,-]+\])?==[^\s]+( ;.*)? \\\n", entry), f"{path.name}: {entry[:80]}"
            assert "--hash=sha256:" in entry, f"{path.name}: {entry[:80]}"
            assert not entry.startswith("torch="), f"{path.name} pins torch, which is installed apart"


def test_the_smaller_lists_pin_what_the_development_list_pins(root: Path) -> None:
    def pins(name: str) -> set[str]:
        text = (root / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
        return set(re.findall(r"^([\w.-]+(?:\[[\w,-]+\])?==[^\s;]+)", text, flags=re.M))

    everything = pins("dev")
    for name in ("build", "eval", "server", "worker"):
        assert pins(name) <= everything, name


def test_every_requirements_list_has_its_source_and_the_other_way_round(root: Path) -> None:
    folder = root / "requirements"
    assert {p.stem for p in folder.glob("*.in")} == {p.stem for p in folder.glob("*.txt")}


def test_npm_locks_hold_integrity_and_no_download_address(root: Path, files: list[Path]) -> None:
    locks = [path for path in files if path.name == "package-lock.json"]
    assert len(locks) >= 2
    for path in locks:
        packages = json.loads((root / path).read_text(encoding="utf-8"))["packages"]
        for name, entry in packages.items():
            assert "resolved" not in entry, f"{path}: {name}"
            assert not name or "integrity" in entry or entry.get("link") or entry.get("inBundle"), f"{path}: {name}"


def test_there_is_no_uv_lock(files: list[Path]) -> None:
    assert [str(path) for path in files if path.name == "uv.lock"] == []


def test_modules_are_short(root: Path, files: list[Path]) -> None:
    lines = {
        str(path): len((root / path).read_text(encoding="utf-8").splitlines())
        for path in files
        if path.suffix in CODE and "Generated from" not in (root / path).read_text(encoding="utf-8")[:200]
    }
    assert {path: count for path, count in lines.items() if count > LONGEST_MODULE_LINES} == {}


def test_no_module_has_a_vague_name(files: list[Path]) -> None:
    named = [str(path) for path in files if path.suffix in CODE and {*path.parts[:-1], path.stem} & VAGUE_NAMES]
    assert named == []


def test_packages_are_packages_and_tests_are_not(files: list[Path]) -> None:
    folders = {path.parent for path in files if path.suffix == ".py" and path.parts[0] in PACKAGES}
    without = [str(f) for f in sorted(folders) if f / "__init__.py" not in files and f != Path("migrations/versions")]
    assert without == []
    in_tests = [path for path in files if path.parts[0] == "tests" and path.parts[1] != "data"]
    assert [str(path) for path in in_tests if path.name == "__init__.py"] == []


def test_every_module_says_what_it_is_for(root: Path, files: list[Path]) -> None:
    silent = []
    for path in files:
        if path.suffix == ".py" and path.parts[0] in (*PACKAGES, "scripts"):
            text = (root / path).read_text(encoding="utf-8")
            if text.strip() and not re.match(r'(#!.*\n)?(#.*\n)*\s*r?"""', text):
                silent.append(str(path))
    assert silent == []
