"""The last step that earlier recordings have left in a directory."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.event_files import loss_run, tensorboard_event, version_event, write_run

from toposcope.recorder import SummaryRecord
from toposcope.recorder.writing.files.earlier_recordings import last_recorded_step


def test_last_step_is_that_of_the_newest_file_with_steps(tmp_path: Path) -> None:
    """Files without a step above 0 do not count."""
    loss_run(tmp_path, range(1, 200), seconds=1)
    loss_run(tmp_path, range(41, 56), seconds=2)
    loss_run(tmp_path, [0], seconds=3)
    write_run(tmp_path, [], seconds=4)

    assert last_recorded_step(str(tmp_path), 0) == 55


def test_files_of_other_ranks_and_programs_do_not_count(tmp_path: Path) -> None:
    """Nor lineage files, nor files that are not event files; a missing directory has no steps."""
    loss_run(tmp_path, range(5), rank=1)
    (tmp_path / "events.out.tfevents.9.host").write_bytes(tensorboard_event(1.0, 7, {"loss": 1.0}))
    (tmp_path / "events.out.events.summary.9.0.host_lineage").write_bytes(version_event())
    (tmp_path / "notes.txt").write_text("step 9")

    assert last_recorded_step(str(tmp_path), 0) is None
    assert last_recorded_step(str(tmp_path), 1) == 4
    assert last_recorded_step(str(tmp_path / "none"), 0) is None


def test_large_records_at_the_end_are_skipped(tmp_path: Path) -> None:
    """The last MiB is searched if the last 64 KiB contain no summary."""
    with SummaryRecord(tmp_path) as recorder:
        for step in range(1, 56):
            recorder.add_value("scalar", "loss", 1.0)
            recorder.record(step)
        recorder.add_value("tensor", "weights", np.zeros(50_000, np.float32))
        recorder.record(0)

    assert last_recorded_step(str(tmp_path), 0) == 55


@given(cut=st.integers(0, 3000), rest=st.binary(max_size=50))
def test_torn_and_damaged_ends_are_read_as_far_as_possible(
    tmp_path_factory: pytest.TempPathFactory, cut: int, rest: bytes
) -> None:
    """No content raises; the step is one that was recorded."""
    directory = tmp_path_factory.mktemp("run")
    path = loss_run(directory, range(1, 56))
    path.write_bytes(path.read_bytes()[: -cut or None] + rest)

    step = last_recorded_step(str(directory), 0)

    assert step is None or 1 <= step <= 55
    if not cut and not rest:
        assert step == 55
