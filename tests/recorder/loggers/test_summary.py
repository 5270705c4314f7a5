"""SummaryLogger: what is logged is read back from the event files."""

import io
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image as Pillow

import toposcope.server
from toposcope.recorder.loggers import SummaryLogger
from toposcope.recorder.loggers.image_batches import label_colours
from toposcope.recorder.training.event_callback import EventCallback
from toposcope.recorder.training.watch import watch
from toposcope.server.python_api import OpenLogdir, Run


class LogsWhenClosed(EventCallback):
    """A callback that has a last word."""

    def close(self, state, logger) -> None:
        """Log after the destinations were closed."""
        logger.log_metrics({"last/word": 1.0})


class Device:
    """A tensor that is lost."""

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
    """Losses at the steps finished before, metrics at those finished; every kind of number."""
    with watch([], loader=range(2), loggers=logger) as run:
        for _ in range(2):
            for _ in range(2):
                run.step(torch.tensor(0.5, requires_grad=True))
            run.eval({"accuracy": np.float32(0.75), "hits": 3, "is_best": True})

    with opened(tmp_path) as logdir:
        found = only_run(logdir)
        assert scalars(found, "loss/train/total") == [(0, 0.5), (1, 0.5), (2, 0.5), (3, 0.5)]
        assert scalars(found, "metrics/eval/accuracy") == [(2, 0.75), (4, 0.75)]
        assert scalars(found, "metrics/eval/hits") == [(2, 3.0), (4, 3.0)]
        assert scalars(found, "metrics/eval/is_best") == [(2, 1.0), (4, 1.0)]


def test_values_that_are_no_numbers_are_skipped_with_a_line_a_tag(
    tmp_path: Path, logger: SummaryLogger, caplog: pytest.LogCaptureFixture
) -> None:
    """Training goes on, and so do the other metrics."""
    for step in range(3):
        logger.log_metrics({"note": "good", "loss": 1.0, "all": np.zeros(3), "": 1.0, "lost": Device()}, step)
    logger.post_close()

    with opened(tmp_path) as logdir:
        assert only_run(logdir).tags("scalar") == ["loss"]
    assert caplog.text.count("'note' is not recorded") == 1
    assert caplog.text.count("'all' is not recorded") == 1
    assert caplog.text.count("'' is not recorded") == 1
    assert caplog.text.count("device is lost") == 1


def test_hyperparameters_are_custom_lineage(tmp_path: Path, logger: SummaryLogger) -> None:
    """Also before INIT; more of them do not hide the first."""
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
    """Batches are tiled; what has no channels is a batch of grey images."""
    images = torch.arange(np.prod(shape), dtype=torch.uint8).reshape(shape)
    logger.log_images(images, "Images/Train", channels_last, 7)
    logger.post_close()

    with opened(tmp_path) as logdir:
        found = only_run(logdir)
        assert pixels(found, "Images/Train").shape == recorded
        assert found.images("Images/Train").step.tolist() == [7]


@pytest.mark.parametrize("image", [np.zeros((8, 6), np.uint8), np.zeros((8, 6, 3), np.uint8)])
def test_sequence_of_images_of_one_size_is_a_batch(tmp_path: Path, logger: SummaryLogger, image: np.ndarray) -> None:
    """Arrays and images of Pillow's."""
    logger.log_images([image, image + 255], "arrays", True, 1)
    logger.log_images([Pillow.fromarray(image), Pillow.fromarray(image)], "pillow", step=1)
    logger.post_close()

    with opened(tmp_path) as logdir:
        found = only_run(logdir)
        assert pixels(found, "arrays").shape == (8, 12, *image.shape[2:])
        assert pixels(found, "arrays").mean() == 127.5
        assert pixels(found, "pillow").shape == (8, 12, *image.shape[2:])


def test_sequence_of_images_of_different_sizes_is_numbered(tmp_path: Path, logger: SummaryLogger) -> None:
    """Each has a tag of its own."""
    logger.log_images([np.zeros((3, 8, 6)), np.zeros((3, 4, 4))], "mixed", step=1)
    logger.post_close()

    with opened(tmp_path) as logdir:
        assert only_run(logdir).tags("image") == ["mixed/0", "mixed/1"]


