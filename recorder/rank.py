"""The rank of this process and the number of processes, of torch.distributed, of JAX or as launchers set them."""

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.imported import imported

RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "RANK_ID")
"""Variables of torchrun, Slurm, Open MPI and MindSpore. The first one with a valid rank is used."""
WORLD_SIZE_VARIABLES = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "RANK_SIZE")
"""Number of processes, by the same launchers in the same order."""

_RANK = re.compile(r"[0-9]{1,9}")
_WORLD_SIZE = re.compile(r"0*[1-9][0-9]{0,8}")


def process_rank() -> int:
    """Return the rank of this process: in torch.distributed or JAX if initialized, otherwise rank_of(os.environ).

    Lightning, and programs that spawn processes, set no variable that names the rank among all processes.
    """
    connected = _connected_processes()
    return rank_of(os.environ) if connected is None else connected[0]


def process_count() -> int:
    """Return the number of processes that train together, as the libraries know it or from os.environ."""
    connected = _connected_processes()
    return world_size_of(os.environ) if connected is None else connected[1]


def _connected_processes() -> tuple[int, int] | None:
    """Return the rank and the number of the processes that a library has connected; None if none has."""
    distributed: Any = imported("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank()), int(distributed.get_world_size())
    # What jax.distributed.initialize() sets. jax.process_index() waits for the other processes.
    state: Any = getattr(imported("jax._src.distributed"), "global_state", None)
    if getattr(state, "client", None) is not None:
        return int(state.process_id), int(state.num_processes)
    return None


def rank_of(environment: Mapping[str, str]) -> int:
    """Return the rank of this process, or 0 if environment has none.

    An invalid value is logged and ignored: a stray variable must not stop a training.
    """
    rank = _first_valid(environment, RANK_VARIABLES, _RANK, "a rank (0, 1, 2, ...)")
    return _tensorflow_processes(environment)[0] if rank is None else rank


def world_size_of(environment: Mapping[str, str]) -> int:
    """Return the number of processes that train together: 1 if environment has none, and always more than the rank."""
    size = _first_valid(environment, WORLD_SIZE_VARIABLES, _WORLD_SIZE, "a number of processes (1, 2, ...)")
    return max(size or _tensorflow_processes(environment)[1], rank_of(environment) + 1)


def _tensorflow_processes(environment: Mapping[str, str]) -> tuple[int, int]:
    """Return the rank and the number of processes that TF_CONFIG describes: the chief, then the workers; else 0 and 1.

    The format is that of tf.distribute.cluster_resolver.TFConfigClusterResolver. Evaluators and parameter servers are
    not among those that train.
    """
    if not (text := environment.get("TF_CONFIG")):
        return 0, 1
    import json  # Rarely needed, and not imported with the recorder otherwise.

    try:
        config = json.loads(text)
        cluster, task = config.get("cluster", {}), config.get("task", {})
        workers = [(kind, index) for kind in ("chief", "worker") for index in range(len(cluster.get(kind, ())))]
        return workers.index((task.get("type"), int(task.get("index", 0)))), len(workers)
    except (TypeError, ValueError, AttributeError):
        return 0, 1


def _first_valid(
    environment: Mapping[str, str], variables: Iterable[str], pattern: re.Pattern[str], expected: str
) -> int | None:
    for variable in variables:
        text = environment.get(variable, "").strip()
        if pattern.fullmatch(text):
            return int(text)
        if text:
            log.warn("%s=%.40r is not %s and is ignored.", variable, text, expected)
    return None
