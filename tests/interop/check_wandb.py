"""Scripts that use W&B, run with its package offline and, only the import changed, with ours: the values are equal."""

import io
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from PIL import Image as Pillow
from support.wandb_offline import OfflineRun, read_offline_run

from toposcope import server

SCRIPTS = ("supervised", "language_model", "reinforcement", "media", "several_runs", "metrics")
FOLDER = Path(__file__).parent / "wandb_scripts"


class Both(NamedTuple):
    """A run of a script, recorded by both."""

    theirs: OfflineRun
    their_files: Path
    ours: Any
    our_files: Path
    printed: str
    """What the script wrote to stderr with ours."""


def run_script(source: str, name: str, directory: Path) -> str:
    """Run a script to its end in a directory; return what it writes to stderr."""
    directory.mkdir()
    (directory / f"{name}.py").write_text(source)
    environ = {key: value for key, value in os.environ.items() if not key.startswith("WANDB_")}
    environ |= {"WANDB_MODE": "offline", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, f"{name}.py"], cwd=directory, env=environ, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def with_our_import(source: str) -> str:
    """Return a script that uses our front."""
    return re.sub(
        r"^from wandb import",
        "from toposcope.recorder.wandb import",
        re.sub(r"^import wandb$", "from toposcope.recorder import wandb", source, flags=re.MULTILINE),
        flags=re.MULTILINE,
    )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Both]]:
    """Return the runs of each script in the order of their names."""
    return {name: list(_both(name, tmp_path_factory.mktemp(name))) for name in SCRIPTS}


def _both(name: str, directory: Path) -> Iterator[Both]:
    source = (FOLDER / f"{name}.py").read_text()
    run_script(source, name, directory / "theirs")
    printed = run_script(with_our_import(source), name, directory / "ours")
    files = sorted((directory / "theirs").glob("wandb/offline-run-*/*.wandb"))
    theirs = sorted(((read_offline_run(file), file.parent / "files") for file in files), key=lambda pair: pair[0].name)
    logdir = directory / "ours/wandb"
    ours = sorted(server.open(logdir).runs.values(), key=lambda run: str(run.lineage().custom["wandb/name"]))
    assert len(theirs) == len(ours) == (2 if name == "several_runs" else 1)
    for (their_run, their_files), our_run in zip(theirs, ours, strict=True):
        yield Both(their_run, their_files, our_run, logdir / our_run.name, printed)


def scalars_in(history: dict[str, dict[int, Any]]) -> dict[str, dict[int, float]]:
    """Return the numbers of a history, media left out."""
    media = {name.removesuffix("._type") for name in history if name.endswith("._type")}
    return {
        name: {step: float(value) for step, value in values.items()}
        for name, values in history.items()
        if not any(name.startswith(f"{prefix}.") for prefix in media)
        and all(isinstance(value, bool | int | float) for value in values.values())
    }


def own_scalars(run: Any) -> dict[str, dict[int, float]]:
    """Return the scalars of our run, those of the machine left out."""
    points = {tag: run.scalars(tag) for tag in run.tags("scalar") if not tag.startswith("machine/")}
    return {tag: dict(zip(p.step.tolist(), p.value.tolist(), strict=True)) for tag, p in points.items()}


def same(first: Any, second: Any) -> bool:
    """Return whether numbers, or nested dicts of numbers, are equal; NaN equals itself."""
    if isinstance(first, dict):
        return (
            isinstance(second, dict) and first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
        )
    return bool(first == second) or (math.isnan(first) and math.isnan(second))


