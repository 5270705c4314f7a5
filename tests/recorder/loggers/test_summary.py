"""SummaryLogger: what is logged can be read from the event files."""

import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow
from support.pytorch import torch

import toposcope.server
from toposcope.recorder.loggers import SummaryLogger
from toposcope.recorder.loggers.image_batches import label_colours
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.watch import watch
from toposcope.server.python_api import OpenLogdir, Run


class LogsWhenClosed(EventCallback):
    """A callback that logs when it is closed."""

    def close(self, state: State, logger: Logger) -> None:
        """Log after the destinations were closed."""
        logger.log_metrics({"at/close": 1.0})


class LostTensor:
    """A tensor on a lost device."""

    shape = ()

    def __array__(self, *_: object, **__: object) -> None:
        raise RuntimeError("device is lost")

    item = __array__


@pytest.fixture
def logger(tmp_path: Path) -> SummaryLogger:
    return SummaryLogger(tmp_path / "run")


def opened(tmp_path: Path) -> OpenLogdir:
    return toposcope.server.open(tmp_path, index_dir=tmp_path.parent / "index")


def only_run(logdir: OpenLogdir) -> Run:
    (name,) = logdir.runs
    return logdir.runs[name]


def scalars(run: Run, tag: str) -> list[tuple[int, float]]:
    series = run.scalars(tag, attempt="all")
    return list(zip(series.step.tolist(), series.value.tolist(), strict=True))


def pixels(run: Run, tag: str) -> np.ndarray:
    (image,) = run.images(tag)[-1]
    return np.asarray(Pillow.open(io.BytesIO(image.encoded)))


def test_metrics_of_a_training_are_scalars(tmp_path: Path, logger: SummaryLogger) -> None:
    """Losses are recorded at the number of steps finished before, metrics at that of finished steps."""
    with watch([], loader=range(2), loggers=logger) as run:
        for _ in range(2):
            for _ in range(2):
                run.step(torch.tensor(0.5, requires_grad=True))
            run.eval({"accuracy": np.float32(0.75), "hits": 3, "is_best": True})

    with opened(tmp_path) as logdir:
        recorded_run = only_run(logdir)
        assert scalars(recorded_run, "loss/train/total") == [(0, 0.5), (1, 0.5), (2, 0.5), (3, 0.5)]
        assert scalars(recorded_run, "metrics/eval/accuracy") == [(2, 0.75), (4, 0.75)]
        assert scalars(recorded_run, "metrics/eval/hits") == [(2, 3.0), (4, 3.0)]
        assert scalars(recorded_run, "metrics/eval/is_best") == [(2, 1.0), (4, 1.0)]


def test_values_that_are_not_numbers_are_skipped_with_one_log_line_per_tag(
    tmp_path: Path, logger: SummaryLogger, caplog: pytest.LogCaptureFixture
) -> None:
    """The training continues, and the other metrics are recorded."""
    for step in range(3):
        logger.log_metrics({"note": "good", "loss": 1.0, "all": np.zeros(3), "": 1.0, "lost": LostTensor()}, step)
    logger.post_close()

    with opened(tmp_path) as logdir:
        assert only_run(logdir).tags("scalar") == ["loss"]
    assert caplog.text.count("'note' is not recorded") == 1
    assert caplog.text.count("'all' is not recorded") == 1
    assert caplog.text.count("'' is not recorded") == 1
    assert caplog.text.count("device is lost") == 1


def test_hyperparameters_are_custom_lineage(tmp_path: Path, logger: SummaryLogger) -> None:
    """Also those logged before INIT; new ones are merged with earlier ones."""
    logger.log_hyperparameters({"optimizer": {"name": torch.optim.SGD, "lr": 0.1}, "sizes": [3, 4]})
    with watch([], loggers=logger) as run:
        run.logger.log_hyperparameters({"seed": 1, "sizes": [3, 4]})
        run.logger.log_hyperparameters({"seed": 1})
        run.step(1.0)
        run.logger.log_hyperparameters({"seed": 2})

    with opened(tmp_path) as logdir:
        custom = only_run(logdir).lineage().custom
    assert custom == {"optimizer/name": "SGD", "optimizer/lr": 0.1, "sizes": "[3, 4]", "seed": 2}


