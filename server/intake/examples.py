"""Examples for the upload protocol's OpenAPI description."""

import json
from typing import Any

from server.bodies import answer
from server.intake.schemas import BundleReceipt, PartAddress, PartAddresses, PartReceipt
from server.models import UploadState

_ID = "3f0a6ce0c1b7e2a4c69a7e1b3a5b4d7cf2f0d8f6f3f4c2a1908f7e6d5c4b3a29"
_BLOB = "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab"

PART = answer(PartReceipt(sha256=_BLOB, number=2, size_bytes=611_392), description="The part is here")
_CHECKSUM = "LCa0a2j/xo/5m0U8HTBBNBNCLXBkg7+g+YpeiGJm564="
PARTS_POST: dict[str, Any] = {
    "parts": [
        {
            "number": 2,
            "size_bytes": 611_392,
            "sha256": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
        }
    ]
}
_ADDRESS = PartAddress(
    number=2,
    url=f"https://store.example/byogpu/data/{_BLOB}/5f0c1d2e3a4b5c6d?partNumber=2&X-Amz-Expires=900&X-Amz-Signature=9e0d",
    headers={"x-amz-checksum-sha256": _CHECKSUM},
)
ADDRESSES = answer(PartAddresses(parts=(_ADDRESS,)), description="Where the parts go")
POST: dict[str, Any] = {"manifest": '{"arms":[],"attempts":[],"challenge":null}', "envelope": None}


def receipt(state: UploadState, *, description: str) -> dict[str, Any]:
    """An answer with a receipt in that upload state."""
    missing = [
        {
            "sha256": _BLOB,
            "size_bytes": 9_000_000,
            "upload": {
                "part_size_bytes": 8_388_608,
                "parts": [
                    _part(1, offset=0, size_bytes=8_388_608, received=True),
                    _part(2, offset=8_388_608, size_bytes=611_392, received=False),
                ],
            },
        }
    ]
    value = {
        "bundle_id": _ID,
        "upload_state": state,
        "validation_state": "pending",
        "trust_level": None,
        "missing": missing if state == "open" else [],
        "url": f"https://byogpu.example/bundles/{_ID}",
    }
    return answer(BundleReceipt.model_validate_json(json.dumps(value)), description=description)


def _part(number: int, *, offset: int, size_bytes: int, received: bool) -> dict[str, Any]:
    url = f"/api/v1/blobs/{_BLOB}/parts/{number}"
    return {"number": number, "url": url, "offset": offset, "size_bytes": size_bytes, "received": received}
