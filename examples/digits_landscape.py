"""Loss landscapes of a run of the digits example: checkpoints during the training, landscapes afterwards."""

from collections.abc import Callable
from typing import Any

import numpy as np
from digits_network import Network

from toposcope.recorder.landscapes import SummaryLandscape
from toposcope.recorder.training import Model

CHECKPOINTS = 20
FIRST = 5


def landscape_checkpoints(steps: int, size: int, samples: int) -> dict[str, Any]:
    """Return the settings to save the weights at steps that are denser at first, up to the last step.

    Args:
        steps: of the training.
        size: nodes of a landscape along each axis.
        samples: for each of its losses.
    """
    saved = sorted({round(float(step)) for step in np.geomspace(FIRST, steps, CHECKPOINTS)})
    return {"landscape_size": size, "unit": "step", "num_samples": samples, "intervals": [saved]}


def compute_landscapes(
    directory: str, new_network: Callable[[], Network], images: np.ndarray, digits: np.ndarray
) -> None:
    """Measure the losses around the checkpoints in this process; the page draws each level when it is published."""

    def callback_fn() -> Any:
        network = new_network()
        return Model(network), network, [(images, digits)], {"Loss"}

    SummaryLandscape(directory).gen_landscapes_with_multi_process(callback_fn, device_ids=[0])
