"""The bundle of an import: written beside its place and moved there whole, or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from worker.bundle import Bundle, BundleError, Draft, read, write
from worker.bundle.environment import Environment
from worker.bundle.record import Sha256, Unknown
from worker.bundle.redaction import RULES_VERSION
from worker.bundle.schema import (
    Arm,
    ArmName,
    CodeIdentity,
    ConfigEntry,
    EvalRecord,
    Imported,
    Manifest,
    Producer,
    RedactionReceipt,
    Subject,
)
from worker.errors import WorkerError
from worker.identity import printable

MAX_CONFIG_ENTRIES = 1_000


@contextmanager
def drafting(out: Path) -> Iterator[Draft]:
    """Give a draft whose folder becomes ``out`` when the block ends well, and vanishes when it does not.

    Args:
        out: Does not exist, or is an empty folder.

    Raises:
        WorkerError: ``out_not_empty``, ``work_folder_unusable``; ``import_invalid``: what was drafted is more than the
            format allows.
    """
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise WorkerError("out_not_empty", f"{out} exists and is not an empty folder; name another one")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}-"))
    except OSError as error:
        raise WorkerError("work_folder_unusable", f"{out.parent}: {error.strerror or error}") from error
    try:
        yield Draft(scratch)
        read(scratch)
        scratch.chmod(0o755)
        os.replace(scratch, out)
    except BundleError as error:
        raise WorkerError("import_invalid", f"no bundle can hold this: {error.code}: {error.detail}") from error
    except OSError as error:
        raise WorkerError("work_folder_unusable", f"{out}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def finish(
    draft: Draft,
    *,
    tool: Literal["lm-eval", "vllm-bench"],
    tool_version: str | Unknown,
    environment: Environment | Unknown,
    arms: tuple[Arm, ...],
    record: EvalRecord,
) -> None:
    """Write the manifest of an import. The same files always give the same bundle: nothing here reads a clock."""
    manifest = Manifest(
        format="byogpu.bundle/1",
        origin=Imported(kind="imported", tool=tool, tool_version=tool_version),
        subject=Subject(
            repository_id="unknown",
            repository="unknown",
            pull_number=None,
            head_sha="unknown",
            base_sha="unknown",
            suite=None,
            claim_ids=(),
        ),
        challenge=None,
        producer=Producer(
            worker_version=version("byogpu"),
            image_digest="unknown",
            node_key_id="unknown",
            started_at="unknown",
            ended_at="unknown",
            duration_s="unknown",
        ),
        environment=environment,
        arms=arms,
        evals=(record,),
        files=draft.files,
        redaction=RedactionReceipt(rules_version=RULES_VERSION, masked=()),
        attempts=(),
    )
    write(draft.folder, manifest)


def reopen(out: Path) -> Bundle:
    """The finished bundle; `drafting` has checked its blobs."""
    return read(out, verify=False)


def config_entries(value: Mapping[str, Any], *, path: Path) -> tuple[ConfigEntry, ...]:
    """Spell a tool's own configuration as entries: dotted path to value, sorted.

    Args:
        value: JSON.
        path: The file it is from, for the message.

    Raises:
        WorkerError: ``import_too_large``: it is deeper or longer than any tool's.
    """
    try:
        leaves = dict(_leaves(value, ""))
    except RecursionError as error:
        raise WorkerError("import_too_large", f"{path}: the configuration is nested too deeply") from error
    if len(leaves) > MAX_CONFIG_ENTRIES:
        raise WorkerError("import_too_large", f"{path}: the configuration has more than {MAX_CONFIG_ENTRIES} values")
    return tuple(
        ConfigEntry(name=printable(name)[:200], value=printable(text)[:4096]) for name, text in sorted(leaves.items())
    )


def imported_arm(
    name: ArmName,
    *,
    model: str,
    config: tuple[ConfigEntry, ...],
    chat_template_digest: Sha256 | Unknown | None = "unknown",
) -> Arm:
    """Describe an arm by the little that a result file tells: no code, no weights, no decode path.

    Args:
        name: Which arm.
        model: As the tool names it.
        config: What the tool says about its own run.
        chat_template_digest: SHA-256 of the chat template; None: prompts went in without one.
    """
    return Arm(
        name=name,
        code=CodeIdentity(commit_sha="unknown", tree_digest="unknown", dirty="unknown"),
        image_digest="unknown",
        model=model,
        quantization="unknown",
        weights_digest="unknown",
        draft_digest="unknown",
        tokenizer_digest="unknown",
        chat_template_digest=chat_template_digest,
        engine_config=config,
        ledgers="unknown",
    )


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    match value:
        case dict() if value:
            for name, inner in value.items():
                yield from _leaves(inner, f"{path}.{name}" if path else str(name))
        case list() | tuple() if value:
            for index, inner in enumerate(value):
                yield from _leaves(inner, f"{path}.{index}")
        case _ if path:
            yield path, "null" if value is None else str(value)
