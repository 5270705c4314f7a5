"""The rank of this process among those that train together, as the launcher tells it through the environment."""

import re
from collections.abc import Mapping

from toposcope.recorder import log

RANK_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "RANK_ID")
"""torchrun, Slurm, Open MPI, MindSpore; the first that holds a rank counts."""

_RANK = re.compile(r"[0-9]{1,9}")


def rank_of(environment: Mapping[str, str]) -> int:
    """Return the rank that environment names, or 0 when it names none.

    A value that is no rank is reported and passed over: a stray variable is no reason to stop a training.
    """
    for variable in RANK_VARIABLES:
        text = environment.get(variable, "").strip()
        if _RANK.fullmatch(text):
            return int(text)
        if text:
            log.warn("%s=%.40r is not a rank (0, 1, 2, ...): passed over.", variable, text)
    return 0
