"""A small training with Lightning: as a module of classes for the checks, and as a program that they start.

The environment variable LIGHTNING names the package: "lightning" (the default) or "pytorch_lightning".
"""

import argparse
import importlib
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

PACKAGE = os.environ.get("LIGHTNING", "lightning")
with warnings.catch_warnings():  # Older releases use what is deprecated since.
    warnings.simplefilter("ignore")
    pl: Any = importlib.import_module({"lightning": "lightning.pytorch"}.get(PACKAGE, PACKAGE))
adapter: Any = importlib.import_module(f"toposcope.recorder.frameworks.{PACKAGE}")
BATCHES, BATCH_SIZE = 10, 8
QUIET: dict[str, Any] = {
    "collect_specified_data": {"collect_machine": False, "collect_environment": False, "collect_code": False}
}


class Classifier(pl.LightningModule):
    """A classifier that remembers the loss of each batch."""

    def __init__(self, hidden: int = 8, lr: float = 0.1, **others: Any) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, 3))
        self.losses: list[float] = []
        self.rates: list[float] = []

    def forward(self, x: Any) -> Any:
        """Return the logits."""
        return self.net(x)

    def loss_of(self, batch: Any) -> Any:
        """Return the mean loss."""
        return nn.functional.cross_entropy(self(batch[0]), batch[1])

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        """Return the loss of a batch."""
        loss = self.loss_of(batch)
        self.losses.append(loss.item())
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> None:
        """Log the loss."""
        self.log("val_loss", self.loss_of(batch), sync_dist=True)

    def test_step(self, batch: Any, batch_idx: int) -> None:
        """Log the loss."""
        self.log("test_loss", self.loss_of(batch))

    def on_before_optimizer_step(self, optimizer: Any, *_: Any) -> None:
        """Remember the learning rate of the step."""
        self.rates.append(optimizer.param_groups[0]["lr"])

    def configure_optimizers(self) -> Any:
        """Return an optimizer whose learning rate changes every third step."""
        optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams["lr"])
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3, 0.5)
        return [optimizer], [{"scheduler": scheduler, "interval": "step"}]


def data(batches: int = BATCHES, batch_size: int = BATCH_SIZE) -> DataLoader:
    """Return the same batches each time."""
    generator = torch.Generator().manual_seed(0)
    count = batches * batch_size
    inputs = torch.randn(count, 4, generator=generator)
    return DataLoader(TensorDataset(inputs, torch.randint(0, 3, (count,), generator=generator)), batch_size=batch_size)


def validation_data() -> DataLoader:
    """Return other batches."""
    return data(2, 20)


def trainer(directory: Path, *callbacks: Any, loggers: Any = (), settings: Any = None, **options: Any) -> Any:
    """Return a Trainer on the CPU with our logger and callback."""
    options = {"max_epochs": 2, "log_every_n_steps": 1, "accelerator": "cpu", "enable_checkpointing": False, **options}
    return pl.Trainer(
        logger=[adapter.ToposcopeLogger(directory), *loggers],
        callbacks=[adapter.ToposcopeCallback(**(settings or QUIET)), *callbacks],
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=directory,
        **options,
    )


class PauseAt(pl.Callback):
    """Waits to be killed after a step."""

    def __init__(self, step: int) -> None:
        self._step = step

    def on_train_batch_end(self, trainer: Any, *_: Any) -> None:
        """Wait until stdin is closed, which a kill precedes."""
        if 0 < trainer.global_step == self._step:
            print("paused", flush=True)
            sys.stdin.read()


def main() -> None:
    """Train in the directory of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--pause-at", type=int, default=0)
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=2)
    arguments = parser.parse_args()
    checkpoint = pl.callbacks.ModelCheckpoint(save_last=True, every_n_train_steps=4, monitor=None)
    training = trainer(
        arguments.directory,
        checkpoint,
        PauseAt(arguments.pause_at),
        enable_checkpointing=True,
        strategy=arguments.strategy,
        devices=arguments.devices,
        accumulate_grad_batches=arguments.accumulate,
        max_epochs=arguments.epochs,
    )
    pl.seed_everything(0)
    model = Classifier()
    training.fit(model, data(), validation_data(), ckpt_path="last")
    if arguments.strategy != "ddp_spawn":
        Path(f"{arguments.directory}.{training.global_rank}.losses").write_text(" ".join(map(repr, model.losses)))


def step_losses(losses: list[float], accumulated: int, per_epoch: int = BATCHES) -> dict[int, float]:
    """Return the mean loss of each step's batches; the last batch of an epoch ends a step."""
    steps = []
    for epoch in range(0, len(losses), per_epoch):
        batches = losses[epoch : epoch + per_epoch]
        steps += [batches[first : first + accumulated] for first in range(0, len(batches), accumulated)]
    return {number: sum(step) / len(step) for number, step in enumerate(steps, 1)}


if __name__ == "__main__":
    main()