def flat(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return settings as our lineage has them."""
    result: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            result |= flat(value, f"{prefix}{name}.")
        else:
            result[prefix + name] = "None" if value is None else json.dumps(value) if isinstance(value, list) else value
    return result


@pytest.mark.parametrize("name", SCRIPTS)
def test_scalars_are_equal(name: str, recorded: dict[str, list[Both]]) -> None:
    """Every tag at every step, exactly."""
    for both in recorded[name]:
        theirs, ours = scalars_in(both.theirs.history), own_scalars(both.ours)
        assert theirs
        assert same(theirs, ours), (theirs, ours)


@pytest.mark.parametrize("name", SCRIPTS)
def test_settings_are_equal(name: str, recorded: dict[str, list[Both]]) -> None:
    """The configuration, the tags, the notes, the group, and the end."""
    for both in recorded[name]:
        custom = both.ours.lineage().custom
        assert flat(both.theirs.config).items() <= custom.items()
        assert ", ".join(both.theirs.tags) == custom.get("wandb/tags", "")
        assert both.theirs.notes == custom.get("wandb/notes", "")
        assert both.theirs.group == custom.get("wandb/group", "")
        assert (both.theirs.exit_code, both.ours.state.state) == (0, "finished")


@pytest.mark.parametrize("name", SCRIPTS)
def test_summaries_are_equal(name: str, recorded: dict[str, list[Both]]) -> None:
    """All numbers: last values, aggregates of define_metric(), and what the script sets."""
    for both in recorded[name]:
        numbers = {key: float(v) for key, v in flat(both.theirs.summary).items() if isinstance(v, int | float)}
        media = {key.removesuffix("._type") for key in flat(both.theirs.summary) if key.endswith("._type")}
        numbers = {key: v for key, v in numbers.items() if not any(key.startswith(f"{m}.") for m in media)}
        metrics = {key: float(v) for key, v in both.ours.lineage().metrics.items() if v is not None}
        assert same(numbers, metrics), (numbers, metrics)


def pixels(content: bytes) -> Any:
    """Return the pixels of an encoded image."""
    return np.asarray(Pillow.open(io.BytesIO(content)))


def test_images_are_equal(recorded: dict[str, list[Both]]) -> None:
    """Pixel by pixel, with their captions, also in lists."""
    (both,) = recorded["media"]
    paths = both.theirs.history["sample.path"]
    images = both.ours.images("sample")
    assert images.step.tolist() == list(paths) == [0, 1, 2]
    for (image,), path in zip(images, paths.values(), strict=True):
        assert (pixels(image.encoded) == pixels((both.their_files / path).read_bytes())).all()
    captions = [text.texts[0] for text in both.ours.text("sample/caption")]
    assert captions == list(both.theirs.history["sample.caption"].values())
    (names,) = both.theirs.history["examples.filenames"].values()
    for number, path in enumerate(names):
        ((image,),) = both.ours.images(f"examples/{number}")
        assert (pixels(image.encoded) == pixels((both.their_files / path).read_bytes())).all()


def test_histograms_are_equal(recorded: dict[str, list[Both]]) -> None:
    """The number of values and their range; given counts exactly."""
    (both,) = recorded["media"]
    for tag in ("scores", "counted", "activations"):
        edges, counts = both.theirs.history[f"{tag}.bins"], both.theirs.history[f"{tag}.values"]
        histograms = both.ours.histograms(tag)
        assert histograms.step.tolist() == list(edges)
        for histogram, step in zip(histograms, edges, strict=True):
            assert histogram.total_count == sum(counts[step])
            assert [histogram.min, histogram.max] == pytest.approx([edges[step][0], edges[step][-1]], rel=1e-6)
            if tag == "counted":
                assert histogram.buckets.counts.tolist() == counts[step]


def test_texts_lists_and_tables_are_equal(recorded: dict[str, list[Both]]) -> None:
    """Strings, short lists, HTML, and the rows of a table."""
    (both,) = recorded["media"]
    assert [text.texts[0] for text in both.ours.text("status")] == list(both.theirs.history["status"].values())
    lists = [tensor.values.tolist() for tensor in both.ours.tensors("per_class")]
    assert lists == list(both.theirs.history["per_class"].values())
    pages = [(both.their_files / path).read_text() for path in both.theirs.history["report.path"].values()]
    for text, page in zip(both.ours.text("report"), pages, strict=True):
        assert text.texts[0] in page
    (path,) = both.theirs.history["predictions.path"].values()
    theirs = json.loads((both.their_files / path).read_text())
    rows = [json.loads(line) for line in both.ours.text("predictions")[0].texts[0].split("\n")]
    assert list(rows[0]) == theirs["columns"]
    assert [list(row.values())[1:] for row in rows] == [row[1:] for row in theirs["data"]]


def test_watched_gradients_and_parameters_are_equal(recorded: dict[str, list[Both]]) -> None:
    """The same tags at the same steps, with the same number of values and range."""
    (both,) = recorded["supervised"]
    tags = sorted(name.removesuffix(".bins") for name in both.theirs.history if name.endswith(".bins"))
    assert tags == sorted(both.ours.tags("histogram"))
    for tag in tags:
        edges = both.theirs.history[f"{tag}.bins"]
        counts = both.theirs.history[f"{tag}.values"]
        histograms = both.ours.histograms(tag)
        assert histograms.step.tolist() == list(edges)
        for histogram, step in zip(histograms, edges, strict=True):
            assert histogram.total_count == sum(counts[step])
            assert [histogram.min, histogram.max] == pytest.approx([edges[step][0], edges[step][-1]], rel=1e-5)


def test_what_has_no_effect_is_said(recorded: dict[str, list[Both]]) -> None:
    """Each inert name of a script is in a warning, once."""
    (supervised,) = recorded["supervised"]
    for name in ("save", "Artifact", "log_artifact"):
        assert supervised.printed.count(f"wandb.{name}:") == 1
    assert (supervised.our_files / "model.pt").is_file()
