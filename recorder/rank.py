"""The rank of this process among those that train together, as the launcher tells it through the environment."""

import re
from collections.abc import Iterable, Mapping

from toposcope.recorder import log

RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "RANK_ID")
"""torchrun, Slurm, Open MPI, MindSpore; the first that holds a rank counts."""
WORLD_SIZE_VARIABLES = ("WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "RANK_SIZE")
"""The number of processes, by the same launchers in the same order."""

_RANK = re.compile(r"[0-9]{1,9}")
_WORLD_SIZE = re.compile(r"0*[1-9][0-9]{0,8}")


def rank_of(environment: Mapping[str, str]) -> int:
    """Return the rank that environment names, or 0 when it names none.

    A value that is no rank is reported and passed over: a stray variable is no reason to stop a training.
    """
    rank = _first(environment, RANK_VARIABLES, _RANK, "a rank (0, 1, 2, ...)")
    return 0 if rank is None else rank


def world_size_of(environment: Mapping[str, str]) -> int:
    """Return how many processes train together, at least one more than the rank; 1 when environment names no number."""
    size = _first(environment, WORLD_SIZE_VARIABLES, _WORLD_SIZE, "a number of processes (1, 2, ...)")
    return max(size or 1, rank_of(environment) + 1)


def _first(environment: Mapping[str, str], variables: Iterable[str], form: re.Pattern[str], wanted: str) -> int | None:
    for variable in variables:
        text = environment.get(variable, "").strip()
        if form.fullmatch(text):
            return int(text)
        if text:
            log.warn("%s=%.40r is not %s: passed over.", variable, text, wanted)
    return None
