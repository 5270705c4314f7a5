"""SystemMetricsMonitor: logs the utilization of CPUs, memory, disk, network and GPUs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from toposcope.recorder.arguments import checked_bool
from toposcope.recorder.callbacks.rank_values import values_of_ranks
from toposcope.recorder.collecting.machine.gpus import gpus_of, supported
from toposcope.recorder.collecting.machine.machine_metrics import MIN_SHARE_SECONDS, Processors, psutil_module
from toposcope.recorder.collecting.machine.metric_sources import MetricSources
from toposcope.recorder.frameworks.torch.modules import device_of
from toposcope.recorder.imported import imported
from toposcope.recorder.training.events.event_callback import EventCallback

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class SystemMetricsMonitor(EventCallback):
    """Logs metrics of the machine at the beginning of batches of training, evaluation and prediction.

    * "cpu_percentage": utilization of all CPUs since the last measurement, 0 to 100.
    * "cpu_memory_total", "cpu_memory_available", "cpu_memory_percent", "cpu_memory_used", ...: memory of the machine in
      bytes, as psutil.virtual_memory() names it.
    * "disk_memory_total", "disk_memory_used", "disk_memory_free", "disk_memory_percent": of the root file system, in
      bytes.
    * "network_bytes_sent", "network_bytes_recv", "network_packets_sent", ...: of all interfaces since the machine
      started, as psutil.net_io_counters() names them.
    * "min_gpu_percentage_rank_<r>" and "max_...": the lowest and the highest share of time in which the GPU of a
      process was busy, with the rank of that process; likewise "memory_percentage" (share of time in which its memory
      was accessed), "gpu_temperature_C" and "gpu_power_usage_W". With log_all_data "gpu_percentage_rank_<r>" of each.

    The names are those of Composer's class. Unlike it, values are measured at most ten times per second, as percentages
    over a shorter time mean little, and are logged when they are new; the GPU of a process is the one that its model
    uses. Without psutil only GPUs are measured, and what a driver does not support is left out. GPUs of several
    processes are compared at every batch, which all of them must reach.
    """

    def __init__(self, log_all_data: bool = False) -> None:
        """Set whether the metrics of all GPUs are logged; TypeError if log_all_data is not a bool."""
        self._logs_all = checked_bool("log_all_data", log_all_data)
        self._machine: MetricSources | None = None
        self._gpu: MetricSources | None = None
        self._measured_at: float | None = None
        self._gpu_metrics: dict[str, float] = {}

    def batch_start(self, state: State, logger: Logger) -> None:
        """Log the metrics."""
        self._log(state, logger)

    def eval_batch_start(self, state: State, logger: Logger) -> None:
        """Log the metrics."""
        self._log(state, logger)

    def predict_batch_start(self, state: State, logger: Logger) -> None:
        """Log the metrics."""
        self._log(state, logger)

    def close(self, state: State, logger: Logger) -> None:
        """Stop measuring."""
        self._machine = self._gpu = self._measured_at = None

    def _log(self, state: State, logger: Logger) -> None:
        if self._machine is None or self._gpu is None:
            self._machine, self._gpu = _machine_sources(), _gpu_sources(state.model)
        machine = self._measure(self._machine, self._gpu)
        ranks = values_of_ranks(self._gpu_metrics)
        if machine is not None:
            metrics = machine | (_all_of(ranks) if self._logs_all else _extremes_of(ranks))
            if metrics:
                logger.log_metrics(metrics)

    def _measure(self, machine: MetricSources, gpu: MetricSources) -> dict[str, float] | None:
        """Measure the GPU, and return the metrics of the machine; None if the last measurement is very recent."""
        if self._measured_at is None:
            time.sleep(MIN_SHARE_SECONDS)  # Only the first time.
        elif time.monotonic() - self._measured_at < MIN_SHARE_SECONDS:
            return None
        self._measured_at = time.monotonic()
        self._gpu_metrics = gpu.measure()
        return machine.measure()


def _machine_sources() -> MetricSources:
    psutil = psutil_module()
    if psutil is None:
        return MetricSources({})
    processors = Processors(psutil)
    return MetricSources(
        {
            "CPU": lambda: _cpu_percentage(processors),
            "Memory": lambda: _named("cpu_memory", psutil.virtual_memory()),
            "Disk": lambda: _named("disk_memory", psutil.disk_usage(os.sep)),
            "Network": lambda: _named("network", psutil.net_io_counters()),
        }
    )


def _cpu_percentage(processors: Processors) -> dict[str, float]:
    percentage = processors.measure().get("machine/cpu_percent")
    return {} if percentage is None else {"cpu_percentage": percentage}


def _named(prefix: str, values: Any) -> dict[str, float]:
    """Return a named tuple of psutil as metrics; {} for None, on a machine that has no such device."""
    return {} if values is None else {f"{prefix}_{name}": value for name, value in values._asdict().items()}


def _gpu_sources(model: Any) -> MetricSources:
    torch: Any = imported("torch")
    gpus = gpus_of(os.environ) if torch is not None and torch.cuda.is_available() else []
    if not gpus:
        return MetricSources({})
    number = getattr(device_of(model), "index", None) or 0
    # A process with a LOCAL_RANK has one GPU.
    readers = supported(_readers(import_module("pynvml"), gpus[number if number < len(gpus) else 0].handle))
    return MetricSources({"GPU": lambda: {name: float(read()) for name, read in readers.items()}})


def _readers(nvml: ModuleType, handle: Any) -> dict[str, Callable[[], float]]:
    return {
        "gpu_percentage": lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu,
        "memory_percentage": lambda: nvml.nvmlDeviceGetUtilizationRates(handle).memory,
        "gpu_temperature_C": lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
        "gpu_power_usage_W": lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
    }


def _all_of(ranks: list[dict[str, float]]) -> dict[str, float]:
    return {f"{name}_rank_{rank}": value for rank, metrics in enumerate(ranks) for name, value in metrics.items()}


def _extremes_of(ranks: list[dict[str, float]]) -> dict[str, float]:
    """Return the lowest and the highest value of each metric, named with the first rank that has it."""
    extremes: dict[str, float] = {}
    for name in dict.fromkeys(name for metrics in ranks for name in metrics):
        values = {rank: metrics[name] for rank, metrics in enumerate(ranks) if name in metrics}
        lowest, highest = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
        extremes[f"min_{name}_rank_{lowest}"] = values[lowest]
        extremes[f"max_{name}_rank_{highest}"] = values[highest]
    return extremes
