"""The summaries that the digits example records of a run."""

from typing import Any

import numpy as np
from digits_network import DIGITS, Guesses, Network, nodes

from toposcope.recorder import SummaryRecord, custom_lineage, dataset_graph, eval_lineage, graph, train_lineage
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.training.own_loops.watched_run import WatchedRun

MISTAKES = 16
SIDE = 8
"""Pixels per side of an image."""
ENLARGED = 6
MACHINE_SECONDS = 2.0
PROCESS = {"collect_environment": True, "collect_code": True, "collect_machine": True, "collect_console": True}


def collected(directory: str, network: Network, steps: int, checkpoints: dict[str, Any] | None) -> WatchedRun:
    """Return a run that records the process: environment, code, machine and output; and checkpoints for landscapes.

    Args:
        directory: of the run.
        network: to train; call step() of the returned run after each step.
        steps: of the training.
        checkpoints: the settings of the checkpoints, or None.
    """
    data = PROCESS | ({"collect_landscape": checkpoints} if checkpoints else {})
    collector = SummaryCollector(
        directory, collect_specified_data=data, keep_default_action=False, machine_seconds=MACHINE_SECONDS
    )
    return collector.watch(network, epochs=1, steps_per_epoch=steps)


def record_beginning(
    recorder: SummaryRecord, network: Network, settings: dict[str, float], data: dict[str, int]
) -> None:
    """Record what is known before the training: the graph, the dataset pipeline and the settings.

    Args:
        recorder: the recorder of the run.
        network: the untrained network.
        settings: learning_rate, momentum, hidden and seed.
        data: the numbers of samples "train", "validation" and "batch", and the number of "steps".
    """
    recorder.add_value("graph", "network", graph(nodes(network, data["batch"]), name="Digits"))
    recorder.add_value("dataset_graph", "train", dataset_graph(pipeline(data, int(settings["seed"]))))
    lineage = train_lineage(
        optimizer="Momentum" if settings["momentum"] else "SGD",
        learning_rate=settings["learning_rate"],
        loss_function="CrossEntropy",
        epoch=data["steps"] * data["batch"] // data["train"],
        batch_size=data["batch"],
        train_dataset_size=data["train"],
        network="Digits",
    )
    recorder.add_value("train_lineage", "train", lineage)
    other_settings = {name: value for name, value in settings.items() if name != "learning_rate"}
    recorder.add_value("custom_lineage_data", "settings", custom_lineage(other_settings))
    recorder.record(0)


def pipeline(data: dict[str, int], seed: int) -> dict[str, object]:
    """Return the dataset pipeline, the last stage first."""
    source = {"op_type": "load_digits", "images": data["train"] + data["validation"], "size": [SIDE, SIDE]}
    scaled = {"op_type": "Map", "operations": [{"tensor_op_name": "Divide", "by": 16}], "children": [source]}
    split = {"op_type": "Split", "train": data["train"], "validation": data["validation"], "seed": seed}
    sampler = {"sampler_name": "RandomSampler", "replacement": False, "num_samples": data["batch"]}
    return {
        "op_type": "Batch",
        "batch_size": data["batch"],
        "sampler": sampler,
        "children": [split | {"children": [scaled]}],
    }


def record_training(recorder: SummaryRecord, step: int, guesses: Guesses, learning_rate: float) -> None:
    """Record loss, accuracy and learning rate of a training step."""
    recorder.add_value("scalar", "train/loss", float(guesses.losses.mean()))
    recorder.add_value("scalar", "train/accuracy", guesses.accuracy)
    recorder.add_value("scalar", "learning_rate", learning_rate)
    recorder.record(step)


def record_validation(recorder: SummaryRecord, step: int, guesses: Guesses) -> None:
    """Record loss and accuracy for images that the network was not trained on."""
    recorder.add_value("scalar", "validation/loss", float(guesses.losses.mean()))
    recorder.add_value("scalar", "validation/accuracy", guesses.accuracy)
    recorder.record(step)


