"""Machine figures: how busy the processors, the memory and the GPUs are while a training runs."""

import os
import time
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from toposcope.recorder import log
from toposcope.recorder.collecting.gpus import GIB, gpu_readers, gpus_of, torch_memory

_MIN_SHARE_SECONDS = 0.1  # Processor times are counted in hundredths of a second: over less, a share says nothing.


class MachineFigures:
    """Takes the figures of this process and its machine, as scalars by tag.

    * "machine/process_cpu_percent": processor time of this process since the last figures; 100 is one CPU.
    * "machine/process_memory_gib": resident memory of this process.
    * "machine/cpu_percent": share of all CPUs that was busy since the last figures, 0 to 100.
    * "machine/memory_percent": share of the machine's memory that is not available, 0 to 100.
    * "machine/gpu<i>/utilization_percent", ".../memory_gib", ".../temperature_celsius", ".../power_watts": of each
      NVIDIA GPU that the process may use; <i> is nvidia-smi's number.
    * "machine/cuda<i>/allocated_gib", ".../reserved_gib": of PyTorch's allocator, if it uses CUDA; <i> is PyTorch's.

    A gibibyte (GiB) is 2**30 bytes. What a machine does not have is left out without a word; without psutil, the
    memory and the machine's CPUs are, with one line in the log.
    """

    def __init__(self, min_seconds: float = 1.0) -> None:
        """Begin to measure.

        Args:
            min_seconds: least time between figures: GPUs renew theirs about once a second, and some drivers take
                milliseconds to tell. 0: every take() gives them.
        """
        self._min_seconds = min_seconds
        self._next = 0.0
        self._processors = _Processors(_psutil())
        readers = gpu_readers(gpus_of(os.environ))
        self._sources: dict[str, Callable[[], dict[str, float]]] = {
            "CPU": self._processors.take,
            "GPU": lambda: {tag: float(read()) for tag, read in readers.items()},
            "PyTorch's CUDA memory": torch_memory,
        }

    def take(self) -> dict[str, float]:
        """Return the figures by tag, {} within min_seconds of the last ones. Raises nothing.

        A kind of figures that fails is logged, and left out from then on.
        """
        now = time.monotonic()
        if now < self._next:
            return {}
        self._next = now + self._min_seconds
        figures: dict[str, float] = {}
        for name, source in list(self._sources.items()):
            try:
                figures |= source()
            except Exception as error:
                del self._sources[name]
                log.warn("%s figures are recorded no more: %s: %s", name, type(error).__name__, error)
        return figures


class _Times(NamedTuple):
    """Seconds since some moment."""

    wall: float
    process: float
    """In which this process ran, on all CPUs together."""
    busy: float
    """In which a CPU was busy, all of them together."""
    total: float
    """Which passed, on all CPUs together."""


class _Processors:
    """Figures of the CPUs and the memory; remembers the times of the last ones."""

    def __init__(self, psutil: ModuleType | None) -> None:
        self._psutil = psutil
        self._process = None if psutil is None else psutil.Process()
        self._before = self._times()

    def take(self) -> dict[str, float]:
        now, before = self._times(), self._before
        figures: dict[str, float] = {}
        if now.wall - before.wall >= _MIN_SHARE_SECONDS:
            self._before = now
            figures["machine/process_cpu_percent"] = _percent(now.process - before.process, now.wall - before.wall)
            if now.total > before.total:
                figures["machine/cpu_percent"] = _percent(now.busy - before.busy, now.total - before.total)
        if self._psutil is not None and self._process is not None:
            figures["machine/process_memory_gib"] = self._process.memory_info().rss / GIB
            figures["machine/memory_percent"] = self._psutil.virtual_memory().percent
        return figures

    def _times(self) -> _Times:
        """Read the clocks; psutil.cpu_percent() is not asked, whose memory the user's own calls share."""
        wall, process = time.monotonic(), time.process_time()
        if self._psutil is None:
            return _Times(wall, process, 0.0, 0.0)
        times = self._psutil.cpu_times()
        # Linux counts the time of guests as the host's own too.
        total = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
        return _Times(wall, process, total - times.idle - getattr(times, "iowait", 0.0), total)


def _percent(part: float, whole: float) -> float:
    return max(0.0, 100 * part / whole)


def _psutil() -> ModuleType | None:
    try:
        return import_module("psutil")
    except ImportError:
        log.warn("Memory and CPU of the machine are not recorded: psutil is not installed.")
        return None
