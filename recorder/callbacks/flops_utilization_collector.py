"""FlopsUtilizationCollector: how much of a device's peak performance the steps of a training use."""

import os
from time import perf_counter, time
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.adapters import adapter, is_module
from toposcope.recorder.arguments import checked_bool, checked_integer, checked_number
from toposcope.recorder.rank import process_rank
from toposcope.recorder.record.logged_values import logged_values
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.run_values import ValueReceiver
from toposcope.recorder.training.state.state import State
from toposcope.recorder.values.arrays.foreign_values import short_repr


class FlopsUtilizationCollector(EventCallback):
    """Measures model and hardware FLOPs utilization (MFU and HFU) of the training of a PyTorch network.

        FlopsUtilizationCollector(data_size=100, computility=312e12)

    The floating-point operations of the first step, with THOR of the second, are counted with the formulas of
    torch.utils.flop_counter: those of matrix products, convolutions and attention in the forward and backward passes.
    All steps are assumed to have as many. Activations that are computed again count for the hardware, not for the
    model; the optimizer's own products count for neither. After every data_size steps it prints, and passes to
    SummaryCollector and to loggers,

    * the mean time of a step, waiting for data included, evaluations and the counted step excluded;
    * `throughput/flops_per_second`: those of the model, per device;
    * `throughput/mfu` and `throughput/hfu`: the operations of the model and of the hardware per second, divided by
      computility; only if computility is given.

    Custom kernels without a formula are not counted. If nothing was counted, one warning says so.

    Differences from MindSpore's class: it works for any loop in eager mode and with torch.compile, and for PyTorch
    only; it prints at multiples of data_size, and the mean of the steps since the last line; evaluations are not
    measured; computility=1 means unknown, as no device has this performance.
    """

    def __init__(
        self, data_size: int, computility: float = 1, full_flops: bool = True, enable_ma_collector: bool = False
    ) -> None:
        """Set the interval and the peak performance.

        Args:
            data_size: steps between two lines.
            computility: floating-point operations that a device can perform per second, in the precision of the
                training; 1: unknown.
            full_flops: whether the operations of all processes of torch.distributed are summed, which must all have
                this callback, and divided by the performance of all devices; False: those of this process.
            enable_ma_collector: whether the operations and the times are also written to `flops_rank_<rank>.txt` and
                `time_step_rank_<rank>.txt`, in the directory of the environment variable MA_LOG_DIR or the current one.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: data_size or computility is not positive and finite.
        """
        self._interval = checked_integer("data_size", data_size, lowest=1)
        self._peak = checked_number("computility", computility)
        if self._peak <= 0:
            raise ValueError(f"computility must be positive, not {short_repr(computility)}.")
        self._sums = checked_bool("full_flops", full_flops)
        self._writes_files = checked_bool("enable_ma_collector", enable_ma_collector)
        self._count: Any = None
        self._is_counted = self._has_waited = False
        self._model = self._hardware = 0.0
        self._began, self._steps, self._paused, self._last_end = 0.0, 0, 0.0, 0.0

    def fit_start(self, state: State, logger: Logger) -> None:
        """Check that the network is one of PyTorch, and begin to count in a loop of the user, within its first step.

        Raises:
            TypeError: it is not.
        """
        if not is_module(state.model):
            raise TypeError(
                "FlopsUtilizationCollector counts the operations of a torch.nn.Module, "
                f"not of {short_repr(state.model)}."
            )
        self._is_counted, self._has_waited, self._steps = False, False, 0
        if state.loop_sources is not None:
            self._begin_count_if_possible(state)

    def batch_start(self, state: State, logger: Logger) -> None:
        """Begin to count."""
        if not self._is_counted and state.loop_sources is None:
            self._begin_count_if_possible(state)

    def batch_end(self, state: State, logger: Logger) -> None:
        """End counting; print and record the utilization if it is due."""
        self._last_end = perf_counter()
        if self._count is not None:
            self._end_count()
        elif not self._is_counted:
            self._has_waited = True
            if state.loop_sources is not None:
                self._begin_count_if_possible(state)
        else:
            self._steps += 1
            if int(state.timestamp.batch) % self._interval == 0:
                self._report(state, logger)

    def eval_start(self, state: State, logger: Logger) -> None:
        """Stop the clock, in a loop of the user at the end of the last step: its evaluation is reported afterwards."""
        self._paused = perf_counter() if state.loop_sources is None else self._last_end

    def eval_end(self, state: State, logger: Logger) -> None:
        """Restart the clock."""
        self._began += perf_counter() - self._paused

    def close(self, state: State, logger: Logger) -> None:
        """Stop counting if the first step has not ended."""
        if self._count is not None:
            self._count.end()
            self._count = None

    def _begin_count_if_possible(self, state: State) -> None:
        """Begin to count, unless THOR observes the first step: its factors are products in the backward pass."""
        if self._has_waited or not any(getattr(each, "is_due", False) for each in state.optimizers):
            self._count = adapter("torch", "flops").FlopCount(state.optimizers)

    def _end_count(self) -> None:
        counting = adapter("torch", "flops")
        own = self._count.end()
        full, processes = counting.sum_over_processes(own)
        self._count, self._is_counted = None, True
        shown, devices = (full, processes) if self._sums else (own, 1)
        self._model, self._hardware = shown.model / devices, shown.hardware / devices
        text = f"Full model flops is {full.model}, Full hardware flops is {full.hardware}, " if self._sums else ""
        print(f"{text}Shard model flops is {own.model}, Shard hardware flops is {own.hardware}.", flush=True)
        if not own.hardware:
            log.warn("FlopsUtilizationCollector: the first step has no operations that PyTorch can count.")
        if self._writes_files:
            _write("flops", "flops", {"model_flops": own.model, "hardware_flops": own.hardware})
        self._restart()

    def _restart(self) -> None:
        adapter("torch", "flops").wait_for_devices()
        self._began = self._last_end = perf_counter()
        self._steps = 0

    def _report(self, state: State, logger: Logger) -> None:
        adapter("torch", "flops").wait_for_devices()
        seconds = (perf_counter() - self._began) / self._steps
        values = {"throughput/flops_per_second": self._model / seconds}
        line = f"Train per step time: {seconds * 1e3:5.3f} ms"
        if self._peak != 1:
            mfu, hfu = (flops / seconds / self._peak for flops in (self._model, self._hardware))
            values |= {"throughput/mfu": mfu, "throughput/hfu": hfu}
            line += f", mfu:{mfu:.2%} hfu:{hfu:.2%}"
        print(line, flush=True)
        step = int(state.timestamp.batch)
        logger.log_metrics(values)
        for receiver in state.callbacks:
            if isinstance(receiver, ValueReceiver):
                receiver.record_logged(logged_values(values), step)
        if self._writes_files:
            _write("time_step", "time_monitor", {"per_step_time": seconds * 1e3})
        self._restart()


def _write(name: str, metric: str, values: dict[str, float]) -> None:
    """Write values to a file for ModelArts, with the rank and the time in milliseconds, in place of earlier ones."""
    rank = process_rank()
    path = os.path.join(os.environ.get("MA_LOG_DIR", "."), f"{name}_rank_{rank}.txt")
    lines = [
        f'{metric}{{type="{kind}", rank_id="{rank}"}} {value} {round(time() * 1e3)}\n' for kind, value in values.items()
    ]
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as error:
        log.warn("%s could not be written: %s", path, error)
