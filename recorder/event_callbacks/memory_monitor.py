"""MemoryMonitor: logs the memory that PyTorch's allocator uses on a CUDA device."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.callbacks.rank_values import values_of_ranks
from toposcope.recorder.frameworks.torch.modules import device_of
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.values.arrays.foreign_values import short_repr

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State

_GIGABYTE = 1e9
_STATISTICS = {
    "allocated_bytes.all.current": "current_allocated_mem",
    "active_bytes.all.current": "current_active_mem",
    "inactive_split_bytes.all.current": "current_inactive_mem",
    "reserved_bytes.all.current": "current_reserved_mem",
    "allocated_bytes.all.peak": "peak_allocated_mem",
    "active_bytes.all.peak": "peak_active_mem",
    "inactive_split_bytes.all.peak": "peak_inactive_mem",
    "reserved_bytes.all.peak": "peak_reserved_mem",
    "num_alloc_retries": "alloc_retries",
}


class MemoryMonitor(EventCallback):
    """Logs statistics of PyTorch's CUDA allocator as "memory/<statistic>", before the step of the optimizer.

    The statistics are "current_..." and "peak_..." of "allocated_mem", "active_mem", "inactive_mem" (that cannot be
    released) and "reserved_mem", in gigabytes (1e9 bytes), and "alloc_retries", a count. Peaks are since the process
    started or torch.cuda.reset_peak_memory_stats(). They are those of the device of the model's first parameter, not
    rounded. A model that is not on a CUDA device is reported in one log line. A loop without microbatches, such as a
    watched one, is measured after the step.
    """

    def __init__(
        self, memory_keys: Mapping[str, str] | None = None, dist_aggregate_batch_interval: int | None = None
    ) -> None:
        """Choose the statistics.

        Args:
            memory_keys: names of torch.cuda.memory_stats() to names under which they are logged. Values of names that
                contain "bytes" are logged in gigabytes, and "bytes" in the logged name is replaced. None: those above.
            dist_aggregate_batch_interval: every so many batches the mean and the extremes over all processes are logged
                as "memory/<statistic>_avg", "..._min" and "..._max"; all processes must then have this callback.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: dist_aggregate_batch_interval is not positive.
        """
        if memory_keys is not None and not (
            isinstance(memory_keys, Mapping)
            and all(isinstance(each, str) for pair in memory_keys.items() for each in pair)
        ):
            raise TypeError(f"memory_keys must be a dict of str to str or None, not {short_repr(memory_keys)}.")
        self._keys = dict(memory_keys or _STATISTICS)
        interval = dist_aggregate_batch_interval
        if interval is not None:
            interval = checked_integer("dist_aggregate_batch_interval", interval, lowest=1)
        self._interval = interval
        self._is_logged = self._has_warned = False

    def fit_start(self, state: State, logger: Logger) -> None:
        """Warn if there is nothing to measure."""
        device = device_of(state.model)
        if getattr(device, "type", None) not in ("cuda", "meta") and not self._has_warned:
            self._has_warned = True
            where = "has no parameters of PyTorch" if device is None else f"is on {device.type}"
            log.warn(
                "The memory monitor only works on CUDA devices, but the model %s: nothing is logged. "
                "SystemMetricsMonitor logs the memory of the machine.",
                where,
            )

    def after_train_batch(self, state: State, logger: Logger) -> None:
        """Log the statistics."""
        self._is_logged = True
        self._log(state, logger, state.counter.step)

    def batch_end(self, state: State, logger: Logger) -> None:
        """Log the statistics if the loop has no AFTER_TRAIN_BATCH."""
        if not self._is_logged:
            self._log(state, logger, state.counter.step - 1)
        self._is_logged = False

    def _log(self, state: State, logger: Logger, finished: int) -> None:
        device = device_of(state.model)
        if getattr(device, "type", None) != "cuda":
            return
        torch: Any = sys.modules["torch"]
        metrics = _report(torch.cuda.memory_stats(device), self._keys)
        if self._interval is not None and finished % self._interval == 0:
            ranks = values_of_ranks(metrics)
            for name in list(metrics):
                values = [each[name] for each in ranks if name in each]
                metrics |= {f"{name}_avg": sum(values) / len(values), f"{name}_min": min(values)}
                metrics[f"{name}_max"] = max(values)
        logger.log_metrics({f"memory/{name}": value for name, value in metrics.items()})


def _report(statistics: Mapping[str, float], keys: Mapping[str, str]) -> dict[str, float]:
    report = {}
    for key, name in keys.items():
        if key in statistics:
            is_size = "bytes" in key
            report[name.replace("bytes", "gigabytes") if is_size else name] = (
                statistics[key] / _GIGABYTE if is_size else statistics[key]
            )
    return report
