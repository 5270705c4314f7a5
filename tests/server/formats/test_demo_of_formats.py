"""The demo of formats: what its writers write is read as the logs of their tools."""

import subprocess
import sys
from pathlib import Path

from toposcope.server.loading.load_once import load_logdir

DEMO = Path(__file__).parents[3] / "examples/demo_formats.py"


def test_the_demo_has_runs_of_six_tools_with_the_same_metrics(tmp_path: Path) -> None:
    subprocess.run([sys.executable, DEMO, "--logdir", tmp_path / "runs", "--only-write"], check=True, timeout=60)
    runs = load_logdir(str(tmp_path / "runs")).runs.values()
    assert sorted(str(run.dialect) for run in runs) == [
        *("lightning", "mlruns", "sacred", "table", "trackio", "transformers"),
    ]
    for run in runs:
        assert [run.points(tag, 0).total for tag in ("loss", "accuracy")] == [300, 300]
