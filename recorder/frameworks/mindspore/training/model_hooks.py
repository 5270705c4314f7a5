"""ModelHooks: calls the hooks of our MindSpore-style callbacks when mindspore.Model calls its own."""

from collections.abc import Iterator
from typing import Any

from toposcope.recorder.frameworks.mindspore.facts.cell import loss_in, optimizer_in
from toposcope.recorder.frameworks.mindspore.training.live_params import LiveParams
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.hooks import Hooks, Phase
from toposcope.recorder.training.events.run_context import CallbackParams, RunContext
from toposcope.recorder.training.progress.event import Event


class ModelContext(RunContext):
    """A RunContext that views MindSpore's own."""

    def __init__(self, mindspore_context: Any, hooks: "ModelHooks") -> None:
        super().__init__(_view_of(mindspore_context.original_args(), hooks))
        self._mindspore_context = mindspore_context

    def request_stop(self) -> None:
        """Request MindSpore to end the training, or the evaluation, after this step."""
        self._mindspore_context.request_stop()

    def get_stop_requested(self) -> bool:
        """Return whether any callback, including MindSpore's, has requested a stop."""
        return bool(self._mindspore_context.get_stop_requested())


class ModelHooks(Hooks):
    """Hooks of a training and of an evaluation inside it; the facts of both are MindSpore's."""

    _due: str | None = None
    earlier_steps = 0
    """Steps trained before, which MindSpore does not count: callbacks read the sum as cur_step_num."""

    @property
    def depth(self) -> int:
        """The number of open phases: 2 in an evaluation inside fit()."""
        return len(self._phases)

    def begin_phase(self) -> None:
        """Enter the callbacks: all of them, or inside a training those that run in its evaluations."""
        callbacks = [callback for callback in self._callbacks() if not self._phases or callback.runs_in_fit_evaluation]
        try:
            self._enter(RunContext({}), callbacks)
        except BaseException as error:
            # MindSpore does not exit a callback that it failed to enter.
            self.end_phase(error)
            raise

    def show(self, mindspore_context: Any) -> CallbackParams:
        """Use MindSpore's RunContext in the newest phase; return the facts that its callbacks read."""
        phase = self._phases[-1]
        if not isinstance(phase.context, ModelContext):
            phase.context = ModelContext(mindspore_context, self)
        self.params = phase.context.original_args()
        return self.params

    def stop_training(self) -> None:
        """Request a stop of the training, inside which an evaluation may be running."""
        self._phases[0].context.request_stop()

    def expect(self, hook: str) -> None:
        """Set the hook that the next event calls."""
        self._due = hook

    def call_all(self, hook: str) -> None:
        """Call a hook that has no event, for every callback."""
        for callback in self._callbacks():
            self.call(callback, hook)

    def hook_of_step(self, event: Event) -> str | None:
        """Return the hook that MindSpore is calling."""
        return next(self.hooks_at(event), None)

    def hooks_at(self, event: Event) -> Iterator[str]:
        """Yield the hook that MindSpore is calling."""
        if (hook := self._due) is not None:
            self._due = None
            yield hook

    def _restore(self, phase: Phase) -> None:
        """Do nothing: MindSpore itself restores what the evaluation has changed."""


def _view_of(cb_params: Any, hooks: ModelHooks) -> LiveParams:
    def network() -> Any:
        return cb_params.get("train_network")

    def counted(step: int) -> int:
        # An evaluation inside a training uses the same key.
        return step + hooks.earlier_steps if cb_params.get("mode") == "train" else step

    return LiveParams(
        cb_params,
        {
            "list_callback": _with_ours,
            "cur_step_num": counted,
            # MindSpore leaves them out if the network contains its own.
            "optimizer": lambda optimizer: optimizer_in(network()) if optimizer is None else optimizer,
            "loss_fn": lambda loss_fn: loss_in(network()) if loss_fn is None else loss_fn,
        },
    )


def _with_ours(callbacks: list[Any]) -> list[Callback]:
    """Return MindSpore's list with each bridge replaced by its callbacks."""
    return [callback for each in callbacks for callback in getattr(each, "bridged_callbacks", [each])]
