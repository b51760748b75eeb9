"""The node's signing key: made once, then always the same."""

from worker.bundle import BundleError
from worker.bundle.signature import NodeKey, generate_key, load_key
from worker.errors import WorkerError
from worker.settings import Settings


def node_key(settings: Settings) -> NodeKey:
    """Load this machine's key, or make it on first use.

    Raises:
        BundleError: ``key_invalid``: the file is there and holds no key.
        WorkerError: ``work_folder_unusable``: it cannot be written.
    """
    try:
        return load_key(settings.node_key)
    except BundleError as error:
        if error.code != "key_missing":
            raise
    try:
        return generate_key(settings.node_key)
    except OSError as error:
        raise WorkerError("work_folder_unusable", f"the key {settings.node_key} cannot be written: {error}") from error
