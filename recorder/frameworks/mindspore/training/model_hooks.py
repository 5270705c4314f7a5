"""ModelHooks: calls the hooks of our MindSpore-style callbacks when mindspore.Model calls its own."""

from collections.abc import Iterator
from typing import Any

from toposcope.recorder.frameworks.mindspore.facts.cell import loss_in, optimizer_in
from toposcope.recorder.frameworks.mindspore.training.live_params import LiveParams
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.hooks import Hooks, Phase
from toposcope.recorder.training.run_context import CallbackParams, RunContext


class ModelContext(RunContext):
    """MindSpore's own RunContext, with our view of its facts."""

    def __init__(self, theirs: Any) -> None:
        super().__init__(_view_of(theirs.original_args()))
        self._theirs = theirs

    def request_stop(self) -> None:
        """Ask MindSpore to end the training, or the evaluation, after this step."""
        self._theirs.request_stop()

    def get_stop_requested(self) -> bool:
        """Say whether any callback, MindSpore's too, asked for a stop."""
        return bool(self._theirs.get_stop_requested())


class ModelHooks(Hooks):
    """Remembers the training and perhaps the evaluation in it; the facts of both are MindSpore's."""

    _due: str | None = None

    @property
    def depth(self) -> int:
        """How many phases are open: 2 in an evaluation inside fit()."""
        return len(self._phases)

    def begin_phase(self) -> None:
        """Enter the callbacks: all of them, or in a training those that take part in its evaluations."""
        callbacks = [callback for callback in self._callbacks() if not self._phases or callback.runs_in_fit_evaluation]
        try:
            self._enter(RunContext({}), callbacks)
        except BaseException as error:
            # MindSpore leaves nothing that it could not enter.
            self.end_phase(error)
            raise

    def show(self, theirs: Any) -> CallbackParams:
        """Take MindSpore's RunContext in the newest phase; return the facts that its callbacks see."""
        phase = self._phases[-1]
        if not isinstance(phase.context, ModelContext):
            phase.context = ModelContext(theirs)
        self.params = phase.context.original_args()
        return self.params

    def stop_training(self) -> None:
        """Ask the training to stop, in which an evaluation may run now."""
        self._phases[0].context.request_stop()

    def expect(self, hook: str) -> None:
        """Let the next event call a hook."""
        self._due = hook

    def call_all(self, hook: str) -> None:
        """Call a hook of every callback, for which there is no event."""
        for callback in self._callbacks():
            self.call(callback, hook)

    def hooks_at(self, event: Event) -> Iterator[str]:
        """Yield the hook that MindSpore calls now."""
        if (hook := self._due) is not None:
            self._due = None
            yield hook

    def _restore(self, phase: Phase) -> None:
        """Change nothing: MindSpore gives back itself what the evaluation has borrowed."""


def _view_of(theirs: Any) -> LiveParams:
    def network() -> Any:
        return theirs.get("train_network")

    return LiveParams(
        theirs,
        {
            "list_callback": _with_ours,
            # MindSpore leaves them out when the network brings its own.
            "optimizer": lambda given: optimizer_in(network()) if given is None else given,
            "loss_fn": lambda given: loss_in(network()) if given is None else given,
        },
    )


def _with_ours(callbacks: list[Any]) -> list[Callback]:
    """Return MindSpore's list, with our callbacks where their bridges stand."""
    return [callback for one in callbacks for callback in getattr(one, "bridged_callbacks", [one])]
