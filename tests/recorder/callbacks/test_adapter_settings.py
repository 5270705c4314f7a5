"""The settings that the adapters of other libraries share."""

import pickle
from pathlib import Path

import pytest
from support.written_events import read_payloads

from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.recorder.callbacks import LossMonitor, SummaryCollector
from toposcope.recorder.callbacks.adapter_settings import checked_settings
from toposcope.recorder.training.own_loops.driven_run import DrivenRun


def test_nothing_is_created_before_a_training(tmp_path: Path) -> None:
    """A process that records nothing leaves no empty directory."""
    settings = checked_settings(tmp_path / "runs" / "first", LossMonitor(), collect_freq=5)

    assert settings.directory == str(tmp_path / "runs" / "first")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("has_directory", [True, False])
def test_invalid_settings_raise_when_the_adapter_is_created(tmp_path: Path, has_directory: bool) -> None:
    """Not when the training begins, also if the directory is not known yet."""
    directory = tmp_path / "run" if has_directory else None

    with pytest.raises(ValueError, match="collect_freq"):
        checked_settings(directory, collect_freq=0)
    with pytest.raises(TypeError, match="collect_often"):
        checked_settings(directory, collect_often=1)
    with pytest.raises(ValueError, match="SummaryCollector"):
        checked_settings(directory, SummaryCollector(tmp_path))


def test_settings_of_the_user_precede_those_of_the_adapter(tmp_path: Path) -> None:
    """Of the collected data, of the arguments, and with keep_default_action."""
    settings = checked_settings(
        tmp_path, None, keep_default_action=False, collect_specified_data={"collect_metric": True}
    )

    assert settings.specified_data({"collect_metric": False, "collect_code": False}) == {
        "collect_metric": True,
        "collect_code": False,
    }
    assert settings.collects("collect_metric")
    assert not settings.collects("collect_graph")
    assert pickle.loads(pickle.dumps(settings)) == settings


def test_facts_are_lineage_except_those_of_the_user(tmp_path: Path) -> None:
    """custom_lineage_data is recorded by the collector already."""
    settings = checked_settings(tmp_path, None, keep_default_action=False, custom_lineage_data={"lr": 0.5})
    run = DrivenRun([settings.new_collector(str(tmp_path), {})])
    run.begin()

    settings.record_facts(run, lambda: {"lr": 0.1, "layers": 2})
    settings.record_facts(run, lambda: {"lr": 0.1})
    run.end_step(1.0)
    run.end()

    recorded = [
        entry
        for path in tmp_path.glob("*_lineage")
        for payload in read_payloads(path)
        for entry in LineageEvent.FromString(payload).user_defined_info.user_info
    ]
    assert [dict(entry.map_double) for entry in recorded if entry.map_double] == [{"lr": 0.5}]
    assert [dict(entry.map_int32) for entry in recorded if entry.map_int32] == [{"layers": 2}]


def test_facts_that_raise_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Settings are objects of the user: their failure does not end the training."""
    settings = checked_settings(tmp_path, None, keep_default_action=False)
    run = DrivenRun([settings.new_collector(str(tmp_path), {})])
    run.begin()

    settings.record_facts(run, lambda: {"lr": 1 / 0})
    run.end()

    assert "settings of the training are not recorded: ZeroDivisionError" in caplog.text
