"""FlopCount: counts the floating-point operations of a training step with PyTorch's own formulas."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.not_copied import NotCopied


class Flops(NamedTuple):
    """Floating-point operations of a step; a multiplication and an addition are two."""

    model: int
    """Operations of the forward and backward passes, without activations that are computed again."""
    hardware: int
    """All operations."""


class FlopCount(NotCopied):
    """Counts from its creation to end(): matrix products, convolutions and attention, as torch.utils.flop_counter does.

    Operations inside the optimizers' step() are left out. Operations of a forward pass inside a backward pass, which
    torch.utils.checkpoint computes again, belong to the hardware only.
    """

    _why_not_copied: ClassVar[str] = "it counts the operations of this process: copy before or after the training"

    def __init__(self, optimizers: Sequence[Any]) -> None:
        """Begin to count; optimizers: of the training."""
        counter = library("torch.utils.flop_counter")
        self._torch, self._recomputed, self._is_paused = library(), 0, False
        formulas = {operator: self._counted(formula) for operator, formula in counter.flop_registry.items()}
        self._mode = counter.FlopCounterMode(display=False, custom_mapping=formulas)
        self._hooks = [
            register(partial(self._pause, is_paused))
            for each in optimizers
            for register, is_paused in (
                (each.register_step_pre_hook, True),
                (each.register_step_post_hook, False),
            )
            if hasattr(each, "register_step_pre_hook")
        ]
        self._mode.__enter__()

    def end(self) -> Flops:
        """Stop counting and return the counts."""
        self._mode.__exit__(None, None, None)
        for hook in self._hooks:
            hook.remove()
        total = int(self._mode.get_total_flops())
        return Flops(total - self._recomputed, total)

    def _pause(self, is_paused: bool, *_: object) -> None:
        self._is_paused = is_paused

    def _counted(self, formula: Callable[..., int]) -> Callable[..., int]:
        def count(*arguments: Any, **keywords: Any) -> int:
            if self._is_paused:
                return 0
            flops = formula(*arguments, **keywords)
            if self._is_recomputing():
                self._recomputed += flops
            return flops

        count._get_raw = True  # type: ignore[attr-defined]
        return count

    def _is_recomputing(self) -> bool:
        """Return whether a forward pass is running in a backward pass that is not differentiated itself."""
        is_backward = self._torch._C._current_graph_task_id() != -1
        return (
            is_backward
            and self._torch.is_grad_enabled()
            and not self._torch._C._autograd._get_current_graph_task_keep_graph()
        )


def wait_for_devices() -> None:
    """Wait until the CUDA devices of the process have finished."""
    torch = library()
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def sum_over_processes(flops: Flops) -> tuple[Flops, int]:
    """Return the sums over the processes of torch.distributed, and their number."""
    distributed = library("torch.distributed")
    if not (distributed.is_available() and distributed.is_initialized()):
        return flops, 1
    counts: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(counts, tuple(flops))
    return Flops(*(sum(numbers) for numbers in zip(*counts, strict=True))), len(counts)
