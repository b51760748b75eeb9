"""Print the manifest's JSON Schema: ``python -m worker.bundle.publish > docs/bundle.schema.json``."""

import json

from worker.bundle.schema import FORMAT, Manifest


def json_schema() -> str:
    """The published JSON Schema (draft 2020-12) as indented text with a final newline."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:{FORMAT.replace('/', ':')}"}
    return json.dumps(schema | Manifest.model_json_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(json_schema(), end="")
