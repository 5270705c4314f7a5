"""SpeedMonitor: logs the throughput of a training over a window of batches, and its time so far."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_integer, checked_number
from toposcope.recorder.event_callbacks.gpu_peak_flops import peak_flops
from toposcope.recorder.event_callbacks.time_unit import seconds_per
from toposcope.recorder.frameworks.torch.modules import device_of, unwrapped
from toposcope.recorder.training.data.batch import samples_of
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.values.arrays.foreign_values import short_repr

if TYPE_CHECKING:
    from toposcope.recorder.training.progress.timestamp import Timestamp
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class _Progress(NamedTuple):
    """What a training has done after a batch, since its beginning."""

    batch: int
    samples: int
    tokens: int
    seconds: float
    """Without evaluations."""
    flops: float | None
    """Since the last batch whose FLOPs were unknown; None: this one's are."""


class SpeedMonitor(EventCallback):
    """Logs batches, samples, tokens and FLOPs per second, and the time, at the end of each batch.

    * "throughput/batches_per_sec", "throughput/samples_per_sec", "throughput/tokens_per_sec" (if batches have an item
      "input_ids", or the dataset max_seq_len; with padding) and "throughput/flops_per_sec" (if the model has a method
      flops_per_batch(batch), which returns the number of floating-point operations of a training step): means over the
      last window_size batches, from batch window_size + 1 on. The time of evaluations is left out, that of waiting for
      data is not.
    * "throughput/device/...": the same divided by the number of processes.
    * "throughput/device/mfu": FLOP/s of this device as a share of its peak, if the peak is known.
    * "time/train", "time/val", "time/total": time of training, of evaluation, and of both so far, in time_unit.

    Samples, tokens and FLOPs of all processes are those of this one times the number of processes; no process waits for
    another one. The names are those of Composer's class. Unlike it, a window never includes the gap between two
    trainings, and a step that accumulates micro-batches counts the FLOPs of all of them.
    """

    def __init__(
        self, window_size: int = 100, gpu_flops_available: float | None = None, time_unit: str = "hours"
    ) -> None:
        """Set the window.

        Args:
            window_size: batches over which throughputs are averaged.
            gpu_flops_available: peak FLOP/s of one GPU in the precision of the training; 0: "mfu" is not logged. None:
                the peak of the data sheet, for known GPUs.
            time_unit: "seconds", "minutes", "hours" or "days".

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: window_size is not positive, gpu_flops_available is negative, or time_unit is another str.
        """
        self._window = checked_integer("window_size", window_size, lowest=1)
        self._peak = None if gpu_flops_available is None else checked_number("gpu_flops_available", gpu_flops_available)
        if self._peak is not None and self._peak < 0:
            raise ValueError(f"gpu_flops_available must not be negative, not {gpu_flops_available!r}.")
        self._unit = seconds_per(time_unit)
        self._history: deque[_Progress] = deque(maxlen=self._window + 1)
        self._flops_of: Callable[[Any], Any] | None = None
        self.total_eval_wct = 0.0
        """Seconds of evaluations so far."""
        self._is_restored = False

    def state_dict(self) -> dict[str, Any]:
        """Return the time of evaluations."""
        return {"total_eval_wct": self.total_eval_wct}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the time of evaluations."""
        self.total_eval_wct, self._is_restored = float(state["total_eval_wct"]), True

    def init(self, state: State, logger: Logger) -> None:
        """Forget an earlier training."""
        self._history.clear()
        if not self._is_restored:
            self.total_eval_wct = 0.0
        self._is_restored = False

    def fit_start(self, state: State, logger: Logger) -> None:
        """Look up the model's flops_per_batch; TypeError if it cannot be called."""
        self._flops_of = getattr(unwrapped(state.model), "flops_per_batch", None)
        if self._flops_of is not None and not callable(self._flops_of):
            raise TypeError(
                f"flops_per_batch of the model must be a function of a batch, not {short_repr(self._flops_of)}."
            )
        if self._flops_of is not None and self._peak is None:
            self._peak = _peak_of(state)

    def batch_end(self, state: State, logger: Logger) -> None:
        """Log the throughput over the window and the time so far."""
        self._add(state)
        seconds, evaluation = state.timestamp.total_wct.total_seconds(), self.total_eval_wct
        times = {"time/train": seconds, "time/val": evaluation, "time/total": seconds + evaluation}
        logger.log_metrics({**self._throughput(state), **{name: each / self._unit for name, each in times.items()}})

    def eval_end(self, state: State, logger: Logger) -> None:
        """Add the time of the evaluation."""
        self.total_eval_wct += state.eval_timestamp.total_wct.total_seconds()

    def _add(self, state: State) -> None:
        now, history = state.timestamp, self._history
        if history and int(now.batch) != history[-1].batch + 1:
            history.clear()
        before = history[-1].flops if history else None
        flops = self._flops(state, now)
        total = None if flops is None else (before or 0.0) + flops
        history.append(_Progress(int(now.batch), int(now.sample), int(now.token), now.total_wct.total_seconds(), total))

    def _flops(self, state: State, now: Timestamp) -> float | None:
        """Return the FLOPs of the newest step of this process; None if they are unknown."""
        if self._flops_of is None or state.batch is None:
            return None
        try:
            flops = checked_number("flops_per_batch(batch)", self._flops_of(state.batch))
        except Exception as error:
            self._flops_of = None
            log.warn("SpeedMonitor: FLOPs are no longer logged: %s: %s", type(error).__name__, error)
            return None
        samples, of_batch = int(now.sample) - int(state.previous_timestamp.sample), samples_of(state.batch)
        # In a watched run the batch is the newest micro-batch of the step.
        return flops * (samples / of_batch) if samples and of_batch else flops

    def _throughput(self, state: State) -> dict[str, float]:
        history, processes = self._history, state.device_number
        if len(history) <= self._window or (seconds := history[-1].seconds - history[0].seconds) <= 0:
            return {}
        first, last = history[0], history[-1]
        rates = {"batches_per_sec": (last.batch - first.batch) / seconds}
        rates["samples_per_sec"] = processes * (last.samples - first.samples) / seconds
        if last.tokens > first.tokens:
            rates["tokens_per_sec"] = processes * (last.tokens - first.tokens) / seconds
        if all(each.flops is not None for each in history):
            rates["flops_per_sec"] = processes * ((last.flops or 0.0) - (first.flops or 0.0)) / seconds
        throughput = {f"throughput/{name}": rate for name, rate in rates.items()}
        throughput |= {f"throughput/device/{name}": rate / processes for name, rate in rates.items()}
        if "flops_per_sec" in rates and self._peak:
            throughput["throughput/device/mfu"] = rates["flops_per_sec"] / processes / self._peak
        return throughput


def _peak_of(state: State) -> float:
    """Return the peak FLOP/s of the model's GPU; 0 if it is unknown, with a warning, or if there is none."""
    device = device_of(state.model)
    if getattr(device, "type", None) != "cuda":
        return 0.0
    torch: Any = sys.modules["torch"]
    name, precision = torch.cuda.get_device_name(device), str(state.precision)
    peak = peak_flops(name, precision)
    if peak is None:
        log.warn("SpeedMonitor: the peak FLOP/s of %s in %s are unknown: pass gpu_flops_available.", name, precision)
    return peak or 0.0
