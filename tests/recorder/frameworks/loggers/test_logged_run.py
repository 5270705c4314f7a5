"""LoggedRun: a run of a library that logs named values."""

from pathlib import Path

import pytest

from toposcope.recorder.frameworks.loggers.logged_run import LoggedRun


def test_only_the_first_process_of_several_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others create nothing."""
    for rank in ("0", "1"):
        monkeypatch.setenv("RANK", rank)
        run = LoggedRun(tmp_path / rank, collect_specified_data={"collect_machine": False})
        run.begin()
        run.end()
    assert [path.name for path in tmp_path.iterdir()] == ["0"]
    assert list(tmp_path.rglob("*summary*"))


def test_earlier_training_in_the_directory_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Unless the training continues it."""
    for initial_step in (0, 2, 0):
        run = LoggedRun(tmp_path, collect_specified_data={"collect_machine": False})
        run.begin(initial_step=initial_step)
        run.log({"loss": 0.5}, initial_step + 1)
        run.log({"loss": 0.25}, initial_step + 2)
        run.end()
    reports = [each for each in caplog.messages if "contains an earlier training" in each]

    assert len(reports) == 1
    assert "up to step 4. This one begins again" in reports[0]