def record_details(recorder: SummaryRecord, step: int, network: Network, images: np.ndarray, guesses: Guesses) -> None:
    """Record the parameters of the network and its mistakes; guesses are its predictions for images[n, 64]."""
    for name, parameter in network.parameters().items():
        recorder.add_value("histogram", name, parameter)
    recorder.add_value("image", "hidden units", hidden_units(network.parameters()["hidden.weight"]), dataformats="NHWC")
    if len(worst := mistakes(guesses)):
        recorder.add_value("image", "mistakes", enlarged(images[worst].reshape(-1, SIDE, SIDE, 1)), dataformats="NHWC")
    counts = confusion(guesses)
    recorder.add_value("tensor", "confusion", counts)
    recorder.add_value("text", "report", report(step, counts, guesses, worst))
    metrics = {"accuracy": guesses.accuracy, "loss": float(guesses.losses.mean())}
    recorder.add_value("eval_lineage", "validation", eval_lineage(metrics, valid_dataset_size=len(images)))
    recorder.record(step)


def mistakes(guesses: Guesses) -> np.ndarray:
    """Return the indexes of images that were not recognised, the largest loss first."""
    wrong = np.flatnonzero(guesses.guessed != guesses.digits)
    return wrong[np.argsort(-guesses.losses[wrong], kind="stable")][:MISTAKES]


def confusion(guesses: Guesses) -> np.ndarray:
    """Return the confusion matrix of true (rows) and predicted digits (columns), int64[10, 10]."""
    return np.bincount(guesses.digits * DIGITS + guesses.guessed, minlength=DIGITS * DIGITS).reshape(DIGITS, DIGITS)


def hidden_units(weight: np.ndarray) -> np.ndarray:
    """Return the weights of each hidden unit as images uint8[units, height, width, 3]: positive red, negative blue."""
    # Weights of a diverged network may be NaN: black.
    strength = weight.T.reshape(-1, SIDE, SIDE, 1) / max(np.nanmax(np.abs(weight), initial=0.0), 1e-12)
    positive, negative = np.clip(strength, 0, 1), np.clip(-strength, 0, 1)
    colours = np.concatenate([1 - negative, 1 - np.maximum(positive, negative), 1 - positive], axis=3)
    return enlarged((255 * np.nan_to_num(colours, posinf=0.0, neginf=0.0)).astype(np.uint8))


def enlarged(images: np.ndarray) -> np.ndarray:
    """Return images[n, height, width, channels] with enlarged pixels and a margin."""
    large = images.repeat(ENLARGED, axis=1).repeat(ENLARGED, axis=2)
    margin = 255 if large.dtype == np.uint8 else 1.0
    return np.pad(large, ((0, 0), (0, 2), (0, 2), (0, 0)), constant_values=margin)


def report(step: int, counts: np.ndarray, guesses: Guesses, worst: np.ndarray) -> str:
    """Return a report of the recognised digits and the worst mistakes, as Markdown."""
    summary = f"**{int(counts.trace())} of {int(counts.sum())}** images recognised after step {step}, of the digit"
    shares = [
        f"* **{digit}** {row[digit] / row.sum():.0%}{confused_with(digit, row)}" for digit, row in enumerate(counts)
    ]
    wrong = ", ".join(f"{guesses.digits[index]} recognised as {guesses.guessed[index]}" for index in worst)
    return "\n".join(
        [summary, "", *shares, "", f"The worst mistakes, as in the image: {wrong}." if wrong else "No mistakes."]
    )


def confused_with(digit: int, counts: np.ndarray) -> str:
    """Return the most frequent wrong prediction for a digit as text; "" if there is none."""
    wrong = np.where(np.arange(DIGITS) == digit, 0, counts)
    return f", otherwise mostly as {wrong.argmax()}" if wrong.any() else ""
