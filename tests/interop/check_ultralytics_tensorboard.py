"""Ultralytics, unmodified on our SummaryWriter: what it reports is what is recorded."""

import sys
from pathlib import Path

import pytest
from support.framework_runs import ABSENT, INSTALL, RUN, check, output_of, python_without_tensorboard
from support.framework_scripts import ULTRALYTICS

DISTRIBUTED = """
    import subprocess
    from ultralytics.models.yolo.classify import ClassificationTrainer
    from ultralytics.utils.dist import generate_ddp_command
    class Trainer:
        def __new__(cls, overrides, _callbacks, **options):
            trainer = ClassificationTrainer(overrides=overrides, _callbacks=_callbacks)
            trainer.world_size, trainer.train = 1, lambda: start(trainer)
            return trainer
    def start(trainer):
        del trainer.train
        subprocess.run(generate_ddp_command(trainer)[0], check=True)
        raise SystemExit
"""
"""Training is what the trainer does for several GPUs: it pickles itself, and starts a file with torchrun."""


@pytest.mark.parametrize("is_first", [True, False])
def test_ultralytics(tmp_path: Path, is_first: bool) -> None:
    """The script is not changed, or calls install() after it has imported Ultralytics."""
    between = INSTALL if is_first else ""
    (tmp_path / "script.py").write_text(ULTRALYTICS.imports + between + ULTRALYTICS.training)
    command = [sys.executable, *([] if is_first else RUN), "script.py"]
    check(tmp_path, ULTRALYTICS, output_of(tmp_path, command))


def test_where_tensorboard_is_not_installed(tmp_path: Path) -> None:
    """Ultralytics finds torch.utils.tensorboard nevertheless."""
    (tmp_path / "script.py").write_text(ABSENT + ULTRALYTICS.imports + ULTRALYTICS.training)
    python = python_without_tensorboard(tmp_path / "environment")
    check(tmp_path, ULTRALYTICS, output_of(tmp_path, [python, *RUN, "script.py"]))


def test_the_processes_of_its_data_parallel_training(tmp_path: Path) -> None:
    """The file that Ultralytics starts with torchrun for several GPUs records, here in one process without a GPU."""
    training = ULTRALYTICS.training.replace(
        "    model.train(\n", DISTRIBUTED + "    model.train(\n        trainer=Trainer,\n"
    )
    (tmp_path / "script.py").write_text(ULTRALYTICS.imports + training)
    check(tmp_path, ULTRALYTICS, output_of(tmp_path, [sys.executable, *RUN, "script.py"]))
