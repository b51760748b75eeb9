"""Runs inside an arm's Python and prints what is installed there, as JSON. Standard library only, nothing imported.

Started by `worker.arms` by file name, because that Python need not have the worker installed.
"""

import hashlib
import importlib.util
import json
import platform
from importlib import metadata


def main() -> None:
    """Print ``{python_version, packages: [{name, version, record_digest}], package_folder}``."""
    packages = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name and name not in packages:
            record = distribution.read_text("RECORD")
            packages[name] = {
                "name": name,
                "version": distribution.version,
                "record_digest": "unknown" if record is None else hashlib.sha256(record.encode()).hexdigest(),
            }
    spec = importlib.util.find_spec("k3_decode")
    folders = spec.submodule_search_locations if spec is not None else None
    facts = {
        "python_version": platform.python_version(),
        "packages": [packages[name] for name in sorted(packages)],
        "package_folder": next(iter(folders), None) if folders is not None else None,
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
