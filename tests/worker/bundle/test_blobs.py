import io

import pytest

from worker.bundle import BundleError, Draft, read, read_rows, write, write_rows
from worker.bundle.samples import StepRow

GOOD = b'{"arm":"baseline","block":0,"cell":"b1","latency_us":1.5,"start_ns":0,"step":0}\n'


def test_a_written_bundle_reads_back_whole(bundle):
    again = read(bundle.blobs.folder)
    assert (again.id, again.manifest, again.envelope) == (bundle.id, bundle.manifest, None)
    with again.blobs.open(again.manifest.files[0].sha256) as stream:
        assert [row.step for row in read_rows(stream, StepRow)] == [0, 1, 2, 3]


def test_equal_files_are_stored_once_and_listed_twice(tmp_path):
    draft = Draft(tmp_path)
    first = draft.add(GOOD, name="a", role="steps", arm="baseline")
    second = draft.add(GOOD, name="b", role="steps", arm="candidate")
    assert first.sha256 == second.sha256
    assert len(draft.files) == 2
    assert len(list((tmp_path / "blobs").iterdir())) == 1


def test_a_flipped_bit_is_found(bundle):
    path = bundle.blobs.folder / "blobs" / bundle.manifest.files[0].sha256
    data = bytearray(path.read_bytes())
    data[5] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(BundleError) as caught:
        read(bundle.blobs.folder)
    assert caught.value.code == "blob_corrupt"


def test_a_missing_blob_is_found_before_the_manifest_is_written(bundle, tmp_path):
    with pytest.raises(BundleError) as caught:
        write(tmp_path / "elsewhere", bundle.manifest)
    assert caught.value.code == "blob_missing"
    assert not (tmp_path / "elsewhere" / "manifest.json").exists()


def test_a_folder_without_manifest_is_not_a_bundle(tmp_path):
    with pytest.raises(BundleError) as caught:
        read(tmp_path)
    assert caught.value.code == "bundle_missing"


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (GOOD + b"{}\n", "line 2"),
        (GOOD * 3 + b"not json\n", "line 4"),
        (GOOD.replace(b"1.5", b"NaN"), "line 1"),
        (GOOD.replace(b"1.5", b"0"), "latency_us"),
        (GOOD.replace(b"1.5", b'"1.5"'), "latency_us"),
        (GOOD.replace(b'"block":0', b'"block":0,"block":1'), "duplicate"),
        (GOOD.replace(b'"step":0', b'"step":' + b"9" * 30), "step"),
        (GOOD.replace(b'"baseline"', b'"third"'), "arm"),
        (b"\n", "line 1"),
    ],
)
def test_a_bad_row_is_named(data, where):
    with pytest.raises(BundleError) as caught:
        list(read_rows(io.BytesIO(data), StepRow))
    assert caught.value.code == "row_invalid"
    assert where in caught.value.detail


def test_rows_are_bounded_in_length_and_number():
    with pytest.raises(BundleError) as caught:
        list(read_rows(io.BytesIO(b"[" + b" " * 1_000_001), StepRow))
    assert caught.value.code == "line_too_long"
    with pytest.raises(BundleError) as caught:
        list(read_rows(io.BytesIO(GOOD * 3), StepRow, max_rows=2))
    assert caught.value.code == "too_many_rows"


def test_rows_written_are_the_rows_read():
    rows = list(read_rows(io.BytesIO(GOOD), StepRow))
    assert write_rows(rows) == GOOD
