"""Logs of other tools, converted by summary-server convert, read by MindInsight."""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from toposcope.server.loading.load_once import load_logdir

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / "build/interop/mindinsight/bin/python"
GOLDEN = HERE.parent / "server/formats/golden"


@pytest.mark.parametrize("tool", ["wandb", "wandb-0.19", "mlflow-sqlite", "mlflow-files", "trackio", "plain_files"])
def test_mindinsight_reads_the_same_scalars(tool: str, tmp_path: Path) -> None:
    """As float32, which is what it reads."""
    command = [sys.executable, "-m", "toposcope.server.cli", "convert", str(GOLDEN / tool), "--to", "mindspore"]
    subprocess.run([*command, "--out", str(tmp_path / "out")], check=True, timeout=60)
    seen = [PYTHON, HERE / "mindinsight_sees.py", tmp_path / "out"]
    shown = json.loads(subprocess.run(seen, check=True, timeout=300, stdout=subprocess.PIPE).stdout)
    runs = load_logdir(str(GOLDEN / tool)).runs
    assert shown.keys() == {name.replace("/", ".") for name in runs}
    for name, run in runs.items():
        found = shown[name.replace("/", ".")]["scalar"]
        assert found.keys() == {f"{tag}/scalar" for tag in run.tags_of("scalar")}
        for tag, points in found.items():
            step, _, value = run.points(tag.removesuffix("/scalar"), 0)
            with np.errstate(over="ignore"):
                last = dict(zip(step.tolist(), value.astype(np.float32).tolist(), strict=True))
            # It shows the last value of each step, in order, and none that is not finite.
            expected = [[step, value if math.isfinite(value) else None] for step, value in sorted(last.items())]
            assert points == expected