@pytest.mark.parametrize(
    ("shape", "channels_last", "recorded"),
    [
        ((8, 6), False, (8, 6)),
        ((3, 8, 6), False, (8, 6, 3)),
        ((8, 6, 4), True, (8, 6, 4)),
        ((5, 8, 6), False, (8, 30)),
        ((2, 1, 8, 6), False, (8, 12)),
        ((2, 8, 6, 3), True, (8, 12, 3)),
    ],
)
def test_images_of_two_to_four_dimensions(
    tmp_path: Path, logger: SummaryLogger, shape: tuple[int, ...], channels_last: bool, recorded: tuple[int, ...]
) -> None:
    """Batches are tiled; an array without channels is a batch of grey images."""
    images = torch.arange(math.prod(shape), dtype=torch.uint8).reshape(shape)
    logger.log_images(images, "Images/Train", channels_last, 7)
    logger.post_close()

    with opened(tmp_path) as logdir:
        recorded_run = only_run(logdir)
        assert pixels(recorded_run, "Images/Train").shape == recorded
        assert recorded_run.images("Images/Train").step.tolist() == [7]


@pytest.mark.parametrize("image", [np.zeros((8, 6), np.uint8), np.zeros((8, 6, 3), np.uint8)])
def test_sequence_of_images_of_one_size_is_a_batch(tmp_path: Path, logger: SummaryLogger, image: np.ndarray) -> None:
    """For arrays and for Pillow images."""
    logger.log_images([image, image + 255], "arrays", True, 1)
    logger.log_images([Pillow.fromarray(image), Pillow.fromarray(image)], "pillow", step=1)
    logger.post_close()

    with opened(tmp_path) as logdir:
        recorded_run = only_run(logdir)
        assert pixels(recorded_run, "arrays").shape == (8, 12, *image.shape[2:])
        assert pixels(recorded_run, "arrays").mean() == 127.5
        assert pixels(recorded_run, "pillow").shape == (8, 12, *image.shape[2:])


def test_sequence_of_images_of_different_sizes_is_numbered(tmp_path: Path, logger: SummaryLogger) -> None:
    """Each has its own tag."""
    logger.log_images([np.zeros((3, 8, 6)), np.zeros((3, 4, 4))], "mixed", step=1)
    logger.post_close()

    with opened(tmp_path) as logdir:
        assert only_run(logdir).tags("image") == ["mixed/0", "mixed/1"]


def test_masks_are_images_in_the_colours_of_their_labels(tmp_path: Path, logger: SummaryLogger) -> None:
    """A label has the same colour in every mask; a text is the legend of the classes."""
    labels = np.array([[[0, 1], [2, 2]], [[1, 1], [1, 1]]])
    masks = {"ground_truth": labels, "prediction": torch.tensor(labels)[:, None].float(), "first": labels[0]}
    for step in (1, 2):
        logger.log_images(np.zeros((2, 3, 2, 2)), "Images/Eval", False, step, masks, {1: "cat", 2: "dog"}, True)
    logger.post_close()

    with opened(tmp_path) as logdir:
        recorded_run = only_run(logdir)
        expected = label_colours()[np.concatenate(labels, axis=1)]
        assert (pixels(recorded_run, "Images/Eval/ground_truth") == expected).all()
        assert (pixels(recorded_run, "Images/Eval/prediction") == expected).all()
        assert (pixels(recorded_run, "Images/Eval/first") == label_colours()[labels[0]]).all()
        (legend,) = recorded_run.text("Images/Eval/classes")
        assert "| 2 | dog | #008000 |" in legend.texts[0]


def test_colours_are_those_of_pascal_voc() -> None:
    """The background is black, and all colours are different."""
    assert label_colours()[[0, 1, 2, 3, 255]].tolist() == [
        [0, 0, 0],
        [128, 0, 0],
        [0, 128, 0],
        [128, 128, 0],
        [224, 224, 192],
    ]
    assert len({tuple(colour) for colour in label_colours().tolist()}) == 256


