#!/usr/bin/env python3
"""Write the documents that are lists of what the code knows: docs/errors.md and docs/settings.md.

    scripts/write_docs.py            # writes them
    scripts/write_docs.py --check    # says which are out of date, and fails

A test runs the check, so neither can drift.
"""

import ast
import itertools
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import SecretStr
from pydantic_settings import BaseSettings

from server.errors import CODES as SERVER_CODES
from server.settings import Settings as ServerSettings
from worker.errors import CODES as WORKER_CODES
from worker.settings import Settings as WorkerSettings

ROOT = Path(__file__).resolve().parent.parent
# `BundleError` takes any code; what each one means stands here, and the two lists must agree.
BUNDLE_CODES: Mapping[str, str] = {
    "archive_bomb": "An entry of the archive grows more than the format allows",
    "archive_entry_refused": "An entry's name, kind or size is one that no bundle has",
    "archive_invalid": "The file is not a readable archive of a bundle",
    "archive_missing": "There is no archive at the path",
    "archive_too_large": "The archive is larger than a bundle can be",
    "blob_corrupt": "A blob's bytes do not have the digest or the size that the manifest states",
    "blob_missing": "The manifest lists a blob that is not there",
    "blob_too_large": "One file is larger than the format allows",
    "bundle_missing": "The folder holds no manifest",
    "bundle_too_large": "The files are larger together than the format allows",
    "envelope_invalid": "The envelope is not a DSSE envelope of the kind that is expected",
    "export_exists": "The file to export to exists already",
    "folder_exists": "The folder to write the bundle to exists already",
    "job_invalid": "A signed job does not have the documented shape, or is not canonical JSON",
    "json_invalid": "The bytes are not strict JSON: encoding, nesting, duplicate keys or numbers",
    "key_exists": "There is a key already where a new one was to be written",
    "key_invalid": "The file or text is not an unencrypted ed25519 key",
    "key_missing": "There is no key at the path",
    "line_too_long": "A row is longer than the format allows",
    "manifest_invalid": "The manifest does not have the documented shape",
    "manifest_not_canonical": "The manifest is not canonical JSON (RFC 8785)",
    "manifest_too_large": "The manifest is larger than the format allows",
    "not_canonical": "A value has no canonical JSON form, such as a number that is not finite",
    "proof_invalid": "The proof does not show that who registers a key holds it",
    "row_invalid": "A row of a sample file does not have the documented shape",
    "signature_invalid": "The signature does not match the envelope's payload",
    "signature_unknown_key": "The bundle is signed with a key that is not registered",
    "signature_wrong_subject": "The signature is about another manifest",
    "too_many_rows": "A sample file has more rows than the format allows",
}
NOTE = "<!-- Written by scripts/write_docs.py: change the code, then run it. -->"


def errors() -> str:
    """Return docs/errors.md: every stable code of the service, the worker and the bundle format."""
    server = (f"| `{code}` | {entry.status} | {entry.title} |" for code, entry in sorted(SERVER_CODES.items()))
    worker = (
        f"| `{code}` | {entry.exit_code} {entry.exit_code.name.lower()} | {_sentence(entry.title)} |"
        for code, entry in sorted(WORKER_CODES.items())
    )
    if differing := _bundle_codes() ^ BUNDLE_CODES.keys():
        raise ValueError(f"BUNDLE_CODES and what worker/ raises differ: {sorted(differing)}")
    bundle = (f"| `{code}` | {meaning} |" for code, meaning in sorted(BUNDLE_CODES.items()))
    return "\n".join(
        [
            "# Error codes",
            "",
            NOTE,
            "",
            "Codes are stable: programs may decide by them. The words beside them may change.",
            "",
            "## The service",
            "",
            "Every refusal is a problem document (RFC 9457, `application/problem+json`) with `type`, `title`,",
            "`status`, `code` and `detail`. It leaves nothing behind but an audit row.",
            "",
            "| code | status | meaning |",
            "|---|---|---|",
            *server,
            "",
            "## The worker",
            "",
            "Each code ends `byogpu` with the exit code beside it ([exit-codes.md](exit-codes.md)). Inside an eval it",
            "becomes the eval's outcome in the bundle, and the run goes on.",
            "",
            "| code | exit code | meaning |",
            "|---|---|---|",
            *worker,
            "",
            "## The bundle format",
            "",
            "What `worker.bundle` says of a folder, an archive, a key or a manifest. The service has codes of its own.",
            "",
            "| code | meaning |",
            "|---|---|",
            *bundle,
            "",
        ]
    )


def settings() -> str:
    """Return docs/settings.md: every environment variable that the service and the worker read."""
    return "\n".join(
        [
            "# Settings",
            "",
            NOTE,
            "",
            "Settings are environment variables, read once at the start. Secrets are never logged or shown.",
            "",
            "## The service",
            "",
            "With none of them set the service is the embedded one: SQLite, a folder of blobs, tasks in a thread.",
            "",
            *_table(ServerSettings),
            "",
            "## The worker",
            "",
            "None of these reaches the process of an arm.",
            "",
            *_table(WorkerSettings),
            "",
        ]
    )


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def _bundle_codes() -> set[str]:
    """Collect the codes of `BundleError` from the places that raise it."""
    return {
        code
        for path in sorted((ROOT / "worker").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for code in _raised(node)
    }


def _raised(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name(id="BundleError"), args=[ast.Constant(value=str(code)), *_]):
            yield code


def _table(model: type[BaseSettings]) -> Iterator[str]:
    yield "| variable | default | meaning |"
    yield "|---|---|---|"
    prefix = model.model_config.get("env_prefix", "")
    docstrings = _attribute_docstrings(model)
    for name, field in model.model_fields.items():
        meaning = field.description or docstrings[name]
        default = field.get_default(call_default_factory=True, validated_data={})
        yield f"| `{prefix}{name.upper()}` | {_shown(default)} | {' '.join(meaning.replace('``', '`').split())} |"


def _shown(default: object) -> str:
    match default:
        case None | "":
            return ""
        case bool():
            return f"`{str(default).lower()}`"
        case Path():
            return f"`{str(default).replace(str(Path.home()), '~')}`"
        case SecretStr():
            raise ValueError("a secret has a default")
        case _:
            return f"`{default}`"


def _attribute_docstrings(model: type[BaseSettings]) -> Mapping[str, str]:
    """Return the string that stands under each field of a class."""
    source = Path(sys.modules[model.__module__].__file__ or "").read_text(encoding="utf-8")
    body = next(n.body for n in ast.parse(source).body if isinstance(n, ast.ClassDef) and n.name == model.__name__)
    found: dict[str, str] = {}
    for field, below in itertools.pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                found[name] = words
    return found


def main() -> int:
    """Write or check the documents; return the exit status."""
    # Defaults are shown as they are for somebody who set nothing.
    for name in [name for name in os.environ if name.startswith(("XDG_", "BYOGPU_"))]:
        del os.environ[name]
    checking = sys.argv[1:] == ["--check"]
    stale = []
    for path, text in ((ROOT / "docs/errors.md", errors()), (ROOT / "docs/settings.md", settings())):
        if checking:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                stale.append(str(path.relative_to(ROOT)))
        else:
            path.write_text(text, encoding="utf-8")
    for name in stale:
        print(f"{name} is out of date: run scripts/write_docs.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
