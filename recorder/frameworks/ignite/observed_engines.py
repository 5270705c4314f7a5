"""ObservedEngines: the engines of a training with Ignite, whose checkpoints are recorded."""

import weakref
from collections.abc import Iterator, Mapping
from typing import Any

from ignite.engine import Events
from ignite.handlers.checkpoint import Checkpoint, CheckpointEvents

from toposcope.recorder.adapters import is_module
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.loggers.logged_run import LoggedRun


@guarded_hooks("_start", "_end_epoch", "_record_checkpoint")
class ObservedEngines:
    """Records the checkpoints that handlers of these engines save, and finds the network."""

    def __init__(self, run: LoggedRun) -> None:
        self._run = run
        self._engines: weakref.WeakSet[Any] = weakref.WeakSet()
        self._log_handlers: list[Any] = []
        self._trainer: Any = None
        self.is_resuming: bool | None = None
        """Whether the training began after its first iteration; None: not known."""
        self._saved: dict[int, list[Any]] = {}
        """What each Checkpoint had saved when it was last looked at, by its id."""

    def __getstate__(self) -> dict[str, Any]:
        return {"_run": self._run}

    def __setstate__(self, state: dict[str, Any]) -> None:
        ObservedEngines.__init__(self, state["_run"])

    def add(self, engine: Any, log_handler: Any) -> None:
        """Observe an engine, and remember a handler that may have a network."""
        self._log_handlers.append(log_handler)
        if engine in self._engines:
            return
        self._engines.add(engine)
        if not engine.has_registered_events(CheckpointEvents.SAVED_CHECKPOINT):
            engine.register_events(*CheckpointEvents)
        engine.add_event_handler(Events.STARTED, self._start)
        engine.add_event_handler(CheckpointEvents.SAVED_CHECKPOINT, self._record_checkpoint)

    def network(self) -> Any:
        """Return the network that is trained; None if it is unknown or one of several."""
        owners = [getattr(each, "model", None) for each in self._log_handlers]
        saved = [each for _, objects in self._checkpoints() for each in objects.values()]
        networks = {id(each): each for each in (*owners, *saved) if is_module(each)}
        return networks.popitem()[1] if len(networks) == 1 else None

    def _start(self, engine: Any) -> None:
        if self._trainer is None or self._trainer() is None:
            self._trainer = weakref.ref(engine)
        if self._trainer() is engine:
            self.is_resuming = engine.state.iteration > 0
            # Added when the training starts: after the handlers of the user, which may evaluate at the end of an epoch.
            if not engine.has_event_handler(self._end_epoch, Events.EPOCH_COMPLETED):
                engine.add_event_handler(Events.EPOCH_COMPLETED, self._end_epoch)

    def is_trainer(self, engine: Any) -> bool:
        """Return whether an engine runs the training: the one that started first, unless none has."""
        return self._trainer is None or self._trainer() in (None, engine)

    def terminate(self) -> None:
        """Stop the training after the current iteration."""
        if self._trainer is not None and (trainer := self._trainer()) is not None:
            trainer.terminate()

    def _end_epoch(self, engine: Any) -> None:
        if not self._run.is_running:  # This handler stays when the logger is closed.
            return
        self._run.end_epoch()
        if self._run.is_stop_requested:
            engine.terminate()

    def _record_checkpoint(self, engine: Any) -> None:
        trainer = self._trainer() if self._trainer is not None else engine
        for handler, _ in self._checkpoints():
            before, now = self._saved.get(id(handler), []), list(handler._saved)
            self._saved[id(handler)] = now
            for item in now:
                if item not in before:
                    score = None if handler.score_function is None else _score(handler, item.priority)
                    directory = getattr(handler.save_handler, "dirname", "")
                    path = f"{directory}/{item.filename}" if directory else item.filename
                    self._run.record_checkpoint(path, trainer.state.iteration, score=score)

    def _checkpoints(self) -> Iterator[tuple[Checkpoint, Mapping[str, Any]]]:
        """Yield the handlers that save checkpoints, and what they save, which a ModelCheckpoint is passed."""
        for engine in self._engines:
            for handlers in engine._event_handlers.values():
                for handler, arguments, _ in handlers:
                    observed = handler._parent() if hasattr(handler, "_parent") else handler
                    if isinstance(observed, Checkpoint):
                        passed = arguments[-1] if arguments and isinstance(arguments[-1], Mapping) else {}
                        yield observed, {**(observed.to_save or {}), **passed}


def _score(handler: Checkpoint, priority: float) -> str:
    return f"{handler.score_name or 'score'}: {priority:g}"