def test_masks_are_images_in_the_colours_of_their_labels(tmp_path: Path, logger: SummaryLogger) -> None:
    """The same label has the same colour in every mask, and a text says which class it is."""
    truth = np.array([[[0, 1], [2, 2]], [[1, 1], [1, 1]]])
    masks = {"ground_truth": truth, "prediction": torch.tensor(truth)[:, None].float(), "first": truth[0]}
    for step in (1, 2):
        logger.log_images(np.zeros((2, 3, 2, 2)), "Images/Eval", False, step, masks, {1: "cat", 2: "dog"}, True)
    logger.post_close()

    with opened(tmp_path) as logdir:
        found = only_run(logdir)
        expected = label_colours()[np.concatenate(truth, axis=1)]
        assert (pixels(found, "Images/Eval/ground_truth") == expected).all()
        assert (pixels(found, "Images/Eval/prediction") == expected).all()
        assert (pixels(found, "Images/Eval/first") == label_colours()[truth[0]]).all()
        (legend,) = found.text("Images/Eval/classes")
        assert "| 2 | dog | #008000 |" in legend.texts[0]


def test_colours_are_those_of_pascal_voc() -> None:
    """Background is black; neighbours differ; none comes twice."""
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
        (Device(), None),
        (np.zeros((3, 8, 6)), {"mask": np.zeros((2, 5, 8, 6))}),
        (np.zeros((3, 8, 6)), {"mask": "text"}),
    ],
)
def test_images_that_cannot_be_drawn_are_skipped_with_one_line(
    logger: SummaryLogger, images: object, masks: dict | None, caplog: pytest.LogCaptureFixture
) -> None:
    """They are no reason to stop a training."""
    for step in (1, 2):
        logger.log_images(images, "broken", step=step, masks=masks)
    logger.post_close()

    assert caplog.text.count("is not recorded") == 1


def test_table_is_a_text_of_markdown(tmp_path: Path, logger: SummaryLogger) -> None:
    """Under its name, at its step."""
    with watch([], loggers=logger) as run:
        run.step(1.0)
        run.logger.log_table(["prompt", "generation"], [["a", "b"]], "mine")

    with opened(tmp_path) as logdir:
        values = only_run(logdir).text("mine")
        assert values.step.tolist() == [1]
        assert values[0].texts == ["| prompt | generation |\n| --- | --- |\n| a | b |"]


def test_what_is_logged_after_the_end_is_recorded(tmp_path: Path, logger: SummaryLogger) -> None:
    """By a callback that is closed later, by another training, and in between."""
    for loss in (1.0, 2.0):
        with watch([LogsWhenClosed()], loggers=logger) as run:
            run.step(loss)
    logger.log_metrics({"after": 3.0}, 9)
    logger.post_close()

    with opened(tmp_path) as logdir:
        found = only_run(logdir)
        assert scalars(found, "after") == [(9, 3.0)]
        assert len(scalars(found, "last/word")) == 2
        assert sorted(value for _, value in scalars(found, "loss/train/total")) == [1.0, 2.0]


def test_flushed_at_the_end_of_epochs_and_evaluations(tmp_path: Path) -> None:
    """Another process sees the values then."""
    logger = SummaryLogger(tmp_path, flush_seconds=1e6)
    with watch([], loader=range(1), loggers=logger) as run:
        (path,) = tmp_path.iterdir()
        run.step(1.0)
        assert b"loss/train/total" in path.read_bytes()
        run.eval({"accuracy": 1.0})
        assert b"metrics/eval/accuracy" in path.read_bytes()


def test_files_are_closed_when_a_training_fails(tmp_path: Path, logger: SummaryLogger) -> None:
    """Everything logged before is there."""

    def train() -> None:
        with watch([], loggers=logger) as run:
            run.step(1.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train()
    with opened(tmp_path) as logdir:
        assert scalars(only_run(logdir), "loss/train/total") == [(0, 1.0)]


def test_other_ranks_record_scalars_and_texts_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Images and hyperparameters come from rank 0."""
    monkeypatch.setenv("RANK", "1")
    logger = SummaryLogger(tmp_path / "run")
    logger.log_hyperparameters({"lr": 0.1})
    logger.log_images(np.zeros((8, 6)), "image", step=1)
    logger.log_table(["a"], [[1]], "table", 1)
    logger.log_metrics({"loss": 1.0}, 1)
    logger.post_close()

    with opened(tmp_path) as logdir:
        found = only_run(logdir)
        assert found.ranks == [1]
        assert found.plugins == {"scalar": 1, "text": 1}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"log_dir": 1}, TypeError),
        ({"log_dir": " "}, ValueError),
        ({"max_file_size": 0}, ValueError),
        ({"flush_seconds": "1"}, TypeError),
    ],
)
def test_wrong_arguments_are_named(tmp_path: Path, arguments: dict, error: type[Exception]) -> None:
    """At construction."""
    with pytest.raises(error, match=next(iter(arguments))):
        SummaryLogger(**{"log_dir": tmp_path, **arguments})
