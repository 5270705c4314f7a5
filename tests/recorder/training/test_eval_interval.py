"""When evaluators are due: every form of eval_interval, against the batches at which each should be."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.line_network import Line, line_batches

from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.progress.time import Time
from toposcope.recorder.training.state.evaluator import Evaluator
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.trainer import Trainer


class Evaluations(EventCallback):
    """Records the number of finished batches at each evaluation, and stops the training after a batch."""

    def __init__(self, stop: int = -1) -> None:
        self.batches: list[int] = []
        self.labels: list[str | None] = []
        self.stop = stop

    def eval_start(self, state: State, logger: Logger) -> None:
        self.batches.append(int(state.timestamp.batch))
        self.labels.append(state.dataloader_label)

    def batch_end(self, state: State, logger: Logger) -> None:
        if state.timestamp.batch == self.stop:
            state.stop_training()


def evaluated(interval: Any, length: str = "3ep", *, stop: int = -1, epoch: int = 4) -> list[int]:
    """Return the batches after which a training is evaluated; each batch has a sample."""
    evaluations = Evaluations(stop)
    with Trainer(
        model=Line(),
        train_dataloader=line_batches(epoch),
        eval_dataloader=line_batches(1),
        max_duration=length,
        eval_interval=interval,
        callbacks=evaluations,
    ) as trainer:
        trainer.fit()
    return evaluations.batches


@pytest.mark.parametrize(
    ("interval", "batches"),
    [
        (1, [4, 8, 12]),
        ("1ep", [4, 8, 12]),
        (2, [8, 12]),
        (Time(2, "ep"), [8, 12]),
        ("5ba", [5, 10, 12]),
        ("6ba", [6, 12]),
        ("0.5dur", [6, 12]),
        ("0.4dur", [5, 10, 12]),
        ("1dur", [12]),
        ("7iter", [12]),
        (0, []),
        ("0ba", []),
        ("0.0dur", []),
        (lambda state, event: event is Event.BATCH_END and state.timestamp.batch == 3, [3]),
    ],
)
def test_each_form_of_eval_interval(interval: Any, batches: list[int]) -> None:
    """At the end of the training evaluations are due unless its last batch has been evaluated."""
    assert evaluated(interval) == batches


@given(
    interval=st.integers(1, 7),
    unit=st.sampled_from(["ba", "ep"]),
    length=st.integers(1, 13),
    epoch=st.integers(1, 5),
    stop=st.integers(-1, 9),
)
def test_evaluations_follow_every_interval_and_the_last_batch(
    interval: int, unit: str, length: int, epoch: int, stop: int
) -> None:
    last = min(length, stop) if stop > 0 else length
    step = interval if unit == "ba" else interval * epoch
    assert evaluated(f"{interval}{unit}", f"{length}ba", stop=stop, epoch=epoch) == sorted(
        {*range(step, last + 1, step), last}
    )


def test_a_training_that_stops_before_its_first_batch_is_not_evaluated() -> None:
    class StopAtOnce(Evaluations):
        def fit_start(self, state: State, logger: Logger) -> None:
            state.stop_training()

    callback = StopAtOnce()
    with Trainer(
        model=Line(),
        train_dataloader=line_batches(2),
        eval_dataloader=line_batches(1),
        max_duration="2ep",
        callbacks=callback,
    ) as trainer:
        trainer.fit()
    assert callback.batches == []


def test_an_evaluator_may_have_its_own_interval_and_number_of_batches() -> None:
    evaluations = Evaluations()
    evaluators = [
        Evaluator("often", line_batches(3), eval_interval="1ba", subset_num_batches=2),
        Evaluator("seldom", line_batches(3)),
    ]
    with Trainer(
        model=Line(),
        train_dataloader=line_batches(2),
        eval_dataloader=evaluators,
        max_duration=1,
        callbacks=evaluations,
        eval_subset_num_batches=1,
    ) as trainer:
        trainer.fit()
        assert evaluations.labels == ["often", "often", "seldom"]
        assert trainer.state.eval_timestamp.batch == 1


@pytest.mark.parametrize(
    ("interval", "error", "words"),
    [
        (None, TypeError, "eval_interval .* not None"),
        (True, TypeError, "eval_interval .* not True"),
        ([1], TypeError, "eval_interval"),
        (1.5, TypeError, "1.5"),
        ("1.5ep", TypeError, "1.5"),
        ("often", ValueError, "'often'"),
        (-1, ValueError, "eval_interval .* not -1"),
        ("-2ba", ValueError, "'-2ba'"),
        ("1.5dur", ValueError, "'1.5dur'"),
    ],
)
def test_errors_name_an_invalid_interval(interval: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Trainer(model=Line(), eval_interval=interval)


def test_a_fraction_of_an_unknown_length_is_an_error() -> None:
    batches = (batch for batch in line_batches(2))
    arguments: dict[str, Any] = {"model": Line(), "train_dataloader": batches, "eval_dataloader": line_batches(1)}
    trainer = Trainer(**arguments, max_duration="1ep", eval_interval="0.5dur")
    with pytest.raises(RuntimeError, match="length of the train_dataloader is unknown"):
        trainer.fit()
    trainer.close()
