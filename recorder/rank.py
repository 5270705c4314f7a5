"""The rank of this process and the number of processes, of torch.distributed or as launchers set them."""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from toposcope.recorder import log

RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "RANK_ID")
"""Variables of torchrun, Slurm, Open MPI and MindSpore. The first one with a valid rank is used."""
WORLD_SIZE_VARIABLES = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "RANK_SIZE")
"""Number of processes, by the same launchers in the same order."""

_RANK = re.compile(r"[0-9]{1,9}")
_WORLD_SIZE = re.compile(r"0*[1-9][0-9]{0,8}")


def process_rank() -> int:
    """Return the rank of this process: in torch.distributed if that is initialized, otherwise rank_of(os.environ).

    Lightning, and programs that spawn processes, set no variable that names the rank among all processes.
    """
    distributed = _initialized_distributed()
    return rank_of(os.environ) if distributed is None else int(distributed.get_rank())


def process_count() -> int:
    """Return the number of processes that train together, as known to torch.distributed or from os.environ."""
    distributed = _initialized_distributed()
    return world_size_of(os.environ) if distributed is None else int(distributed.get_world_size())


def _initialized_distributed() -> Any:
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed


def rank_of(environment: Mapping[str, str]) -> int:
    """Return the rank of this process, or 0 if environment has none.

    An invalid value is logged and ignored: a stray variable must not stop a training.
    """
    rank = _first_valid(environment, RANK_VARIABLES, _RANK, "a rank (0, 1, 2, ...)")
    return 0 if rank is None else rank


def world_size_of(environment: Mapping[str, str]) -> int:
    """Return the number of processes that train together: 1 if environment has none, and always more than the rank."""
    size = _first_valid(environment, WORLD_SIZE_VARIABLES, _WORLD_SIZE, "a number of processes (1, 2, ...)")
    return max(size or 1, rank_of(environment) + 1)


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
