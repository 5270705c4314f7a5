"""What `mindspore.train.callback` exports is imported from `toposcope.recorder.callbacks`."""

from typing import Any

from toposcope.recorder import callbacks
from toposcope.recorder.callbacks import Callback, RunContext
from toposcope.recorder.training.watch import watch


def test_a_callback_is_written_with_the_names_of_one_module() -> None:
    """Callback and RunContext, as in MindSpore."""
    steps: list[Any] = []

    class Steps(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            steps.append((type(run_context), run_context.original_args().cur_step_num))

    with watch(Steps()) as run:
        run.step(1.0)
    assert steps == [(RunContext, 1)]


def test_every_exported_name_exists() -> None:
    assert all(hasattr(callbacks, name) for name in callbacks.__all__)
    assert callbacks.__all__ == sorted(callbacks.__all__)
