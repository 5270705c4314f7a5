"""EarlyStopper and ThresholdStopper: stop a training for the sake of a metric."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.line_network import line_batches
from support.metric_names import LARGER_IS_BETTER, SMALLER_IS_BETTER
from support.pytorch import torch
from support.tiny_training import tiny_trainer

from toposcope.recorder.event_callbacks import EarlyStopper, ThresholdStopper
from toposcope.recorder.event_callbacks.comparison import comparison
from toposcope.recorder.metrics import Metric
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.state.evaluator import Evaluator
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.watch import watch


class Sequence(Metric):
    """A metric whose value after the n-th update is the n-th of a sequence; the last one remains."""

    def __init__(self, values: list[Any]) -> None:
        self.values, self.updates = values, 0
        super().__init__()

    def clear(self) -> None:
        """Keep counting."""

    def update(self, *inputs: Any) -> None:
        """Count."""
        self.updates += 1

    def eval(self) -> Any:
        """Return the current value."""
        return self.values[min(self.updates, len(self.values)) - 1]


def epochs_with(stopper: Any, values: list[Any], label: str = "eval") -> int:
    """Train up to 12 epochs of 2 batches, each evaluated with a value of the metric "score"; return the epochs."""
    evaluator = Evaluator(label, line_batches(1), {"score": Sequence(values), "val_loss": Sequence(values)})
    with tiny_trainer([stopper], batches=2, eval_dataloader=[evaluator], max_duration="12ep") as trainer:
        trainer.fit()
        return -(-int(trainer.state.timestamp.batch) // 2)


def batches_with(stopper: Any, values: list[Any]) -> int:
    """Train up to 4 epochs of 5 batches, each with a value of the training's metric "score"; return the batches."""
    metrics = {"score": Sequence(values)}
    with tiny_trainer([stopper], batches=5, max_duration="4ep", train_metrics=metrics) as trainer:
        trainer.fit()
        return int(trainer.state.timestamp.batch)


def slow_stop(values: list[float], patience: int, is_better: Callable[[float, float], bool]) -> int:
    """Return the time at which the first value has occurred that is more than patience after the best one."""
    best, best_time = values[0], 1
    for time in range(1, 13):
        value = values[min(time, len(values)) - 1]
        if is_better(value, best):
            best, best_time = value, time
        if time - best_time > patience:
            return time
    return 12


SEQUENCES = [[0.1, 0.2, 0.4, 0.3, 0.3, 0.5, 0.4], [0.5], [0.1, 0.2], [0.9, 0.8, 0.95, 0.7, 0.6, 0.5]]


@pytest.mark.parametrize("values", SEQUENCES)
@pytest.mark.parametrize("patience", [0, 1, 3])
def test_training_stops_when_the_best_value_is_older_than_the_patience(values: list[float], patience: int) -> None:
    """Compared with a loop over the values; "score": larger is better, "val_loss": smaller is."""
    assert epochs_with(EarlyStopper("score", "eval", patience=patience), values) == slow_stop(
        values, patience, operator.gt
    )
    assert epochs_with(EarlyStopper("val_loss", "eval", patience=f"{patience}ep"), values) == slow_stop(
        values, patience, operator.lt
    )


def test_patience_in_batches_compares_a_metric_of_the_training_at_every_batch() -> None:
    """The best of [1, 2, 2, ...] is that of the second batch."""
    assert batches_with(EarlyStopper("score", "train", patience="3ba"), [1, 2]) == 6
    assert batches_with(EarlyStopper("score", "train", patience=1), [1, 2]) == 15


@pytest.mark.parametrize("comp", [operator.gt, np.greater, "GT", "greater", lambda new, old: new > old])
def test_comparison_may_be_a_function_or_a_name(comp: Any) -> None:
    """All mean the same."""
    assert epochs_with(EarlyStopper("val_loss", "eval", comp, patience=1), [0.1, 0.2, 0.3, 0.2]) == 5
    assert epochs_with(ThresholdStopper("val_loss", "eval", 0.15, comp=comp), [0.1, 0.2, 0.3]) == 2


