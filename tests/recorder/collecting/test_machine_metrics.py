"""The metrics of the machine during a training."""

import logging
import os
import subprocess
import sys
import textwrap
import threading
import time
import timeit
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import psutil
import pytest
from support.c_libraries import compile_library
from support.pytorch import torch

from toposcope.recorder.collecting.machine.machine_metrics import MachineMetrics
from toposcope.recorder.collecting.machine.machine_thread import MachineThread
from toposcope.recorder.record.summary_record import SummaryRecord

# The NVML functions that are called, for a machine with three GPUs; the third does not support power and fails later.
NVML = r"""
    #include <stdio.h>
    typedef struct { unsigned int gpu, memory; } Utilization;
    typedef struct { unsigned long long total, free, used; } Memory;
    enum { SUCCESS = 0, NOT_SUPPORTED = 3, GPU_IS_LOST = 15 };
    static int calls = 0;
    int nvmlInit_v2(void) { return SUCCESS; }
    int nvmlInitWithFlags(unsigned int flags) { return SUCCESS; }
    int nvmlDeviceGetCount_v2(unsigned int *count) { *count = 3; return SUCCESS; }
    int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device) {
        *device = (void *)(size_t)(index + 1);
        return SUCCESS;
    }
    int nvmlDeviceGetName(void *device, char *name, unsigned int length) {
        snprintf(name, length, "%s", (size_t)device == 3 ? "Small" : "Large");
        return SUCCESS;
    }
    int nvmlDeviceGetUUID(void *device, char *uuid, unsigned int length) {
        snprintf(uuid, length, "GPU-%c000", (int)('a' + (size_t)device - 1));
        return SUCCESS;
    }
    int nvmlDeviceGetUtilizationRates(void *device, Utilization *rates) {
        if ((size_t)device == 3 && ++calls > 2) return GPU_IS_LOST;
        rates->gpu = 10 * (size_t)device;
        return SUCCESS;
    }
    int nvmlDeviceGetMemoryInfo(void *device, Memory *memory) {
        memory->used = (size_t)device * (1ull << 29);
        return SUCCESS;
    }
    int nvmlDeviceGetTemperature(void *device, int sensor, unsigned int *degrees) {
        *degrees = 40 + (size_t)device;
        return SUCCESS;
    }
    int nvmlDeviceGetPowerUsage(void *device, unsigned int *milliwatts) {
        if ((size_t)device == 3) return NOT_SUPPORTED;
        *milliwatts = 70500 * (size_t)device;
        return SUCCESS;
    }
"""


@pytest.fixture(scope="module")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a library that emulates NVML."""
    folder = tmp_path_factory.mktemp("nvml")
    (folder / "nvml.c").write_text(textwrap.dedent(NVML))
    library = folder / "libnvidia-ml.so.1"
    compile_library(folder / "nvml.c", library)
    return folder


def run_with_gpus(nvml: Path, script: str, **variables: str) -> str:
    """Run script in a child process on a machine with GPUs and return its output."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("CUDA_", "LOCAL_"))}
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(script)]
    environment |= {"LD_LIBRARY_PATH": str(nvml), **variables}
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, env=environment
    ).stdout


NUMBERS = """
    from toposcope.recorder.collecting.machine.machine_metrics import MachineMetrics
    print(*dict.fromkeys(tag.split("/")[1] for tag in MachineMetrics(".").measure() if "/gpu" in tag))
"""


