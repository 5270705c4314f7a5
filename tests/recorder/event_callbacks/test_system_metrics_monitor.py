"""SystemMetricsMonitor: metrics of the machine at the beginning of batches."""

import sys
from types import SimpleNamespace

import psutil
import pytest
from support.line_network import line_batches
from support.pytorch import torch
from support.tiny_training import logged_by, series, tiny_trainer

from toposcope.recorder.collecting.machine.gpus import Gpu
from toposcope.recorder.event_callbacks import SystemMetricsMonitor, system_metrics_monitor
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.watch import watch


def unsupported(handle: int) -> int:
    """Fail as NVML does for a metric that a GPU does not have."""
    raise RuntimeError("not supported")


NVML = SimpleNamespace(
    NVML_TEMPERATURE_GPU=0,
    nvmlDeviceGetUtilizationRates=lambda handle: SimpleNamespace(gpu=10 * handle, memory=handle),
    nvmlDeviceGetTemperature=lambda handle, sensor: 40 + handle,
    nvmlDeviceGetPowerUsage=unsupported,
)


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two GPUs, of which the process uses the first."""
    monkeypatch.setitem(sys.modules, "pynvml", NVML)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    both = [Gpu(0, "A", 1), Gpu(1, "B", 2)]
    monkeypatch.setattr(system_metrics_monitor, "gpus_of", lambda environment: both)


def test_metrics_of_the_machine_are_logged_even_by_the_shortest_training() -> None:
    """Names and values of psutil."""
    memory = logged_by(SystemMetricsMonitor(), max_duration="1ba")

    latest = memory.most_recent_values
    assert series(memory, "cpu_percentage") == [(0, latest["cpu_percentage"])]
    assert 0 <= latest["cpu_percentage"] <= 100
    assert latest["cpu_memory_total"] == psutil.virtual_memory().total
    assert latest["disk_memory_total"] == psutil.disk_usage("/").total
    assert latest["cpu_memory_percent"] == pytest.approx(psutil.virtual_memory().percent, abs=20)
    assert latest["network_bytes_recv"] <= psutil.net_io_counters().bytes_recv
    assert not any("gpu" in name for name in latest)


def test_percentages_over_a_very_short_time_are_not_logged() -> None:
    """A second batch within a tenth of a second has no metrics."""
    memory = InMemoryLogger()
    with watch(SystemMetricsMonitor(), loggers=memory) as run:
        for _ in range(50):
            run.step(1.0)

    assert len(series(memory, "cpu_percentage")) < 50


def test_evaluation_and_prediction_are_measured() -> None:
    """Each by a callback of its own."""
    for method in ("eval", "predict"):
        memory = InMemoryLogger()
        with tiny_trainer([SystemMetricsMonitor()], [memory], eval_dataloader=line_batches(1)) as trainer:
            trainer.eval() if method == "eval" else trainer.predict([each[:1] for each in line_batches(1)])
        assert "cpu_percentage" in memory.data


def test_extremes_of_the_gpus_name_their_rank(gpus: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process has a busier GPU that is as warm; power is not supported."""
    own = {"gpu_percentage": 10.0, "memory_percentage": 1.0, "gpu_temperature_C": 41.0}

    def of_ranks(value: dict[str, float]) -> list[dict[str, float]]:
        assert value == own
        return [value, {"gpu_percentage": 30.0, "memory_percentage": 0.0, "gpu_temperature_C": 41.0}]

    monkeypatch.setattr(system_metrics_monitor, "values_of_ranks", of_ranks)
    found = logged_by(SystemMetricsMonitor(), max_duration="1ba").most_recent_values
    assert {name: value for name, value in found.items() if "rank" in name} == {
        "min_gpu_percentage_rank_0": 10.0,
        "max_gpu_percentage_rank_1": 30.0,
        "min_memory_percentage_rank_1": 0.0,
        "max_memory_percentage_rank_0": 1.0,
        "min_gpu_temperature_C_rank_0": 41.0,
        "max_gpu_temperature_C_rank_0": 41.0,
    }

    found = logged_by(SystemMetricsMonitor(log_all_data=True), max_duration="1ba").most_recent_values
    assert {name: value for name, value in found.items() if "gpu_percentage" in name} == {
        "gpu_percentage_rank_0": 10.0,
        "gpu_percentage_rank_1": 30.0,
    }


def test_without_psutil_only_gpus_are_measured(
    gpus: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is an optional dependency."""
    monkeypatch.setitem(sys.modules, "psutil", None)
    found = logged_by(SystemMetricsMonitor(), max_duration="1ba").most_recent_values

    assert found["min_gpu_percentage_rank_0"] == found["max_gpu_percentage_rank_0"] == 10.0
    assert "cpu_percentage" not in found
    assert "psutil is not installed" in caplog.text


def test_a_source_that_fails_is_reported_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are logged; a machine without network has none."""

    def fail(path: str) -> None:
        raise OSError("no disk")

    monkeypatch.setattr(psutil, "disk_usage", fail)
    monkeypatch.setattr(psutil, "net_io_counters", lambda: None)
    memory = logged_by(SystemMetricsMonitor())

    assert caplog.text.count("no disk") == 1
    assert not any("disk" in name or "network" in name for name in memory.data)
    assert "cpu_memory_total" in memory.data


def test_log_all_data_must_be_a_bool() -> None:
    """TypeError naming it."""
    with pytest.raises(TypeError, match="log_all_data"):
        SystemMetricsMonitor(log_all_data=1)  # type: ignore[arg-type]
