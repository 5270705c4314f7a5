"""TimeMonitor: the time of epochs, separately for training and evaluation."""

import re
import time
from typing import Any

import pytest
from support.line_network import Line, line_batches

from toposcope.recorder.callbacks.time_monitor import TimeMonitor
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.model import Model

NUMBER = r"\d+\.\d{3}"
BUSY_SECONDS = 0.03


def be_busy() -> None:
    """Take BUSY_SECONDS of time."""
    until = time.perf_counter() + BUSY_SECONDS
    while time.perf_counter() < until:
        pass


class SlowEvaluation(Line):
    """A line whose evaluation is slow."""

    def eval_step(self, x: Any, y: Any) -> tuple[float, Any, Any]:
        """Evaluate after BUSY_SECONDS."""
        be_busy()
        return super().eval_step(x, y)


class Unsized:
    """Batches without a length."""

    def __init__(self, batches: list[Any], is_slow: bool = False) -> None:
        self._batches, self._is_slow = batches, is_slow

    def __iter__(self) -> Any:
        for batch in self._batches:
            if self._is_slow:
                be_busy()
            yield batch


def milliseconds(line: str) -> list[float]:
    """Return the numbers of a line."""
    return [float(number) for number in re.findall(NUMBER, line)]


def test_each_epoch_prints_its_time_and_that_of_a_step(capsys: pytest.CaptureFixture[str]) -> None:
    Model(Line()).train(2, line_batches(4), callbacks=TimeMonitor())
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert re.fullmatch(rf"Train epoch time: +{NUMBER} ms, per step time: +{NUMBER} ms", line)
        epoch, step = milliseconds(line)
        assert epoch == pytest.approx(4 * step, abs=0.003)


def test_training_and_evaluation_in_fit_have_separate_clocks(capsys: pytest.CaptureFixture[str]) -> None:
    class SlowStep(Callback):
        runs_in_fit_evaluation = False

        def on_train_step_begin(self, run_context: RunContext) -> None:
            be_busy()

    model = Model(SlowEvaluation(), metrics={"mse"})
    began = time.perf_counter()
    model.fit(1, line_batches(2), line_batches(4), callbacks=[TimeMonitor(), SlowStep()])
    elapsed = time.perf_counter() - began
    evaluation, training = capsys.readouterr().out.splitlines()
    assert evaluation.startswith("Eval epoch time: ")
    assert training.startswith("Train epoch time: ")
    trained, evaluated = (milliseconds(line)[0] / 1e3 for line in (training, evaluation))
    # Two slow training steps, four slow evaluation steps; if one clock included the other, the sum would be too large.
    assert trained >= 2 * BUSY_SECONDS
    assert evaluated >= 4 * BUSY_SECONDS
    assert trained + evaluated <= elapsed + 1e-5


def test_time_waiting_for_data_is_printed_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    Model(Line()).train(1, Unsized(line_batches(2), is_slow=True), callbacks=TimeMonitor(2, data_time=True))
    line = capsys.readouterr().out.strip()
    assert re.search(rf"per step time: +{NUMBER} ms \(data time: +{NUMBER} ms\)$", line)
    _, step, data = milliseconds(line)
    assert BUSY_SECONDS * 1e3 <= data <= step


def test_data_size_is_used_if_the_number_of_steps_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    Model(Line()).train(1, Unsized(line_batches(3)), callbacks=TimeMonitor(6))
    epoch, step = milliseconds(capsys.readouterr().out)
    assert epoch == pytest.approx(6 * step, abs=0.005)


def test_unknown_number_of_steps_is_an_error_before_the_first_epoch() -> None:
    network = Line()
    with pytest.raises(ValueError, match="data_size"):
        Model(network).train(1, Unsized(line_batches(3)), callbacks=TimeMonitor())
    assert network.parameters()["weight"] == 0


def test_evaluation_counts_its_steps(capsys: pytest.CaptureFixture[str]) -> None:
    Model(SlowEvaluation(), metrics={"mse"}).eval(Unsized(line_batches(2)), callbacks=TimeMonitor())
    epoch, step = milliseconds(capsys.readouterr().out)
    assert epoch == pytest.approx(2 * step, abs=0.002)


@pytest.mark.parametrize("wrong", [0, -3, 2.0, "2", True])
def test_data_size_must_be_a_positive_integer(wrong: Any) -> None:
    with pytest.raises(ValueError, match="data_size must be an integer"):
        TimeMonitor(wrong)


def test_data_time_must_be_a_bool() -> None:
    number: Any = 1
    with pytest.raises(TypeError, match="data_time must be True or False, not 1"):
        TimeMonitor(data_time=number)
