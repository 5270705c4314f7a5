"""Imports of the recorder load only what is used, and every public name can be imported."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

PACKAGES = [
    f"toposcope.recorder{name}"
    for name in (
        "",
        ".callbacks",
        ".checkpoints",
        ".event_callbacks",
        ".landscapes",
        ".loggers",
        ".metrics",
        ".training",
    )
]
# Slow to import, and not needed to record scalars.
HEAVY = {
    "PIL",
    "cryptography",
    "safetensors",
    "torch",
    "jax",
    "mindspore",
    "psutil",
    "pynvml",
    "sqlite3",
    "concurrent",
    "asyncio",
    "ssl",
    "hmac",
    "dataclasses",
    "decimal",
    "email",
    "fractions",
    "multiprocessing",
    "socket",
    "statistics",
    "subprocess",
    "urllib",
    "uuid",
}


def loaded_by(program: str) -> set[str]:
    """Return the modules that a program leaves in sys.modules."""
    command = [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60)
    return set(done.stdout.split())


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_see_what_is_exported(package: str) -> None:
    """The block for type checkers imports each lazy name from the module of the table, and __all__ contains it."""
    module = import_module(package)
    assert module.__file__
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    seen = {
        alias.asname or alias.name: node.module
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    tables = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
    lazy = {name: target for table in tables for name, target in ast.literal_eval(table).items()}

    assert lazy == seen
    assert set(lazy) <= set(module.__all__)


def test_the_package_itself_loads_nothing() -> None:
    """A program that imports the package pays for what it then uses."""
    loaded = loaded_by("import toposcope.recorder")

    assert not {"numpy", "google.protobuf", "toposcope.recorder.record.summary_record"} & loaded


def test_train_thor_does_not_import_torch() -> None:
    """Its optimizer, a subclass of PyTorch's, is imported when thor() is called."""
    assert "torch" not in loaded_by("import toposcope.recorder.train_thor")


@pytest.mark.parametrize(
    "program",
    [
        "from toposcope.recorder import SummaryRecord",
        "from toposcope.recorder.callbacks import SummaryCollector",
        "import sys, tempfile\n"
        "from toposcope.recorder import SummaryRecord\n"
        "with SummaryRecord(tempfile.mkdtemp()) as recorder:\n"
        "    recorder.log({'loss': 1.0}, 1)",
    ],
    ids=["recorder", "collector", "recording"],
)
def test_heavy_modules_are_not_loaded(program: str) -> None:
    # Which no recorder is without; Python's own traceback, which logging imports, loads dataclasses since 3.14.
    loaded = loaded_by(program) - loaded_by("import logging, numpy")

    assert not HEAVY & {name.partition(".")[0] for name in loaded}
    assert not {name for name in loaded if name.startswith("toposcope.recorder.frameworks.")}


def test_the_recorder_loads_nothing_of_trainings() -> None:
    loaded = loaded_by("from toposcope.recorder import SummaryRecord")

    packages = (
        "callbacks",
        "checkpoints",
        "event_callbacks",
        "collecting",
        "landscapes",
        "loggers",
        "metrics",
        "training",
    )
    assert not {f"toposcope.recorder.{name}" for name in packages} & loaded
    assert "json" not in loaded


def test_the_collector_loads_nothing_of_loops_metrics_landscapes_and_formats_of_checkpoints() -> None:
    loaded = loaded_by("from toposcope.recorder.callbacks import SummaryCollector")

    unused = (
        *("training.watch", "training.own_loops", "training.state.state", "training.events.engine", "training.trainer"),
        *("metrics.accuracy", "landscapes.plan.landscape_plan", "landscapes.summary_landscape"),
        *("checkpoints.formats", "collecting.environment.git", "collecting.machine.machine_metrics"),
        *("collecting.console", "collecting.training.landscape_checkpoints"),
    )
    assert not {f"toposcope.recorder.{name}" for name in unused} & loaded


def test_an_event_callback_loads_no_other_one_and_no_framework() -> None:
    loaded = loaded_by("from toposcope.recorder.event_callbacks import NaNMonitor")

    assert {name for name in loaded if name.startswith("toposcope.recorder.event_callbacks.")} == {
        "toposcope.recorder.event_callbacks.nan_monitor"
    }
    assert not {"torch", "psutil", "pynvml"} & loaded


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_defined_in_the_module_that_the_package_states(package: str) -> None:
    module = import_module(package)

    assert module.__all__
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert vars(module)[name] is getattr(module, name)


def test_an_unknown_name_is_an_error() -> None:
    recorder = import_module("toposcope.recorder")

    with pytest.raises(AttributeError, match=r"'toposcope\.recorder' has no attribute 'nothing'"):
        _ = recorder.nothing
    with pytest.raises(ImportError, match="nothing"):
        exec("from toposcope.recorder import nothing")
