"""The facts about a run that a list of all runs shows: small values, which many runs have in common."""

from collections.abc import Callable, Mapping
from typing import Any

from toposcope.server.runs.recordings.run_state import RunState
from toposcope.server.runs.run import RunView

_LONGEST_ERROR = 200


def ended_of(run: RunView) -> float | None:
    """Return when a run ended, in seconds since 1970; see RunState.ended."""
    if _has_state(run):
        return run.state.ended
    (file,) = run.files
    return run.activities[file.path].modified


def _duration(run: RunView) -> float | None:
    started, updated = run.started, run.updated
    return None if started is None or updated is None else updated - started


def _has_state(run: RunView) -> bool:
    """Return whether the files say how the run began or ended; deriving the state of others takes longer."""
    only = run.only_file
    return only is None or only.version.start is not None or only.counters.end is not None


def _of_state(fact: Callable[[RunState], Any]) -> Callable[[RunView], Any]:
    return lambda run: fact(run.state) if _has_state(run) else None


def _error(state: RunState) -> tuple[str, str] | None:
    """Return (the type of the error, the beginning of the first line of its text)."""
    if state.error is None:
        return None
    return state.error.type, state.error.text.strip().partition("\n")[0][:_LONGEST_ERROR]


def _plugin_ranks(run: RunView) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple((plugin, tuple(ranks)) for plugin, ranks in plugin_ranks(run).items())


def plugin_ranks(run: RunView) -> dict[str, list[int]]:
    """Return the ranks that have tags of each plugin; empty if the run has only one rank."""
    ranks: dict[str, list[int]] = {}
    for rank, attempts in run.attempts.items() if len(run.shape[0]) > 1 else ():
        for plugin in sorted({tag.plugin for each in attempts for file in each.files for tag in file.series}):
            ranks.setdefault(plugin, []).append(rank)
    return ranks


RUN_NUMBERS: Mapping[str, Callable[[RunView], float | None]] = {
    "started": lambda run: run.started,
    "updated": lambda run: run.updated,
    "duration": _duration,
    "ended": ended_of,
    "first_step": lambda run: run.steps[0] if run.steps else None,
    "step": lambda run: run.steps[1] if run.steps else None,
    "attempts": lambda run: run.shape[2],
    "ranks": lambda run: len(run.shape[0]),
}
"""Functions that compute numbers."""
FACTS: Mapping[str, Callable[[RunView], Any]] = {
    "ranks": lambda run: run.shape[0],
    "writers": lambda run: run.shape[1],
    "attempts": lambda run: run.shape[2],
    "dialect": lambda run: run.dialect,
    "state": lambda run: run.state_name,
    "phase": _of_state(lambda state: state.phase),
    "error": _of_state(_error),
    "damaged_records": lambda run: sum(len(file.damage) for file in run.files),
    "plugins": lambda run: tuple(run.plugins.items()),
    "plugin_ranks": _plugin_ranks,
}
"""Functions that compute them. Their values are hashable: tuples in place of lists, and of dictionaries their items."""
