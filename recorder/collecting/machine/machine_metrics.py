"""Machine metrics: the utilization of CPUs, memory, disk, network and GPUs during a training."""

import os
import time
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from toposcope.recorder import log
from toposcope.recorder.collecting.machine.gpus import GIB, gpu_readers, gpus_of, torch_memory
from toposcope.recorder.collecting.machine.metric_sources import MetricSources

MIB = 2**20

MIN_SHARE_SECONDS = 0.1
"""CPU times have a resolution of 10 ms: over a shorter interval a percentage is meaningless."""


class MachineMetrics:
    """Measures this process and its machine; the metrics are scalars by tag.

    * "machine/process_cpu_percent": CPU time of this process since the last measurement; 100 is one CPU.
    * "machine/process_memory_gib": resident memory of this process.
    * "machine/cpu_percent": utilization of all CPUs since the last measurement, 0 to 100.
    * "machine/memory_percent": share of the machine's memory that is not available, 0 to 100.
    * "machine/disk_percent": used part of the disk that the run is recorded on, 0 to 100.
    * "machine/disk_read_mib_per_second", "machine/disk_write_mib_per_second": of all disks, since the last measurement.
    * "machine/network_received_mib_per_second", "machine/network_sent_mib_per_second": likewise, of all interfaces.
    * "machine/gpu<i>/utilization_percent", ".../memory_gib", ".../temperature_celsius", ".../power_watts": for each
      NVIDIA GPU visible to the process; <i> is the index in nvidia-smi.
    * "machine/cuda<i>/allocated_gib", ".../reserved_gib": PyTorch's allocator, if it uses CUDA; <i> is PyTorch's index.

    A mebibyte (MiB) is 2**20 bytes, a gibibyte (GiB) 2**30. Metrics that the machine does not have are omitted
    silently; without psutil, memory, the machine's CPUs, disk and network are omitted with one log line.
    """

    def __init__(self, directory: str) -> None:
        """Start measuring; directory is on the disk whose use is measured."""
        self._processors = Processors(psutil_module())
        readers = gpu_readers(gpus_of(os.environ))
        self._sources = MetricSources(
            {
                "CPU": self._processors.measure,
                "Disk and network": _Traffic(self._processors.psutil, directory).measure,
                "GPU": lambda: {tag: float(read()) for tag, read in readers.items()},
                "PyTorch's CUDA memory": torch_memory,
            }
        )

    def measure(self) -> dict[str, float]:
        """Return the metrics by tag. Never raises."""
        return self._sources.measure()


class _Times(NamedTuple):
    """Clock readings in seconds."""

    wall: float
    process: float
    """CPU time of this process, summed over all CPUs."""
    busy: float
    """Busy time, summed over all CPUs."""
    total: float
    """Elapsed time, summed over all CPUs."""


class Processors:
    """Metrics of CPUs and memory; stores the times of the last measurement."""

    def __init__(self, psutil: ModuleType | None) -> None:
        """Start measuring; without psutil only the CPU time of this process is known."""
        self.psutil = psutil
        self._process = None if psutil is None else psutil.Process()
        self._before = self._times()

    def measure(self) -> dict[str, float]:
        """Return the metrics by tag; without percentages of CPUs if the last measurement is very recent."""
        now, before = self._times(), self._before
        metrics: dict[str, float] = {}
        if now.wall - before.wall >= MIN_SHARE_SECONDS:
            self._before = now
            metrics["machine/process_cpu_percent"] = _percent(now.process - before.process, now.wall - before.wall)
            if now.total > before.total:
                # The quotient of a fully busy machine is rounded.
                busy = _percent(now.busy - before.busy, now.total - before.total)
                metrics["machine/cpu_percent"] = min(100.0, busy)
        if self.psutil is not None and self._process is not None:
            metrics["machine/process_memory_gib"] = self._process.memory_info().rss / GIB
            metrics["machine/memory_percent"] = self.psutil.virtual_memory().percent
        return metrics

    def _times(self) -> _Times:
        """Read the clocks. psutil.cpu_percent() is not used, as it shares its state with the user's own calls."""
        wall, process = time.monotonic(), time.process_time()
        if self.psutil is None:
            return _Times(wall, process, 0.0, 0.0)
        times = self.psutil.cpu_times()
        # Linux includes guest time in user time as well.
        total = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
        return _Times(wall, process, total - times.idle - getattr(times, "iowait", 0.0), total)


class _Traffic:
    """Use of disk and network; stores the counters of the last measurement."""

    def __init__(self, psutil: ModuleType | None, directory: str) -> None:
        self._psutil, self._directory = psutil, directory
        self._before = self._counters()
        self._time = time.monotonic()

    def measure(self) -> dict[str, float]:
        if self._psutil is None:
            return {}
        metrics = {"machine/disk_percent": float(self._psutil.disk_usage(self._directory).percent)}
        now, counters = time.monotonic(), self._counters()
        if (seconds := now - self._time) >= MIN_SHARE_SECONDS:
            for name, count in counters.items():
                # A counter begins again at zero when a disk or an interface is removed.
                if count >= (before := self._before.get(name, count)):
                    metrics[f"machine/{name}_mib_per_second"] = (count - before) / MIB / seconds
            self._before, self._time = counters, now
        return metrics

    def _counters(self) -> dict[str, int]:
        """Return the bytes since the machine started, by name; psutil returns None on a machine without disks."""
        if self._psutil is None:
            return {}
        counters: dict[str, int] = {}
        if (disks := self._psutil.disk_io_counters()) is not None:
            counters |= {"disk_read": disks.read_bytes, "disk_write": disks.write_bytes}
        if (network := self._psutil.net_io_counters()) is not None:
            counters |= {"network_received": network.bytes_recv, "network_sent": network.bytes_sent}
        return counters


def _percent(part: float, whole: float) -> float:
    return max(0.0, 100 * part / whole)


def psutil_module() -> ModuleType | None:
    """Return psutil, None if it is not installed, with one log line."""
    try:
        return import_module("psutil")
    except ImportError:
        log.warn("CPU, memory, disk and network of the machine are not recorded: psutil is not installed.")
        return None
