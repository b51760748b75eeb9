"""Archives that somebody built to break the reader: each is refused with its code, and leaves nothing behind.

An archive is either made of entries that no export has, or is a good one of which bytes were changed.
"""

import stat
import struct
import warnings
import zipfile
from collections.abc import Callable

import pytest

from worker.bundle import BundleError
from worker.bundle.export import export, import_archive

BLOB = "blobs/" + "0" * 64


def parts(bundle):
    """The files of a good archive, and the name of its one blob."""
    blob = bundle.manifest.files[0].sha256
    data = (bundle.blobs.folder / "blobs" / blob).read_bytes()
    return {"manifest.json": bundle.manifest_bytes, f"blobs/{blob}": data}, f"blobs/{blob}"


def entry(name, *, kind=stat.S_IFREG, compression=zipfile.ZIP_DEFLATED):
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | 0o644) << 16
    info.compress_type = compression
    return info


def plus(name, data=b"x", **how):
    """A good archive with one entry more."""
    return lambda good, blob: [*[(entry(n), d) for n, d in good.items()], (entry(name, **how), data)]


def all_are(**how):
    return lambda good, blob: [(entry(n, **how), d) for n, d in good.items()]


def instead(manifest=None, blob_data=None):
    """A good archive with another manifest or another blob: functions of the good ones."""
    return lambda good, blob: [
        (entry("manifest.json"), good["manifest.json"] if manifest is None else manifest(good["manifest.json"])),
        (entry(blob), good[blob] if blob_data is None else blob_data(good[blob])),
    ]


REFUSED, INVALID = "archive_entry_refused", "archive_invalid"
ENTRIES = {
    "traversal": (plus("../evil"), REFUSED),
    "traversal inside blobs": (plus("blobs/../../evil"), REFUSED),
    "absolute": (plus("/etc/passwd"), REFUSED),
    "drive": (plus("C:\\evil"), REFUSED),
    "backslash": (plus("blobs\\..\\evil"), REFUSED),
    "dot before a name": (plus("./envelope.json"), REFUSED),
    "doubled slash": (plus("blobs//" + "0" * 64), REFUSED),
    "another case": (plus("MANIFEST.json"), REFUSED),
    "upper-case digest": (plus("blobs/" + "A" * 64), REFUSED),
    "full-width digits": (plus("blobs/" + "\uff10" * 64), REFUSED),
    "right-to-left name": (plus("blobs/\u202e" + "0" * 63), REFUSED),
    "blank behind a name": (plus("envelope.json "), REFUSED),
    "newline behind a name": (plus(BLOB + "\n"), REFUSED),
    "name of 60,000 characters": (plus("blobs/" + "0" * 60_000), REFUSED),
    "folder": (plus("blobs/"), REFUSED),
    "nested archive": (plus("inner.zip", b"PK\x05\x06" + bytes(18)), REFUSED),
    "unlisted blob": (plus(BLOB), REFUSED),
    "envelope of a megabyte": (plus("envelope.json", b"{" + b" " * 1_000_000 + b"}"), REFUSED),
    "links": (all_are(kind=stat.S_IFLNK), REFUSED),
    "character devices": (all_are(kind=stat.S_IFCHR), REFUSED),
    "block devices": (all_are(kind=stat.S_IFBLK), REFUSED),
    "pipes": (all_are(kind=stat.S_IFIFO), REFUSED),
    "sockets": (all_are(kind=stat.S_IFSOCK), REFUSED),
    "lzma": (all_are(compression=zipfile.ZIP_LZMA), REFUSED),
    "bzip2": (all_are(compression=zipfile.ZIP_BZIP2), REFUSED),
    "two thousand entries": (
        lambda good, blob: [*plus(BLOB)(good, blob), *[(entry(f"blobs/{n:064x}"), b"") for n in range(1, 2_001)]],
        REFUSED,
    ),
    "no manifest": (lambda good, blob: [(entry(blob), good[blob])], INVALID),
    "no entry": (lambda good, blob: [], INVALID),
    "no blob": (lambda good, blob: [(entry("manifest.json"), good["manifest.json"])], "blob_missing"),
    "empty blob": (instead(blob_data=lambda data: b""), "blob_corrupt"),
    "shorter blob": (instead(blob_data=lambda data: data[:-1]), "blob_corrupt"),
    "longer blob": (instead(blob_data=lambda data: data + b"x"), REFUSED),
    "another blob": (instead(blob_data=lambda data: b"y" * len(data)), "blob_corrupt"),
    "bomb in the blob": (instead(blob_data=lambda data: bytes(50_000_000)), REFUSED),
    "bomb in the manifest": (instead(lambda data: b" " * 3_900_000), "archive_bomb"),
    "manifest too large": (instead(lambda data: b" " * 4_100_000), "archive_bomb"),
    "empty manifest": (instead(lambda data: b""), "json_invalid"),
    "manifest with a byte order mark": (instead(lambda data: b"\xef\xbb\xbf" + data), "json_invalid"),
    "manifest nested deeply": (instead(lambda data: b"[" * 100_000), "json_invalid"),
    "manifest with a key twice": (instead(lambda data: data[:-1] + b',"origin":1}'), "json_invalid"),
    "manifest with a field more": (instead(lambda data: data[:-1] + b',"zzz":1}'), "manifest_invalid"),
    "manifest with blanks": (instead(lambda data: data.replace(b":", b": ", 1)), "manifest_not_canonical"),
}