@pytest.mark.parametrize(
    ("images", "masks"),
    [
        ("text", None),
        (np.zeros(3), None),
        (np.zeros((2, 5, 8, 6)), None),
        ([], None),
        (LostTensor(), None),
        (np.zeros((3, 8, 6)), {"mask": np.zeros((2, 5, 8, 6))}),
        (np.zeros((3, 8, 6)), {"mask": "text"}),
    ],
)
def test_invalid_images_are_skipped_with_one_log_line(
    logger: SummaryLogger, images: object, masks: dict[str, Any] | None, caplog: pytest.LogCaptureFixture
) -> None:
    """They do not stop the training."""
    for step in (1, 2):
        logger.log_images(images, "broken", step=step, masks=masks)
    logger.post_close()

    assert caplog.text.count("is not recorded") == 1


def test_a_table_is_a_text_of_json_lines(tmp_path: Path, logger: SummaryLogger) -> None:
    """It has the name of the table as tag, and the step at which it was logged."""
    with watch([], loggers=logger) as run:
        run.step(1.0)
        run.logger.log_table(["prompt", "generation"], [["a", "b"]], "mine")

    with opened(tmp_path) as logdir:
        values = only_run(logdir).text("mine")
        assert values.step.tolist() == [1]
        assert values[0].texts == ['{"prompt": "a", "generation": "b"}']


def test_values_logged_after_close_are_recorded(tmp_path: Path, logger: SummaryLogger) -> None:
    """By a callback that is closed later, by another training, and outside of trainings."""
    for loss in (1.0, 2.0):
        with watch([LogsWhenClosed()], loggers=logger) as run:
            run.step(loss)
    logger.log_metrics({"after": 3.0}, 9)
    logger.post_close()

    with opened(tmp_path) as logdir:
        recorded_run = only_run(logdir)
        assert scalars(recorded_run, "after") == [(9, 3.0)]
        assert len(scalars(recorded_run, "at/close")) == 2
        assert sorted(value for _, value in scalars(recorded_run, "loss/train/total")) == [1.0, 2.0]


def test_values_are_flushed_at_the_end_of_epochs_and_evaluations(tmp_path: Path) -> None:
    """Another process can then read them."""
    logger = SummaryLogger(tmp_path, flush_seconds=1e6)
    with watch([], loader=range(1), loggers=logger) as run:
        (path,) = tmp_path.iterdir()
        run.step(1.0)
        assert b"loss/train/total" in path.read_bytes()
        run.eval({"accuracy": 1.0})
        assert b"metrics/eval/accuracy" in path.read_bytes()


def test_files_are_closed_when_a_training_fails(tmp_path: Path, logger: SummaryLogger) -> None:
    """All values logged before the failure are recorded."""

    def train() -> None:
        with watch([], loggers=logger) as run:
            run.step(1.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train()
    with opened(tmp_path) as logdir:
        assert scalars(only_run(logdir), "loss/train/total") == [(0, 1.0)]


def test_other_ranks_record_scalars_and_texts_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only rank 0 records images and hyperparameters."""
    monkeypatch.setenv("RANK", "1")
    logger = SummaryLogger(tmp_path / "run")
    logger.log_hyperparameters({"lr": 0.1})
    logger.log_images(np.zeros((8, 6)), "image", step=1)
    logger.log_table(["a"], [[1]], "table", 1)
    logger.log_metrics({"loss": 1.0}, 1)
    logger.post_close()

    with opened(tmp_path) as logdir:
        recorded_run = only_run(logdir)
        assert recorded_run.ranks == [1]
        assert recorded_run.plugins == {"scalar": 1, "text": 1}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"log_dir": 1}, TypeError),
        ({"log_dir": " "}, ValueError),
        ({"max_file_size": 0}, ValueError),
        ({"flush_seconds": "1"}, TypeError),
    ],
)
def test_errors_name_the_invalid_argument(tmp_path: Path, arguments: dict[str, Any], error: type[Exception]) -> None:
    """They are raised at construction."""
    with pytest.raises(error, match=next(iter(arguments))):
        SummaryLogger(**{"log_dir": tmp_path, **arguments})
