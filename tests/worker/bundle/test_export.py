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


def test_an_existing_folder_is_never_touched(bundle, tmp_path):
    path = export(bundle, tmp_path / "x.byogpu")
    with pytest.raises(BundleError) as caught:
        import_archive(path, bundle.blobs.folder)
    assert caught.value.code == "folder_exists"
