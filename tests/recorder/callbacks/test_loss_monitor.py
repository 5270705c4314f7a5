"""LossMonitor: what it prints, and when it ends a training."""

from typing import Any

import numpy as np
import pytest
from support.line_network import Line, line_batches
from support.pytorch import torch

from toposcope.recorder.callbacks.loss_monitor import LossMonitor
from toposcope.recorder.training.data.loss import loss_in
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.model import Model


class Losses(Line):
    """A line whose steps return predefined losses."""

    def __init__(self, *losses: Any) -> None:
        super().__init__()
        self._losses = list(losses)

    def train_step(self, x: Any, y: Any) -> Any:
        """Return the next loss."""
        return self._losses.pop(0)

    def eval_step(self, x: Any, y: Any) -> tuple[Any, Any, Any]:
        """Return NaN as loss."""
        return float("nan"), x, y


def test_each_step_is_printed_with_its_number_in_the_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    Model(Losses(0.5, 0.25, 4, 1e-3)).train(2, line_batches(2), callbacks=LossMonitor())
    assert capsys.readouterr().out.splitlines() == [
        "epoch: 1 step: 1, loss is 0.5",
        "epoch: 1 step: 2, loss is 0.25",
        "epoch: 2 step: 1, loss is 4.0",
        "epoch: 2 step: 2, loss is 0.001",
    ]


@pytest.mark.parametrize(("every", "steps"), [(0, []), (2, [2, 4]), (3, [3]), (9, [])])
def test_steps_are_printed_at_the_interval_in_each_training(
    every: int, steps: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    monitor = LossMonitor(every)
    for _ in range(2):
        Model(Losses(1, 2, 3, 4)).train(1, line_batches(4), callbacks=monitor)
    assert capsys.readouterr().out.splitlines() == [f"epoch: 1 step: {step}, loss is {step}.0" for step in steps] * 2


def test_in_sink_mode_the_loss_is_printed_at_the_end_of_a_sink(capsys: pytest.CaptureFixture[str]) -> None:
    Model(Losses(*range(12))).train(4, line_batches(3), callbacks=LossMonitor(4), dataset_sink_mode=True, sink_size=3)
    assert capsys.readouterr().out.splitlines() == ["epoch: 2 step: 3, loss is 5.0", "epoch: 4 step: 3, loss is 11.0"]


def test_steps_of_a_dataset_without_length_count_from_the_beginning_of_the_epoch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Unsized:
        def __iter__(self) -> Any:
            return iter(line_batches(2))

    Model(Losses(1, 2, 3, 4)).train(2, Unsized(), callbacks=LossMonitor(2))
    assert capsys.readouterr().out.splitlines() == ["epoch: 1 step: 2, loss is 2.0", "epoch: 2 step: 2, loss is 4.0"]


@pytest.mark.parametrize(
    "wrap",
    [
        float,
        np.float32,
        lambda loss: (np.array(loss), "outputs"),
        lambda loss: torch.tensor(loss),
        lambda loss: (torch.tensor(loss), "outputs"),
    ],
)
@pytest.mark.parametrize("loss", [float("nan"), float("inf"), -float("inf")])
def test_loss_that_is_not_finite_ends_the_training(wrap: Any, loss: float) -> None:
    model = Model(Losses(wrap(1.0), wrap(1.0), wrap(1.0), wrap(loss)))
    with pytest.raises(ValueError, match=f"In epoch: 2 step: 1, loss is {loss}"):
        model.train(2, line_batches(3), callbacks=LossMonitor(0))


def test_evaluation_with_a_nan_loss_continues(capsys: pytest.CaptureFixture[str]) -> None:
    Model(Losses(), metrics={"mse"}).eval(line_batches(1), callbacks=LossMonitor())
    assert capsys.readouterr().out == "epoch: 1 step: 1, loss is nan\n"


def test_metrics_of_the_evaluation_in_fit_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    Model(Line(0.0), metrics={"mse"}).fit(
        2, line_batches(2), [(np.zeros(2), np.ones(2))], valid_frequency=2, callbacks=LossMonitor(0)
    )
    assert capsys.readouterr().out == "Eval result: epoch 2, metrics: {'mse': 1.0}\n"


def test_output_without_a_number_is_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    LossMonitor().step_end(RunContext({"cur_step_num": 1, "net_outputs": {"logits": 3}}))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("wrong", [-1, 1.0, "1", True, None])
def test_invalid_number_of_steps_is_a_value_error(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"per_print_times must be an integer.*not"):
        LossMonitor(wrong)


def test_loss_of_tensors_is_their_mean() -> None:
    assert loss_in(torch.tensor([1.0, 2.0], dtype=torch.bfloat16)) == 1.5
    assert loss_in(torch.tensor(0.25, requires_grad=True)) == 0.25


def test_loss_is_the_mean_of_the_first_output() -> None:
    assert loss_in([(np.float16(0.5), 7.0), 9.0]) == 0.5
    assert loss_in(np.array([1.0, 2.0])) == 1.5
    assert [loss_in(outputs) for outputs in (None, (), {}, "loss", 1j, object())] == [None] * 6
    assert np.isnan(loss_in(np.zeros(0)) or 0.0)
