"""Logs of other tools and of MindSpore, converted by summary-server convert, read by TensorBoard's own reader."""

from pathlib import Path

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from toposcope.server.convert.conversion import Conversion
from toposcope.server.convert.target import TENSORBOARD
from toposcope.server.loading.load_once import load_logdir

TESTS = Path(__file__).parents[1]
GOLDEN = TESTS / "server/formats/golden"
LOGS = [*(path for path in sorted(GOLDEN.iterdir()) if path.is_dir()), TESTS / "golden/mindspore"]
ALL = {"scalars": 0, "images": 0, "histograms": 0, "tensors": 0}


@pytest.mark.parametrize("source", LOGS, ids=lambda source: source.name)
def test_tensorboard_reads_the_same_values(source: Path, tmp_path: Path) -> None:
    """Scalars as float32, which is what it reads, with their steps and times; the numbers of all other values."""
    conversion = Conversion(TENSORBOARD, str(tmp_path))
    runs = load_logdir(str(source)).runs
    for name, run in runs.items():
        conversion.add(run)
        accumulator = EventAccumulator(str(tmp_path / name), ALL).Reload()
        assert set(accumulator.Tags()["scalars"]) == set(run.tags_of("scalar"))
        for tag in run.tags_of("scalar"):
            points = accumulator.Scalars(tag)
            step, wall_time, value = run.points(tag, 0, "all")
            with np.errstate(over="ignore"):
                expected = value.astype(np.float32)
            assert [point.step for point in points] == step.tolist()
            assert [point.wall_time for point in points] == wall_time.tolist()
            np.testing.assert_array_equal(np.array([point.value for point in points], np.float32), expected)
        assert set(accumulator.Tags()["images"]) == set(run.tags_of("image"))
        assert set(accumulator.Tags()["histograms"]) == set(run.tags_of("histogram"))
