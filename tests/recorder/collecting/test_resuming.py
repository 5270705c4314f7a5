"""How a collector continues earlier recordings in its directory, and when it warns."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.event_files import loss_run
from support.line_network import Line, line_batches
from support.written_events import ReadEvents

from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.training.model import Model

Train = Callable[[SummaryCollector], None]
QUIET = {"collect_metric": True}


def collector(directory: Path) -> SummaryCollector:
    """Return a collector of the loss."""
    return SummaryCollector(directory, 1, QUIET, keep_default_action=False)


def loop(**options: Any) -> Train:
    """Return a function that watches two steps."""

    def train(collector: SummaryCollector) -> None:
        with collector.watch(loader=range(2), **options) as run:
            run.step(1.0)
            run.step(1.0)

    return train


def model(**options: Any) -> Train:
    """Return a function that trains a Model for an epoch of two steps."""
    return lambda collector: Model(Line()).train(11, line_batches(2), callbacks=collector, **options)


@pytest.mark.parametrize("train", [loop(), loop(epochs=2), model()])
def test_beginning_again_warns_once(tmp_path: Path, train: Train, caplog: pytest.LogCaptureFixture) -> None:
    """The warning contains the directory, the last step and both ways to avoid it."""
    loss_run(tmp_path, range(1, 56))

    train(collector(tmp_path))

    (message,) = caplog.messages
    for part in (str(tmp_path), "up to step 55", "initial_step=", "another directory"):
        assert part in message


@pytest.mark.parametrize("train", [loop(initial_step=0), loop(initial_step=40), loop(initial_epoch=20)])
def test_known_step_does_not_warn(tmp_path: Path, train: Train, caplog: pytest.LogCaptureFixture) -> None:
    """initial_step=0 is known, too."""
    loss_run(tmp_path, range(1, 56))

    train(collector(tmp_path))

    assert not caplog.messages


def test_steps_of_other_ranks_do_not_warn(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each rank has its own attempts."""
    loss_run(tmp_path, range(1, 56), rank=1)

    loop()(collector(tmp_path))

    assert not caplog.messages


@pytest.mark.parametrize(
    ("train", "resume_step"),
    [
        (loop(), None),
        (loop(initial_step=0), 1),
        (loop(initial_step=40), 41),
        (loop(initial_epoch=20), 41),
        (model(initial_epoch=10), 21),
        (model(initial_step=7), 8),
    ],
)
def test_version_event_contains_the_first_step_if_it_is_known(
    tmp_path: Path, train: Train, resume_step: int | None, read_events: ReadEvents
) -> None:
    """The files of a training that may be the first have none."""
    train(collector(tmp_path))

    (path,) = tmp_path.glob("*_MS")
    head = read_events(path)[0]
    assert (head.resume_step if head.HasField("resume_step") else None) == resume_step


def test_evaluation_neither_warns_nor_resumes(
    tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture
) -> None:
    """A file with an evaluation accompanies those of the training."""
    loss_run(tmp_path, range(1, 56))

    Model(Line(), metrics={"loss"}).eval(line_batches(2), callbacks=collector(tmp_path))

    assert not caplog.messages
    assert not read_events(max(tmp_path.glob("*_MS")))[0].HasField("resume_step")


def test_refused_collectors_leave_no_files(tmp_path: Path) -> None:
    """Files are created when the training begins, after all arguments are checked."""
    with pytest.raises(ValueError, match="one SummaryCollector"):
        Model(Line()).train(1, line_batches(2), callbacks=[collector(tmp_path / name) for name in ("a", "b")])

    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
