"""What the digits example records of a run: each function is one kind of summary."""

import numpy as np
from digits_network import DIGITS, Guesses, Network, nodes

from toposcope.recorder import SummaryRecord, custom_lineage, dataset_graph, eval_lineage, graph, train_lineage

MISTAKES = 16
SIDE = 8
"""Pixels of an image, each way."""
ENLARGED = 6


def record_beginning(
    recorder: SummaryRecord, network: Network, settings: dict[str, float], data: dict[str, int]
) -> None:
    """Record what is known before the training: the graph, the data's way to the network, and the settings.

    Args:
        recorder: of the run.
        network: untrained.
        settings: learning_rate, momentum, hidden and seed.
        data: samples of "train" and of "validation", of a "batch", and "steps".
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
    told = {name: value for name, value in settings.items() if name != "learning_rate"}
    recorder.add_value("custom_lineage_data", "settings", custom_lineage(told))
    recorder.record(0)


def pipeline(data: dict[str, int], seed: int) -> dict[str, object]:
    """Return how the images come to the network, the last stage first."""
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
    """Record how a step of the training went."""
    recorder.add_value("scalar", "train/loss", float(guesses.losses.mean()))
    recorder.add_value("scalar", "train/accuracy", guesses.accuracy)
    recorder.add_value("scalar", "learning_rate", learning_rate)
    recorder.record(step)


def record_validation(recorder: SummaryRecord, step: int, guesses: Guesses) -> None:
    """Record how well images are recognised that the network was not trained on."""
    recorder.add_value("scalar", "validation/loss", float(guesses.losses.mean()))
    recorder.add_value("scalar", "validation/accuracy", guesses.accuracy)
    recorder.record(step)


def record_details(recorder: SummaryRecord, step: int, network: Network, images: np.ndarray, guesses: Guesses) -> None:
    """Record what the network has become, and what it gets wrong: images[n, 64] of which guesses were made."""
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
    """Return where the images are that were not recognised, the worst loss first."""
    wrong = np.flatnonzero(guesses.guessed != guesses.digits)
    return wrong[np.argsort(-guesses.losses[wrong], kind="stable")][:MISTAKES]


def confusion(guesses: Guesses) -> np.ndarray:
    """Return how often each digit (row) was taken for each (column), int64[10, 10]."""
    return np.bincount(guesses.digits * DIGITS + guesses.guessed, minlength=DIGITS * DIGITS).reshape(DIGITS, DIGITS)


def hidden_units(weight: np.ndarray) -> np.ndarray:
    """Return what each hidden unit looks for, as pictures uint8[units, height, width, 3]: red for, blue against."""
    # A diverged network has weights that are no numbers: black.
    strength = weight.T.reshape(-1, SIDE, SIDE, 1) / max(np.nanmax(np.abs(weight), initial=0.0), 1e-12)
    for_it, against = np.clip(strength, 0, 1), np.clip(-strength, 0, 1)
    colours = np.concatenate([1 - against, 1 - np.maximum(for_it, against), 1 - for_it], axis=3)
    return enlarged((255 * np.nan_to_num(colours, posinf=0.0, neginf=0.0)).astype(np.uint8))


def enlarged(pictures: np.ndarray) -> np.ndarray:
    """Return pictures[n, height, width, channels] with larger pixels, and a margin between one and the next."""
    large = pictures.repeat(ENLARGED, axis=1).repeat(ENLARGED, axis=2)
    margin = 255 if large.dtype == np.uint8 else 1.0
    return np.pad(large, ((0, 0), (0, 2), (0, 2), (0, 0)), constant_values=margin)


def report(step: int, counts: np.ndarray, guesses: Guesses, worst: np.ndarray) -> str:
    """Return what the network can do by now, as Markdown."""
    right = f"**{int(counts.trace())} of {int(counts.sum())}** images recognised after step {step}, of the digit"
    shares = [f"* **{digit}** {row[digit] / row.sum():.0%}{taken_for(digit, row)}" for digit, row in enumerate(counts)]
    wrong = ", ".join(f"{guesses.digits[at]} taken for {guesses.guessed[at]}" for at in worst)
    return "\n".join(
        [right, "", *shares, "", f"The worst mistakes, as in the image: {wrong}." if wrong else "No mistakes."]
    )


def taken_for(digit: int, counts: np.ndarray) -> str:
    """Return what a digit is most often taken for when it is not recognised; nothing when it always is."""
    others = np.where(np.arange(DIGITS) == digit, 0, counts)
    return f", else mostly {others.argmax()}" if others.any() else ""
