"""The key that signs jobs goes along: agents trust it by name, and nobody could make it again."""

from pathlib import Path

from server.backup.folder import BackupError
from server.settings import Settings
from worker.bundle import BundleError
from worker.bundle.blobs import write_atomically
from worker.bundle.dsse import load_key

_FILE = "service-key.pem"


def save(settings: Settings, folder: Path) -> str | None:
    """Save the service's key, readable by its owner only.

    Returns:
        Its id; None: the service has signed nothing yet.

    Raises:
        BackupError: The file holds no key.
        OSError: It cannot be read, or the folder cannot be used.
    """
    key_id = _id_of(settings.resolved_service_key_file)
    if key_id is None:
        (folder / _FILE).unlink(missing_ok=True)
    else:
        write_atomically(folder / _FILE, settings.resolved_service_key_file.read_bytes())
    return key_id


def require(settings: Settings, folder: Path, key_id: str | None) -> None:
    """Demand that the backup's key is whole, and that it can be restored.

    Raises:
        BackupError: It is damaged, or another key is where it belongs.
    """
    if key_id is None:
        return
    if _id_of(folder / _FILE) != key_id:
        raise BackupError("the service's key is damaged in the backup")
    if _id_of(settings.resolved_service_key_file) not in (None, key_id):
        raise BackupError(
            f"{settings.resolved_service_key_file} holds another key than the backup, which agents do not know: "
            "move it away first"
        )


def restore(settings: Settings, folder: Path, key_id: str | None) -> None:
    """Put the key where the settings say, if it is not there already."""
    target = settings.resolved_service_key_file
    if key_id is not None and not target.exists():
        write_atomically(target, (folder / _FILE).read_bytes())


def _id_of(path: Path) -> str | None:
    """The id of the key in a file; None: there is no such file."""
    try:
        return load_key(path).key_id
    except BundleError as error:
        if error.code == "key_missing":
            return None
        raise BackupError(f"{path}: {error.detail}") from error