def patched(signature: bytes, offset: int, value: bytes) -> Callable[[bytes], bytes]:
    """Change bytes at an offset behind the first header of a kind."""

    def change(whole: bytes) -> bytes:
        at = whole.find(signature) + offset
        return whole[:at] + value + whole[at + len(value) :]

    return change


LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
BYTES = {
    "truncated": (lambda whole: whole[: len(whole) // 2], INVALID),
    "last byte gone": (lambda whole: whole[:-1], INVALID),
    "garbage": (lambda whole: b"\x00garbage" * 100, INVALID),
    "empty": (lambda whole: b"", INVALID),
    "another format": (lambda whole: b"\x1f\x8b\x08" + whole[3:-22], INVALID),
    "encrypted": (patched(CENTRAL, 8, b"\x01\x00"), REFUSED),
    "unknown compression": (patched(CENTRAL, 10, struct.pack("<H", 77)), REFUSED),
    "name not UTF-8": (
        lambda whole: patched(CENTRAL, 46, b"\xff\xfe")(patched(CENTRAL, 8, b"\x00\x08")(whole)),
        INVALID,
    ),
    "name with NUL": (patched(CENTRAL, 46, b"\x00"), REFUSED),
    "headers disagree about the name": (patched(LOCAL, 30, b"M"), INVALID),
    "offset behind the end": (patched(CENTRAL, 42, struct.pack("<L", 0x7FFFFFFF)), INVALID),
    "wrong checksum": (patched(CENTRAL, 16, struct.pack("<L", 1)), INVALID),
    "less claimed than there is": (patched(CENTRAL, 24, struct.pack("<L", 5)), None),
    "four gigabytes claimed": (patched(CENTRAL, 24, struct.pack("<L", 0xFFFFFFF0)), None),
    "more entries claimed": (patched(END, 8, struct.pack("<HH", 9, 9)), None),
    "directory behind the end": (patched(END, 16, struct.pack("<L", 0x7FFFFFFF)), INVALID),
    "split over disks": (patched(END, 4, struct.pack("<HH", 1, 1)), None),
}
"""None: whether Python's reader takes it depends on its version; it is refused, or gives the bundle unchanged."""


def test_there_are_as_many_as_there_should_be():
    assert len(ENTRIES) + len(BYTES) >= 30


@pytest.mark.parametrize("name", ENTRIES)
def test_entries_that_no_export_has(name, bundle, tmp_path):
    build, code = ENTRIES[name]
    good, blob = parts(bundle)
    path = tmp_path / "x.byogpu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for info, data in build(good, blob):
            target.writestr(info, data)
    with pytest.raises(BundleError) as caught:
        import_archive(path, tmp_path / "out")
    assert caught.value.code == code
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bundle", "x.byogpu"]


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_were_changed(name, bundle, tmp_path):
    change, code = BYTES[name]
    path = tmp_path / "x.byogpu"
    path.write_bytes(change(export(bundle, tmp_path / "good.byogpu").read_bytes()))
    try:
        read = import_archive(path, tmp_path / "out")
    except BundleError as error:
        found = error.code
        assert not (tmp_path / "out").exists()
        assert not list(tmp_path.glob(".import-*"))
    else:
        found = None
        assert read.id == bundle.id
    assert found == code if code is not None else found in (None, INVALID, REFUSED, "blob_corrupt")


def test_names_that_occur_twice_are_refused(bundle, tmp_path):
    good, _ = parts(bundle)
    path = tmp_path / "x.byogpu"
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as target:
        warnings.simplefilter("ignore", UserWarning)
        for _ in range(2):
            target.writestr(entry("manifest.json"), good["manifest.json"])
    with pytest.raises(BundleError) as caught:
        import_archive(path, tmp_path / "out")
    assert caught.value.code == REFUSED


def test_entries_that_share_their_bytes_give_no_more_than_they_hold(bundle, tmp_path):
    """A bomb that overlaps: every entry of the directory points at the same bytes."""
    good, _ = parts(bundle)
    path = tmp_path / "x.byogpu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in good.items():
            target.writestr(entry(name), data)
    data = bytearray(path.read_bytes())
    second = data.find(CENTRAL, data.find(CENTRAL) + 1)
    data[second + 42 : second + 46] = struct.pack("<L", 0)
    path.write_bytes(bytes(data))
    with pytest.raises(BundleError):
        import_archive(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()
