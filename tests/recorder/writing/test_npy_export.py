"""Export of tensors as npy files."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from support.written_events import ReadEvents

from toposcope.proto.file_name import parse_file_name
from toposcope.recorder import SummaryRecord
from toposcope.recorder.writing.files import event_file

NPY: dict[str, str | None] = {"tensor_format": "npy"}


def exported(directory: Path) -> dict[str, np.ndarray]:
    """Return the exported arrays by file name."""
    return {path.name: np.load(path) for path in directory.glob("export_*/tensor/*")}


@pytest.mark.parametrize("dtype", ["?", "i8", "f2", "f8", "c8"])
def test_tensors_are_exported_unchanged(tmp_path: Path, dtype: str) -> None:
    """The file name contains tag and step; dtype and shape are preserved; other plugins are not exported."""
    original = np.arange(6).reshape(2, 3).astype(dtype)
    with SummaryRecord(tmp_path, export_options=NPY) as recorder:
        recorder.add_value("tensor", "conv1/weight:0 x", original)
        recorder.add_value("scalar", "loss", 1.0)
        recorder.add_value("histogram", "h", original.real)
        recorder.record(5)

    ((name, array),) = exported(tmp_path).items()
    assert name == "conv1%2Fweight%3A0%20x_5.npy"
    assert (array.dtype, array.tolist()) == (original.dtype, original.tolist())


def test_directory_name_contains_the_seconds_of_the_first_file(tmp_path: Path) -> None:
    """As in MindSpore, and independent of rotations."""
    with SummaryRecord(tmp_path, export_options=NPY, max_file_size=500) as recorder:
        first = parse_file_name(Path(recorder.log_dir).name)
        for step in range(10):
            recorder.add_value("tensor", "x", np.zeros(20))
            recorder.record(step)

    assert first
    assert [path.name for path in tmp_path.glob("export_*")] == [f"export_{first.seconds}"]
    assert sorted(exported(tmp_path)) == [f"x_{step}.npy" for step in range(10)]


def test_newest_tensor_of_a_step_is_kept(tmp_path: Path) -> None:
    """Writing the same tag and step again replaces the file."""
    with SummaryRecord(tmp_path, export_options=NPY) as recorder:
        for number in (1, 2):
            recorder.add_value("tensor", "x", [number])
            recorder.record(0)

    assert [array.tolist() for array in exported(tmp_path).values()] == [[2]]


def test_bfloat16_is_exported_as_float32(tmp_path: Path) -> None:
    """NumPy cannot load bfloat16."""
    with SummaryRecord(tmp_path, export_options=NPY) as recorder:
        recorder.add_value("tensor", "x", np.array([0.5, 3.0], ml_dtypes.bfloat16))
        recorder.record(0)

    (array,) = exported(tmp_path).values()
    assert array.dtype == np.float32
    assert array.tolist() == [0.5, 3.0]


def test_nothing_is_exported_by_default(tmp_path: Path) -> None:
    """Without the option, or if it is None, only event files are written."""
    choices: list[dict[str, str | None] | None] = [None, {}, {"tensor_format": None}]
    for number, options in enumerate(choices):
        with SummaryRecord(tmp_path / str(number), export_options=options) as recorder:
            recorder.add_value("tensor", "x", [1])
            recorder.record(0)

        assert len(list((tmp_path / str(number)).iterdir())) == 1


def test_tag_too_long_for_a_file_name_is_recorded_only(
    tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture
) -> None:
    """The tensor is in the event file; the failed export is logged once, and record() returns False."""
    with SummaryRecord(tmp_path, export_options=NPY) as recorder:
        for step in range(3):
            recorder.add_value("tensor", "x" * 300, [step])
            recorder.add_value("tensor", "short", [step])
            recorder.record(step)
            recorder.flush()
        assert recorder.record(3) is False

    assert len(read_events(recorder.log_dir)) == 4
    assert len(exported(tmp_path)) == 3
    assert caplog.text.count("is not exported") == caplog.text.count("306 characters") == 1


def test_ranks_export_into_separate_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recorders whose files have the same seconds do not overwrite each other's exports."""
    monkeypatch.setattr(event_file, "_next_seconds", lambda _: 1_700_000_000)
    recorders = []
    for rank in ("0", "1"):
        monkeypatch.setenv("RANK", rank)
        recorders.append(SummaryRecord(tmp_path, export_options=NPY))
    for number, recorder in enumerate(recorders):
        recorder.add_value("tensor", "x", [number])
        recorder.record(0)
        recorder.close()

    assert [np.load(tmp_path / f"export_{1_700_000_000 + rank}/tensor/x_0.npy").tolist() for rank in (0, 1)] == [
        [0],
        [1],
    ]


def test_failure_of_one_tag_is_not_hidden_by_another(tmp_path: Path) -> None:
    """With raise_exception a failed export is raised, even if later exports succeed."""
    recorder = SummaryRecord(tmp_path, raise_exception=True, export_options=NPY)
    for tag in ("x" * 300, "short"):
        recorder.add_value("tensor", tag, [1])
    recorder.record(0)

    with pytest.raises(ValueError, match="306 characters"):
        recorder.flush()
    recorder.close()
