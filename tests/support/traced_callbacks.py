"""Callbacks that record their calls, for tests."""

from types import TracebackType
from typing import Any

from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.progress.event import Event


class Events(EventCallback):
    """Records each event with the numbers of finished epochs and batches."""

    def __init__(self) -> None:
        self.trace: list[tuple[str, int, int]] = []

    def run_event(self, event: Event, state: Any, logger: Any) -> None:
        self.trace.append((event.value, int(state.timestamp.epoch), int(state.timestamp.batch)))

    def close(self, state: Any, logger: Any) -> None:
        self.trace.append(("close", int(state.timestamp.epoch), int(state.timestamp.batch)))

    @property
    def names(self) -> list[str]:
        return [name for name, *_ in self.trace]


class Traced(Callback):
    """Records each hook with the counters of the golden trace, and the values of some params."""

    def __init__(self, *param_names: str) -> None:
        self.param_names = param_names
        self.trace: list[list[Any]] = []
        self.params: dict[str, list[Any]] = {}

    def __enter__(self) -> "Traced":
        self.trace.append(["__enter__"])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.trace.append(["__exit__", str(kind.__name__ if kind else None)])

    def add(self, hook: str, run_context: RunContext) -> None:
        params = run_context.original_args()
        self.trace.append([hook, params.mode, params.get("cur_epoch_num"), params.cur_step_num, params.batch_num])
        self.params.setdefault(hook, []).append([params.get(name) for name in self.param_names])


for hook in (name for name in dir(Callback) if name.startswith("on_")):
    setattr(Traced, hook, lambda self, run_context, hook=hook: self.add(hook, run_context))
