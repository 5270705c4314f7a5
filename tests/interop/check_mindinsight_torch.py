"""examples/torch_digits.py, a PyTorch sweep recorded by SummaryCollector, read by MindInsight."""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / "build/interop/mindinsight/bin/python"
EXAMPLE = HERE.parents[1] / "examples/torch_digits.py"


def test_mindinsight_reads_every_kind_of_value(tmp_path: Path) -> None:
    subprocess.run([sys.executable, EXAMPLE, "--logdir", tmp_path, "--epochs", "2"], check=True, timeout=300)
    command = [PYTHON, HERE / "mindinsight_sees.py", tmp_path]
    shown = subprocess.run(command, check=True, timeout=300, stdout=subprocess.PIPE).stdout
    runs = json.loads(shown)
    assert len(runs) == 3
    for run in runs.values():
        assert run["scalar"]["loss/auto/scalar"][0][0] == 1
        assert {"features/histogram", "head.weight/auto/histogram"} <= set(run["histogram"])
        assert set(run["image"]) == {"input_data/auto/image"}
        assert set(run["tensor"]) == {"head/weight/tensor"}
        assert run["graph"]
        assert run["dataset_graph"]["op_type"]
        lineage = run["lineage"]
        assert lineage["metric"]["acc"] > 0.8
        assert (lineage["network"], lineage["optimizer"], lineage["loss_function"]) == (
            "Digits",
            "SGD",
            "CrossEntropyLoss",
        )
        assert (lineage["epoch"], lineage["batch_size"], lineage["train_dataset_count"]) == (2, 32, 1348)
