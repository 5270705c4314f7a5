"""The loss around the way that a run of the digits example took: checkpoints while it trains, landscapes afterwards."""

from collections.abc import Callable
from typing import Any

import numpy as np
from digits_network import Network

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.landscapes import SummaryLandscape
from toposcope.recorder.training import Model
from toposcope.recorder.training.watched_run import WatchedRun

CHECKPOINTS = 20
FIRST = 5


def with_checkpoints(directory: str, network: Network, steps: int, size: int, samples: int) -> WatchedRun:
    """Return a run that keeps the weights now and then, the more often the more they change, up to the last step.

    Args:
        directory: of the run.
        network: what is trained. step() of the returned run is told of each step.
        steps: of the training.
        size: nodes of a landscape, each way.
        samples: behind each of its losses.
    """
    kept = sorted({round(float(step)) for step in np.geomspace(FIRST, steps, CHECKPOINTS)})
    landscapes = {"landscape_size": size, "unit": "step", "num_samples": samples, "intervals": [kept]}
    collector = SummaryCollector(
        directory, collect_specified_data={"collect_landscape": landscapes}, keep_default_action=False
    )
    return collector.watch(network, epochs=1, steps_per_epoch=steps)


def compute_landscapes(
    directory: str, new_network: Callable[[], Network], images: np.ndarray, digits: np.ndarray
) -> None:
    """Measure the losses around the checkpoints in this process; the page draws each level as it comes."""

    def callback_fn() -> Any:
        network = new_network()
        return Model(network), network, [(images, digits)], {"Loss"}

    SummaryLandscape(directory).gen_landscapes_with_multi_process(callback_fn, device_ids=[0])
