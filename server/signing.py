"""The service's own key."""

from server.settings import Settings
from worker.bundle import BundleError
from worker.bundle.dsse import NodeKey, generate_key, load_key


def service_key(settings: Settings) -> NodeKey:
    """Load the key that signs what the service vouches for, or make it on first use.

    Raises:
        BundleError: ``key_invalid``: the file is there and holds no key.
    """
    path = settings.resolved_service_key_file
    try:
        return load_key(path)
    except BundleError as error:
        if error.code != "key_missing":
            raise
    try:
        return generate_key(path)
    except BundleError as error:  # another process was first
        if error.code != "key_exists":
            raise
        return load_key(path)
