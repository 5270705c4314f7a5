"""The realistic logs, at a small scale: what a reader finds in them."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from toposcope.server import open as open_logdir

SCRIPT = Path(__file__).parents[2] / "benchmarks/realistic_runs.py"
RESUMED = "qwen2.5-7b-lora-r64_lr2e-4_bs64_seed42"
DIVERGED = "qwen2.5-7b-sft_lr1e-4_bs64_seed42"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write all kinds."""
    return write(tmp_path_factory.mktemp("realistic"))


def write(out: Path, kinds: str = "llm,sweep,gan,rl") -> Path:
    """Write kinds of logs below a folder; return it."""
    subprocess.run([sys.executable, SCRIPT, "--out", out, "--only", kinds, "--scale", "0.01"], check=True)
    return out


def test_fine_tunings_have_sixty_tags_two_resumes_a_divergence_and_a_crash(logs: Path) -> None:
    """The attempts are distinguished, and every tag has its points."""
    runs = open_logdir(logs / "llm").runs

    assert len(runs) == 8
    assert {len(run.tags("scalar")) for run in runs.values()} == {60}
    assert len(set(runs[RESUMED].tags("scalar"))) == 60
    once, everything = (runs[RESUMED].scalars("train/loss", attempt=attempt) for attempt in (None, "all"))
    assert len(once.step) < len(everything.step)
    assert (np.diff(once.step) > 0).all()
    assert (np.diff(everything.step) < 0).sum() == 2
    losses = runs[DIVERGED].scalars("train/loss").value
    assert np.isnan(losses[-1])
    assert np.isfinite(losses[: len(losses) // 2]).all()


def test_a_sweep_has_fifteen_hyperparameters_with_an_effect(logs: Path) -> None:
    """The result of each run is beside its settings."""
    runs = open_logdir(logs / "sweep").runs
    settings = [run.lineage().custom for run in runs.values()]

    assert len(runs) == 4
    assert {len(each) for each in settings} == {15}
    assert all(0 < float(str(run.lineage().metrics["final_val_accuracy"])) < 1 for run in runs.values())


def test_a_gan_is_recorded_as_torch_does(logs: Path) -> None:
    """Its hyperparameters are a session below its run; images, sound and, with PyTorch, a graph are its own."""
    runs = open_logdir(logs / "gan").runs

    name = "stylegan2_ffhq_lr0.002_dim512"
    assert f"{name}/hparams" in runs
    assert len(runs[name].images("samples/ema")) == 10
    graph = {"graph"} if find_spec("torch") else set()
    assert {"image", "audio", "histogram", "text"} | graph <= set(runs[name].plugins)


def test_agents_record_episodes_out_of_order(logs: Path) -> None:
    """Episodes grow where steps do not."""
    runs = open_logdir(logs / "rl").runs

    assert len(runs) == 5
    episodes = next(iter(runs.values())).scalars("charts/episodes", attempt="all")
    assert (np.diff(episodes.step) < 0).any()


def test_the_values_are_the_same_each_time(logs: Path, tmp_path: Path) -> None:
    """The second writing has the bytes of the first, where no clock of the writer is in them."""
    again = write(tmp_path, "llm,sweep")

    written = [path.relative_to(again) for path in sorted(again.rglob("events.*"))]
    assert written
    assert all((again / path).read_bytes() == (logs / path).read_bytes() for path in written)
