"""A small training of Ultralytics without downloads; as a program: `ultralytics_training.py DIRECTORY JSON`."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("YOLO_CONFIG_DIR", tempfile.mkdtemp())
os.environ["YOLO_OFFLINE"] = "true"

import numpy as np
import torch
from PIL import Image

try:
    import torchvision
except RuntimeError:  # Its build for CUDA, beside PyTorch's for CPUs.
    for operator in ("nms", "qnms"):
        torch.library.define(f"torchvision::{operator}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import torchvision

from ultralytics import YOLO
from ultralytics.models.yolo.detect import DetectionTrainer
from ultralytics.utils import RANK

from toposcope.recorder.frameworks.ultralytics import ToposcopeCallback

QUIET: dict[str, Any] = {
    "collect_specified_data": {"collect_machine": False, "collect_code": False, "collect_graph": False}
}
SAMPLES = [4, 4, 2]
"""Of the batches of an epoch."""


def write_data(root: Path) -> Path:
    """Write ten images of noise with a box each, and four for evaluations; return the path of their description."""
    for part, number in (("train", sum(SAMPLES)), ("val", 4)):
        for folder in ("images", "labels"):
            (root / "data" / folder / part).mkdir(parents=True, exist_ok=True)
        for n in range(number):
            pixels = np.random.default_rng(n).integers(0, 255, (64, 64, 3)).astype(np.uint8)
            Image.fromarray(pixels).save(root / f"data/images/{part}/{n}.png")
            (root / f"data/labels/{part}/{n}.txt").write_text(f"{n % 2} 0.5 0.5 0.4 0.4\n")
    path = root / "data.yaml"
    path.write_text(f"path: {root}/data\ntrain: images/train\nval: images/val\nnames: [cat, dog]\n")
    return path


class Reported:
    """What Ultralytics reports to callbacks that are added by hand."""

    def __init__(self) -> None:
        self.losses: list[dict[str, float]] = []
        self.rates: list[list[float]] = []
        self.steps: list[int] = []
        """The number of optimizer steps after each batch."""
        self.before = 0
        """Their number before the training."""

    def add_to(self, model: Any) -> None:
        """Observe a model."""
        model.add_callback("on_train_start", self.begin)
        model.add_callback("on_train_batch_end", self.end_batch)

    def begin(self, trainer: Any) -> None:
        """Remember the number of steps."""
        self.before = trainer.ema.updates

    def end_batch(self, trainer: Any) -> None:
        """Remember a batch."""
        self.losses.append({name: float(value) for name, value in trainer.loss_items.items()})
        self.rates.append([group["lr"] for group in trainer.optimizer.param_groups])
        self.steps.append(trainer.ema.updates)

    def step_losses(self, samples: list[int]) -> dict[int, dict[str, float]]:
        """Return the mean losses of each step, weighted by samples, which are those of the batches of an epoch."""
        steps: dict[int, dict[str, float]] = {}
        parts: list[tuple[dict[str, float], int]] = []
        before = self.before
        for number, (losses, step) in enumerate(zip(self.losses, self.steps, strict=True)):
            parts.append((losses, samples[number % len(samples)]))
            if step > before:
                total = sum(weight for _, weight in parts)
                steps[step] = {name: sum(each[name] * weight for each, weight in parts) / total for name in losses}
                parts, before = [], step
        return steps

    def step_rates(self) -> dict[int, list[float]]:
        """Return the learning rates of each step."""
        rates: dict[int, list[float]] = {}
        for each, step in zip(self.rates, self.steps, strict=True):
            if step > self.before:
                rates.setdefault(step, each)
        return rates


def restore_torchvision() -> None:
    """Let Ultralytics import torchvision, after use_own_nms()."""
    sys.modules["torchvision"] = torchvision


def use_own_nms(validator: Any) -> None:
    """Let Ultralytics suppress boxes itself, where torchvision cannot."""
    sys.modules.pop("torchvision", None)


def model_of(*observers: Any, name: str = "yolov8n.yaml") -> Any:
    """Return a model with the callbacks of observers, which have a method add_to()."""
    model = YOLO(name)
    model.add_callback("on_val_start", use_own_nms)
    for observer in observers:
        observer.add_to(model)
    return model


def train(root: Path, *observers: Any, model: Any = None, **options: Any) -> Any:
    """Train on the CPU with the callbacks of observers; return the model. The save_dir is "yolo" in root."""
    restore_torchvision()
    model = model_of(*observers) if model is None else model
    defaults: dict[str, Any] = {
        **{"epochs": 2, "imgsz": 64, "batch": 4, "nbs": 4, "optimizer": "SGD", "device": "cpu", "workers": 0},
        **{"plots": False, "verbose": False, "project": str(root), "name": "yolo", "exist_ok": True},
    }
    data = {} if "resume" in options else {"data": str(write_data(root))}
    model.train(**(data | defaults | options))
    return model


class TwoProcesses(DetectionTrainer):
    """A trainer that does on the CPU with two processes what Ultralytics does on two GPUs."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.world_size, self.ddp = 2, RANK == -1

    def _setup_ddp(self) -> None:
        torch.distributed.init_process_group("gloo")

    def _setup_train(self) -> None:
        parallel: Any = torch.nn.parallel
        original = parallel.DistributedDataParallel

        def on_cpu(module: Any, device_ids: Any = None, **options: Any) -> Any:
            return original(module, **options)

        parallel.DistributedDataParallel = on_cpu
        super()._setup_train()

    def final_eval(self) -> None:
        """Do nothing: its validator takes the device of its process, a GPU."""


class EndingAt:
    """Waits to be killed after a step, and writes what was reported when the training ends."""

    def __init__(self, path: Path, step: int | None) -> None:
        self.path, self.step, self.reported = path, step, Reported()

    def add_to(self, model: Any) -> None:
        """Add its callbacks."""
        model.add_callback("on_train_start", self.reported.begin)
        model.add_callback("on_train_batch_end", self.end_batch)
        model.add_callback("teardown", self.end)

    def end_batch(self, trainer: Any) -> None:
        """Wait until stdin is closed, which a kill precedes."""
        self.reported.end_batch(trainer)
        if trainer.ema.updates == self.step:
            print("paused", flush=True)
            sys.stdin.read()

    def end(self, trainer: Any) -> None:
        """Write what was reported."""
        Path(f"{self.path}.{max(RANK, 0)}.json").write_text(json.dumps(vars(self.reported)))


def main() -> None:
    """Train as the command line says."""
    root, options = Path(sys.argv[1]), json.loads(sys.argv[2])
    ending = EndingAt(root / "reported", options.pop("ends_at", None))
    recorded = ToposcopeCallback(options.pop("summary_dir", None), **QUIET)
    name = options.get("resume") or "yolov8n.yaml"
    if options.pop("has_two_processes", False):
        options["trainer"] = TwoProcesses
    train(root, model=model_of(recorded, ending, name=name), **options)


if __name__ == "__main__":
    # Not classes of __main__: Ultralytics pickles them for its processes.
    from support import ultralytics_training

    ultralytics_training.main()
