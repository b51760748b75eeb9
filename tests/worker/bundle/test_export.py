import io
import stat
import zipfile

import pytest

from worker.bundle import BundleError, read
from worker.bundle.export import export, import_archive


def test_export_and_import_give_the_same_bundle(bundle, tmp_path):
    archive = export(bundle, tmp_path / "x.byogpu")
    again = import_archive(archive, tmp_path / "again")
    assert again.id == bundle.id
    assert read(tmp_path / "again").manifest == bundle.manifest


def test_export_is_deterministic_and_never_overwrites(bundle, tmp_path):
    first = export(bundle, tmp_path / "a.byogpu").read_bytes()
    assert export(bundle, tmp_path / "b.byogpu").read_bytes() == first
    with pytest.raises(BundleError) as caught:
        export(bundle, tmp_path / "a.byogpu")
    assert caught.value.code == "export_exists"
    assert not list(tmp_path.glob("*.partial"))


def parts(bundle):
    blob = bundle.manifest.files[0].sha256
    data = (bundle.blobs.folder / "blobs" / blob).read_bytes()
    return {"manifest.json": bundle.manifest_bytes, f"blobs/{blob}": data}, f"blobs/{blob}"


def entry(name, *, mode=0o644, kind=stat.S_IFREG):
    info = zipfile.ZipInfo(name)
    info.external_attr = (kind | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def archive(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for info, data in entries:
            target.writestr(info, data)
    return path


def hostile(extra_entry, data=b"x"):
    return lambda good, blob: [*[(entry(n), d) for n, d in good.items()], (extra_entry, data)]


CASES = {
    "traversal": (hostile(entry("../evil")), "archive_entry_refused"),
    "absolute": (hostile(entry("/etc/passwd")), "archive_entry_refused"),
    "backslash": (hostile(entry("blobs\\..\\evil")), "archive_entry_refused"),
    "case": (hostile(entry("MANIFEST.json")), "archive_entry_refused"),
    "folder": (hostile(entry("blobs/")), "archive_entry_refused"),
    "unlisted": (hostile(entry("blobs/" + "0" * 64)), "archive_entry_refused"),
    "newline": (hostile(entry("blobs/" + "0" * 64 + "\n")), "archive_entry_refused"),
    "symlink": (lambda g, b: [(entry(n, kind=stat.S_IFLNK), d) for n, d in g.items()], "archive_entry_refused"),
    "device": (lambda g, b: [(entry(n, kind=stat.S_IFCHR), d) for n, d in g.items()], "archive_entry_refused"),
    "no manifest": (lambda g, b: [(entry(b), g[b])], "archive_invalid"),
    "no blob": (lambda g, b: [(entry("manifest.json"), g["manifest.json"])], "blob_missing"),
    "empty blob": (lambda g, b: [(entry("manifest.json"), g["manifest.json"]), (entry(b), b"")], "blob_corrupt"),
    "longer blob": (
        lambda g, b: [(entry("manifest.json"), g["manifest.json"]), (entry(b), g[b] + b"x")],
        "archive_entry_refused",
    ),
    "other blob": (
        lambda g, b: [(entry("manifest.json"), g["manifest.json"]), (entry(b), b"y" * len(g[b]))],
        "blob_corrupt",
    ),
    "bomb": (
        lambda g, b: [(entry("manifest.json"), b" " * 3_900_000), (entry(b), g[b])],
        "archive_bomb",
    ),
    "huge manifest": (
        lambda g, b: [(entry("manifest.json"), b" " * 4_100_000), (entry(b), g[b])],
        "archive_bomb",
    ),
    "many entries": (
        lambda g, b: [*[(entry(n), d) for n, d in g.items()], *[(entry(f"blobs/{n:064x}"), b"") for n in range(2_001)]],
        "archive_entry_refused",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_hostile_archives_are_refused_and_leave_nothing(case, bundle, tmp_path):
    build, code = CASES[case]
    good, blob = parts(bundle)
    path = archive(tmp_path / "x.byogpu", build(good, blob))
    with pytest.raises(BundleError) as caught:
        import_archive(path, tmp_path / "out")
    assert caught.value.code == code
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bundle", "x.byogpu"]


def test_duplicate_names_are_refused(bundle, tmp_path):
    good, _ = parts(bundle)
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = archive(tmp_path / "x.byogpu", [(entry("manifest.json"), good["manifest.json"])] * 2)
    with pytest.raises(BundleError) as caught:
        import_archive(path, tmp_path / "out")
    assert caught.value.code == "archive_entry_refused"


def test_lying_sizes_are_counted_not_believed(bundle, tmp_path):
    good, blob = parts(bundle)
    path = archive(tmp_path / "x.byogpu", [(entry(n), d) for n, d in good.items()])
    data = bytearray(path.read_bytes())
    size = len(good[blob]).to_bytes(4, "little")
    at = data.rfind(size)
    data[at : at + 4] = (5).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    with pytest.raises(BundleError):
        import_archive(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("damage", ["truncated", "garbage", "empty", "flipped"])
def test_damaged_archives_are_refused(damage, bundle, tmp_path):
    whole = export(bundle, tmp_path / "good.byogpu").read_bytes()
    middle = whole.find(b"blobs/") + 90
    data = {
        "truncated": whole[: len(whole) // 2],
        "garbage": b"\x00garbage" * 100,
        "empty": b"",
        "flipped": whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :],
    }[damage]
    path = tmp_path / "bad.byogpu"
    path.write_bytes(data)
    with pytest.raises(BundleError):
        import_archive(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_existing_folder_is_never_touched(bundle, tmp_path):
    path = export(bundle, tmp_path / "x.byogpu")
    with pytest.raises(BundleError) as caught:
        import_archive(path, bundle.blobs.folder)
    assert caught.value.code == "folder_exists"


def test_encrypted_flag_is_refused(bundle, tmp_path):
    data = bytearray(export(bundle, tmp_path / "x.byogpu").read_bytes())
    central = data.find(b"PK\x01\x02")
    data[central + 8] |= 1
    (tmp_path / "y.byogpu").write_bytes(bytes(data))
    with pytest.raises(BundleError) as caught:
        import_archive(tmp_path / "y.byogpu", tmp_path / "out")
    assert caught.value.code == "archive_entry_refused"
    assert zipfile.is_zipfile(io.BytesIO(bytes(data)))
