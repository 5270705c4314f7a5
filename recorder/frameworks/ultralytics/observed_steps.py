"""ObservedSteps: the batches and the optimizer steps of a trainer of Ultralytics, which callbacks do not receive."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.ultralytics.trainer_settings import finished_steps
from toposcope.recorder.training.data.batch import samples_of
from toposcope.recorder.training.own_loops.accumulation import Accumulation
from toposcope.recorder.training.own_loops.driven_run import DrivenRun


@guarded_hooks("observe", "begin_batch", "end_batch", "_receive_batch", "_end_step")
class ObservedSteps:
    """Reports the batches and steps of a trainer to a run.

    A hook of the network receives each batch, after Ultralytics has prepared it. A hook of the optimizer finds the
    steps while the gradients exist: Ultralytics calls its callbacks when it has cleared them. The trainer itself is
    not changed. A copy, such as that of a pickled network, observes nothing.
    """

    def __init__(self) -> None:
        self.is_stepping = False
        """Whether the optimizer has just made a step, with its current learning rates."""
        self._run: DrivenRun | None = None
        self._trainer: Any = None
        self._hooks: list[Any] = []
        self._losses: dict[str, Accumulation] = {}
        self._is_batch_open = False
        self._samples = self._finished_steps = 0

    def __reduce__(self) -> tuple[type["ObservedSteps"], tuple[()]]:
        return ObservedSteps, ()

    def observe(self, run: DrivenRun, trainer: Any) -> None:
        """Report to a run from now on."""
        self._run, self._trainer = run, trainer
        self._finished_steps = finished_steps(trainer)
        self._hooks = [
            trainer.model.register_forward_pre_hook(self._receive_batch),
            trainer.optimizer.register_step_post_hook(self._end_step),
        ]

    def stop(self) -> None:
        """Remove the hooks."""
        hooks, self._hooks = self._hooks, []
        for hook in hooks:
            hook.remove()
        self._run = self._trainer = None

    def begin_batch(self) -> None:
        """Expect a batch. If the last one has not ended, the device ran out of memory, and the step begins again."""
        if self._is_batch_open:
            self._losses = {}
        self._is_batch_open, self._samples = True, 0

    def end_batch(self) -> None:
        """Add the losses of a batch to the step, unless the step has ended with it."""
        if self._run is None:
            return
        if self._is_batch_open:
            self._add_losses()
            self._run.end_batch(self._samples)
        if (step := finished_steps(self._trainer)) > self._finished_steps:
            self._losses = {}  # Those that are left are of a step that GradScaler has skipped.
        self._finished_steps = step

    def _receive_batch(self, module: Any, inputs: tuple[Any, ...]) -> None:
        if self._run is None or not self._is_batch_open or self._samples or not inputs or not self._run.is_running:
            return
        batch = inputs[0]
        if isinstance(batch, Mapping) and "img" in batch:
            batch = (batch["img"], {name: batch[name] for name in batch if name != "img"})
        self._samples = samples_of(batch)
        self._run.add_batch(batch)

    def _end_step(self, *_: Any) -> None:
        run = self._run
        if run is None or not run.is_running:
            return
        self._add_losses()
        losses, self._losses = self._losses, {}
        means = {f"loss/{name}": loss.take()[0] for name, loss in losses.items()}
        if (step := finished_steps(self._trainer) + 1) > run.step + 1:  # GradScaler has skipped some.
            run.state.timestamp = run.state.timestamp.copy(batch=step - 1)
        self.is_stepping = True
        try:
            run.end_step(sum(means.values()) if means else None)
        finally:
            self.is_stepping = False
        if len(means) > 1:
            run.log(means)

    def _add_losses(self) -> None:
        if not self._is_batch_open:
            return
        self._is_batch_open = False
        for name, loss in _items(self._trainer).items():
            self._losses.setdefault(name, Accumulation()).add(loss, self._samples)


def _items(trainer: Any) -> Mapping[str, Any]:
    """Return the losses of the newest batch by name: tensors, detached, per image."""
    items = trainer.loss_items
    if isinstance(items, Mapping):
        return items
    return {} if items is None else dict(zip(trainer.loss_names, items.detach(), strict=False))
