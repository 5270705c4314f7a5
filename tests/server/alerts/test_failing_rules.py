"""Rules that cannot be looked at."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.event_files import loss_run
from support.servers import wait_until

from toposcope.recorder import SummaryRecord
from toposcope.server.alerts.alert_files import LARGEST_FILE, AlertFiles, PageRule
from toposcope.server.alerts.alerts import Alerts
from toposcope.server.alerts.raised import RaisedAlert
from toposcope.server.alerts.watch import AlertWatch
from toposcope.server.data_files.data_folder import data_files
from toposcope.server.loading.logdir import Logdir
from toposcope.server.loading.publishing.snapshot import Update
from toposcope.server.reading.series.series import Points
from toposcope.server.runs.messages.recorded_alerts import recorded_alerts as read
from toposcope.server.runs.messages.recorded_messages import RecordedMessage
from toposcope.server.runs.run import RunView
from toposcope.server.values.alert import Alert

NOTHING = Update(0, [], [], [], [])


@contextmanager
def watching(tmp_path: Path, *rules: PageRule) -> Iterator[tuple[AlertWatch, Alerts]]:
    """Watch rules for a run with a loss; end that afterwards."""
    loss_run(tmp_path / "runs/a", range(3))
    logdir = Logdir(str(tmp_path / "runs"), 0)
    logdir.step()
    alerts = Alerts(AlertFiles(data_files(str(tmp_path / "data"), "alerts", str(tmp_path / "runs"), LARGEST_FILE)))
    for rule in rules:
        alerts.make_rule(rule)
    watch = AlertWatch(None, alerts.folder, lambda: logdir.snapshot, dict)
    watch.start()
    try:
        yield watch, alerts
    finally:
        watch.stop()
        logdir.stop_loading()


def raised_after(failed: threading.Event, tmp_path: Path, when: str) -> list[RaisedAlert]:
    """Watch a rule that cannot be looked at the first time; return the alerts that it raises afterwards."""
    with watching(tmp_path, PageRule(name="rule", when=when, level="warn", made=0.0)) as (watch, alerts):
        assert failed.wait(60)
        watch.notice(NOTHING)
        return list(wait_until(lambda: alerts.current().alerts).values())


def test_an_invalid_search_keeps_no_other_rule_from_raising_alerts(tmp_path: Path) -> None:
    """Lookaround is refused when the runs are searched."""
    invalid = PageRule(name="invalid", when="loss > -1", runs="/(?=a)/", level="warn", made=0.0)
    valid = PageRule(name="valid", when="loss > -1", level="warn", made=0.0)

    with watching(tmp_path, invalid, valid) as (_, alerts):
        raised = wait_until(lambda: alerts.current().alerts)

    assert [alert.rule for alert in raised.values()] == ["valid"]


def test_a_rule_that_failed_is_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for runs that have not changed since then."""
    failed, read = threading.Event(), RunView.points

    def points(self: RunView, tag: str, rank: int, attempt: int | str | None = None) -> Points:
        if not failed.is_set():
            failed.set()
            raise OSError("the index cannot be read")
        return read(self, tag, rank, attempt)

    monkeypatch.setattr(RunView, "points", points)

    raised = raised_after(failed, tmp_path, "loss > -1")

    assert [alert.run for alert in raised] == ["a"]


def test_recorded_alerts_that_could_not_be_read_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their run need not change before its file can be read."""
    with SummaryRecord(tmp_path / "runs/b") as recorder:
        recorder.alert("Low", step=1)
    failed = threading.Event()

    def recorded_alerts(run: RunView) -> tuple[list[RecordedMessage[Alert]], list[str]]:
        if not failed.is_set():
            failed.set()
            raise OSError("the file cannot be read")
        return read(run)

    monkeypatch.setattr("toposcope.server.alerts.recorded.recorded_alerts", recorded_alerts)

    raised = raised_after(failed, tmp_path, "alert")

    assert [alert.title for alert in raised] == ["Low"]