def test_the_comparison_is_chosen_by_the_words_of_the_name() -> None:
    assert [name for name in SMALLER_IS_BETTER if not comparison(None, name)(1, 2)] == []
    assert [name for name in LARGER_IS_BETTER if not comparison(None, name)(2, 1)] == []


def test_a_name_that_does_not_say_asks_for_the_comparison(caplog: pytest.LogCaptureFixture) -> None:
    EarlyStopper("foo", "eval", "less")
    assert not caplog.messages
    ThresholdStopper("foo", "eval", 1)
    (message,) = caplog.messages
    assert "comp='less' or comp='greater'" in message


def test_comparison_may_be_a_function_of_pytorch() -> None:
    """It receives numbers of the kind that the metric has."""
    assert epochs_with(EarlyStopper("val_loss", "eval", torch.greater, patience=1), [0.1, 0.2, 0.3, 0.2]) == 5
    assert epochs_with(ThresholdStopper("val_loss", "eval", 0.15, comp=torch.greater), [0.1, 0.2, 0.3]) == 2


def test_small_differences_are_no_improvement() -> None:
    """Of 0.1 or less; the sign of min_delta is ignored."""
    for delta in (0.1, -0.1):
        assert epochs_with(EarlyStopper("score", "eval", min_delta=delta), [0.5, 0.59, 0.55, 0.58]) == 3
        assert epochs_with(EarlyStopper("score", "eval", min_delta=delta), [0.5, 0.7, 0.71, 0.72]) == 4


def test_nan_is_never_the_best_value() -> None:
    """Neither the first one nor a later one."""
    nan = math.nan
    assert epochs_with(EarlyStopper("score", "eval"), [nan, 0.1, 0.2, nan, nan]) == 5
    assert epochs_with(EarlyStopper("score", "eval"), [nan]) == 3


def test_training_stops_when_the_metric_passes_the_threshold() -> None:
    """At once, at the end of an epoch, or at the batch; never if it does not."""
    assert epochs_with(ThresholdStopper("score", "eval", 0.65), [0.1, 0.6, 0.65, 0.7]) == 4
    assert epochs_with(ThresholdStopper("val_loss", "eval", 0.15), [0.3, 0.2, 0.1]) == 3
    assert epochs_with(ThresholdStopper("score", "eval", 2), [0.1]) == 12
    assert batches_with(ThresholdStopper("score", "train", 1.5), [1, 2]) == 5
    assert batches_with(ThresholdStopper("score", "train", 1.5, stop_on_batch=True), [1, 2]) == 2


def test_evaluator_is_chosen_by_its_label() -> None:
    """A metric of the same name in another evaluation is ignored."""
    assert epochs_with(ThresholdStopper("score", "other", 0.5), [1.0], label="other") == 1
    assert epochs_with(ThresholdStopper("score", "eval", 0.5), [1.0], label="other") == 12


def test_watched_loop_requests_a_stop() -> None:
    """Its evaluations have values instead of metrics; "loss" is the loss of the training."""
    with watch(EarlyStopper("accuracy", "digits"), loader=range(1)) as run:
        for number, accuracy in enumerate((0.5, np.array(0.6), 0.55, np.float32(0.5))):
            run.step(1.0)
            run.eval({"accuracy": accuracy}, label="digits")
            assert run.stop_requested == (number == 3)
    with watch(ThresholdStopper("loss", "train", 0.5, stop_on_batch=True)) as run:
        assert [run.step(loss) for loss in (1.0, 0.5, 0.25)] == [True, True, False]


def test_loss_of_an_evaluation_needs_no_metric() -> None:
    """It is computed anyway."""
    with tiny_trainer([ThresholdStopper("loss", "eval", 100)], eval_dataloader=line_batches(1)) as trainer:
        trainer.fit(duration="5ep")
        assert int(trainer.state.timestamp.batch) == 5


