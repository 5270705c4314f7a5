"""The settings of a trainer of Ultralytics, and what a run needs to know of it."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from toposcope.recorder.messages.settings import plain_settings
from toposcope.recorder.rank import process_count


def trainer_settings(trainer: Any) -> dict[str, str | int | float]:
    """Return the arguments of a training as "args/<name>", and facts about its data and its model."""
    settings: dict[str, Any] = {"trainer": {"class": type(trainer).__name__, "world_size": process_count()}}
    data = getattr(trainer, "data", None)
    if isinstance(data, Mapping):
        names = data.get("names")
        settings["data"] = {"nc": data.get("nc"), "names": [*names.values()] if isinstance(names, Mapping) else names}
    with suppress(Exception):  # The model may be missing after a failure, or one of the user.
        parameters = list(trainer.model.parameters())
        settings["model"] = {
            "parameters": sum(each.numel() for each in parameters),
            "trainable_parameters": sum(each.numel() for each in parameters if each.requires_grad),
        }
    return plain_settings(vars(trainer.args), "args") | plain_settings(settings)


def planned_steps(trainer: Any) -> int | None:
    """Return the steps of the whole training; None where gradients are accumulated, or where its time is limited."""
    if trainer.accumulate > 1 or trainer.args.time:
        return None
    return len(trainer.train_loader) * int(trainer.epochs)


def finished_steps(trainer: Any) -> int:
    """Return the number of steps of the optimizer, which the moving average of the model counts and saves."""
    return int(trainer.ema.updates) if trainer.ema else 0


def learning_rates(optimizer: Any) -> list[float]:
    """Return the learning rate of each parameter group."""
    return [group["lr"] for group in optimizer.param_groups]


def example_input(trainer: Any) -> Any:
    """Return a black image for the graph, as a batch with labels would add the loss to it; None if it is not known."""
    import torch

    try:
        size = trainer.args.imgsz
        height, width = (size, size) if isinstance(size, int) else size
        parameter = next(trainer.model.parameters())
        channels = trainer.data.get("channels", 3)
        return torch.zeros((1, channels, height, width), device=parameter.device, dtype=parameter.dtype)
    except Exception:  # A trainer of the user.
        return None