def work(seconds: float) -> None:
    """Use this much CPU time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(1000))


def test_cpu_percentages_are_since_the_last_measurement() -> None:
    machine = MachineMetrics(".")
    start = time.monotonic()
    work(0.3)
    busy = 100 * 0.3 / (time.monotonic() - start)
    metrics = machine.measure()

    assert metrics["machine/process_cpu_percent"] == pytest.approx(busy, rel=0.2)
    assert 0 < metrics["machine/cpu_percent"] <= 100
    assert metrics["machine/cpu_percent"] > 0.5 * busy / psutil.cpu_count()


def test_memory_of_the_process_and_the_machine() -> None:
    machine = MachineMetrics(".")
    before = machine.measure()
    block = np.ones(2**26 // 8)
    after = machine.measure()

    growth = after["machine/process_memory_gib"] - before["machine/process_memory_gib"]
    assert growth == pytest.approx(block.nbytes / 2**30, rel=0.2)
    assert 0 < after["machine/memory_percent"] <= 100
    assert after["machine/memory_percent"] == pytest.approx(psutil.virtual_memory().percent, abs=10)


def test_percentages_over_a_very_short_time_are_omitted() -> None:
    """CPU times have a resolution of 10 ms: just after the start a percentage would be 0 or 100."""
    metrics = MachineMetrics(".").measure()

    assert set(metrics) == {"machine/process_memory_gib", "machine/memory_percent", "machine/disk_percent"}


def test_disk_and_network_are_measured(tmp_path: Path) -> None:
    """Rates are since the last measurement; a counter that began again is left out."""
    before, after = counters(read=10, sent=100), counters(read=10 + 2**21, sent=50)
    machine = MachineMetrics(str(tmp_path))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("disk_io_counters", "net_io_counters"):
            patch.setattr(psutil, name, lambda: before)
        machine = MachineMetrics(str(tmp_path))
        for name in ("disk_io_counters", "net_io_counters"):
            patch.setattr(psutil, name, lambda: after)
        start = time.monotonic()
        work(0.15)
        metrics = machine.measure()
        seconds = time.monotonic() - start

    assert metrics["machine/disk_read_mib_per_second"] == pytest.approx(2 / seconds, rel=0.2)
    assert metrics["machine/disk_write_mib_per_second"] == 0
    assert metrics["machine/network_received_mib_per_second"] == 0
    assert "machine/network_sent_mib_per_second" not in metrics
    assert metrics["machine/disk_percent"] == pytest.approx(psutil.disk_usage(str(tmp_path)).percent, abs=5)


def counters(read: int, sent: int) -> SimpleNamespace:
    """Return counters as psutil returns them."""
    return SimpleNamespace(read_bytes=read, write_bytes=0, bytes_recv=0, bytes_sent=sent)


def test_measurements_do_not_disturb_the_users_calls_of_psutil(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **keywords: object) -> float:
        raise AssertionError("its state is shared")

    monkeypatch.setattr(psutil, "cpu_percent", fail)
    machine = MachineMetrics(".")
    work(0.15)

    assert "machine/cpu_percent" in machine.measure()


def test_a_measurement_takes_less_than_a_millisecond() -> None:
    machine = MachineMetrics(".")

    seconds = timeit.repeat(machine.measure, timer=time.process_time, number=10, repeat=10)
    assert min(seconds) / 10 < 1e-3


def test_nothing_is_logged_on_a_machine_without_gpus(caplog: pytest.LogCaptureFixture) -> None:
    metrics = MachineMetrics(".").measure()

    assert not [tag for tag in metrics if "gpu" in tag or "cuda" in tag]
    assert not [record for record in caplog.records if record.name.startswith("toposcope")]


def test_without_psutil_its_metrics_are_omitted_with_one_log_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    machine = MachineMetrics(".")
    work(0.15)

    assert set(machine.measure()) == {"machine/process_cpu_percent"}
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING] == [
        "CPU, memory, disk and network of the machine are not recorded: psutil is not installed."
    ]


def test_each_gpu_has_the_metrics_that_its_driver_supports(nvml: Path) -> None:
    script = """
        from toposcope.recorder.collecting.machine.machine_metrics import MachineMetrics
        for tag, value in MachineMetrics(".").measure().items():
            if "/gpu" in tag:
                print(tag, value)
    """
    assert run_with_gpus(nvml, script).splitlines() == [
        "machine/gpu0/utilization_percent 10.0",
        "machine/gpu0/memory_gib 0.5",
        "machine/gpu0/temperature_celsius 41.0",
        "machine/gpu0/power_watts 70.5",
        "machine/gpu1/utilization_percent 20.0",
        "machine/gpu1/memory_gib 1.0",
        "machine/gpu1/temperature_celsius 42.0",
        "machine/gpu1/power_watts 141.0",
        "machine/gpu2/utilization_percent 30.0",
        "machine/gpu2/memory_gib 1.5",
        "machine/gpu2/temperature_celsius 43.0",
    ]


@pytest.mark.parametrize(
    ("variables", "gpus"),
    [
        ({"CUDA_VISIBLE_DEVICES": "2,0"}, "gpu2 gpu0"),
        ({"CUDA_VISIBLE_DEVICES": "1,-1,0"}, "gpu1"),
        ({"CUDA_VISIBLE_DEVICES": "GPU-b, GPU-a000"}, "gpu1 gpu0"),
        ({"CUDA_VISIBLE_DEVICES": "GPU-"}, ""),
        ({"CUDA_VISIBLE_DEVICES": "7"}, ""),
        ({"CUDA_VISIBLE_DEVICES": ""}, ""),
        ({"LOCAL_RANK": "1"}, "gpu1"),
        ({"CUDA_VISIBLE_DEVICES": "2,0", "LOCAL_RANK": "1"}, "gpu0"),
        ({"CUDA_VISIBLE_DEVICES": "2", "LOCAL_RANK": "1"}, "gpu2"),
    ],
)
def test_gpus_are_those_visible_to_the_process(nvml: Path, variables: dict[str, str], gpus: str) -> None:
    assert run_with_gpus(nvml, NUMBERS, **variables).strip() == gpus


def test_a_lost_gpu_ends_the_gpu_metrics_with_one_log_line(nvml: Path) -> None:
    script = """
        import logging
        logging.basicConfig(format="%(message)s")
        from toposcope.recorder.collecting.machine.machine_metrics import MachineMetrics
        machine = MachineMetrics(".")
        for _ in range(4):
            metrics = machine.measure()
            print(any("/gpu" in tag for tag in metrics), "machine/memory_percent" in metrics, flush=True)
    """
    assert run_with_gpus(nvml, script).splitlines() == [
        "True True",
        "GPU metrics are no longer recorded: NVMLError_GpuIsLost: GPU is lost",
        "False True",
        "False True",
        "False True",
    ]


def test_environment_facts_include_the_names_of_the_gpus(nvml: Path) -> None:
    script = """
        from toposcope.recorder.collecting.environment.environment import environment_facts
        print(environment_facts()["gpus"])
    """
    assert run_with_gpus(nvml, script) == "2 x Large, Small\n"


def test_memory_of_cuda_devices_in_use_is_that_of_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's functions are replaced, as there is no CUDA device."""
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: device * 2**31)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: device * 2**30)
    metrics = MachineMetrics(".").measure()

    assert {tag: value for tag, value in metrics.items() if "/cuda" in tag} == {
        "machine/cuda1/reserved_gib": 2.0,
        "machine/cuda1/allocated_gib": 1.0,
    }


def test_measuring_imports_no_framework() -> None:
    script = """
        import sys
        import toposcope.recorder.collecting.machine.machine_metrics
        assert not {"psutil", "pynvml", "torch"} & sys.modules.keys()
        toposcope.recorder.collecting.machine.machine_metrics.MachineMetrics(".").measure()
        assert "torch" not in sys.modules
    """
    subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(script)], check=True, timeout=60)


def test_an_interval_longer_than_a_thread_can_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The metrics are recorded at the beginning and at the end."""
    monkeypatch.setattr("toposcope.recorder.collecting.machine.machine_thread._FIRST_SECONDS", 0.001)
    steps, is_recorded = [], threading.Event()

    class Recorder:
        def record_apart(self, step: int, values: object) -> None:
            steps.append(step)
            is_recorded.set()

    thread = MachineThread(cast(SummaryRecord, Recorder()), str(tmp_path), 1e30, lambda: 5)
    assert is_recorded.wait(60)
    thread.end()

    assert steps == [5, 5]
    assert not caplog.records