def test_missing_metric_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    """The training continues."""
    assert epochs_with(EarlyStopper("scores", "eval"), [0.1]) == 12
    assert caplog.text.count("'scores'") == 1
    assert "'loss', 'score', 'val_loss'" in caplog.text
    assert epochs_with(ThresholdStopper("score", "eval", 0), [np.array([1.0, 2.0])]) == 12
    assert "ThresholdStopper cannot use" in caplog.text
    assert batches_with(EarlyStopper("f1", "train"), [1]) == 20
    assert "'loss', 'score'" in caplog.text


def test_missing_evaluator_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    """A label that no evaluator has, or a training without evaluators, would never stop."""
    assert epochs_with(EarlyStopper("score", "eval"), [0.1, 0.1], label="other") == 12
    assert caplog.text.count("EarlyStopper has no effect: no evaluator has the label 'eval', only 'other'") == 1
    with tiny_trainer([ThresholdStopper("score", "test", 1.0)], max_duration="2ep") as trainer:
        trainer.fit()
    assert "no evaluator has the label 'test', only 'train'" in caplog.text


def test_evaluation_outside_of_a_training_is_ignored() -> None:
    """It must not shorten the training that follows."""
    evaluator = Evaluator("eval", line_batches(1), {"score": Sequence([1.0, 0.0])})
    stopper = ThresholdStopper("score", "eval", 0.5)
    with tiny_trainer([stopper], eval_dataloader=[evaluator], max_duration="2ep") as trainer:
        trainer.eval()
        trainer.fit()
        assert int(trainer.state.timestamp.epoch) == 2


def test_evaluation_after_a_training_that_failed_is_ignored() -> None:
    """Whether it failed in the same Trainer or in an earlier one."""

    class Fails(EventCallback):
        def before_forward(self, state: State, logger: Logger) -> None:
            """Fail."""
            raise OSError("broken")

    evaluator = Evaluator("eval", line_batches(1), {"score": Sequence([1.0, 0.0])})
    stopper = ThresholdStopper("score", "eval", 0.5)
    with tiny_trainer([stopper, Fails()], eval_dataloader=[evaluator], max_duration="2ep") as trainer:
        with pytest.raises(OSError, match="broken"):
            trainer.fit()
        trainer.eval()
        assert not trainer.state.is_stop_requested
    evaluator = Evaluator("eval", line_batches(1), {"score": Sequence([1.0, 0.0])})
    with tiny_trainer([stopper], eval_dataloader=[evaluator], max_duration="2ep") as trainer:
        trainer.eval()
        trainer.fit()
        assert int(trainer.state.timestamp.epoch) == 2


def test_second_training_starts_without_the_best_value_of_the_first() -> None:
    """Unless its state is restored."""
    stopper = EarlyStopper("score", "eval")
    assert epochs_with(stopper, [0.9, 0.8]) == 3
    assert stopper.best == 0.9
    state = stopper.state_dict()
    assert epochs_with(stopper, [0.1, 0.2, 0.1]) == 4
    stopper.load_state_dict(state)
    assert epochs_with(stopper, [0.1, 0.2, 0.3]) == 3
    assert stopper.best == 0.9


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"monitor": 1}, TypeError, "monitor"),
        ({"dataloader_label": None}, TypeError, "dataloader_label"),
        ({"comp": "bigger"}, ValueError, "bigger"),
        ({"comp": 1}, TypeError, "comp"),
        ({"min_delta": math.inf}, ValueError, "min_delta"),
        ({"patience": "1dur"}, ValueError, "patience"),
        ({"patience": -1}, ValueError, "patience"),
        ({"patience": "soon"}, ValueError, "patience.*soon"),
        ({"patience": 0.5}, TypeError, "patience.*0.5"),
        ({"patience": None}, TypeError, "patience"),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception], named: str) -> None:
    """They are raised at construction."""
    with pytest.raises(error, match=named):
        EarlyStopper(**{"monitor": "score", "dataloader_label": "eval", **arguments})


def test_errors_of_the_threshold_name_the_invalid_argument() -> None:
    """A threshold is a finite number, stop_on_batch a bool."""
    with pytest.raises(TypeError, match="threshold"):
        ThresholdStopper("score", "eval", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="stop_on_batch"):
        ThresholdStopper("score", "eval", 1.0, stop_on_batch=1)  # type: ignore[arg-type]
