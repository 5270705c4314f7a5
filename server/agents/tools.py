"""The tools of agents: each asks a question, and returns a small reply with a cursor for more."""

import dataclasses
from typing import Annotated

from pydantic import Field

from toposcope.server.agents.replies import Reply, reply
from toposcope.server.questions.answers import (
    BestRuns,
    Comparison,
    ConsoleLines,
    Diagnosis,
    Matches,
    RunFacts,
    RunList,
    SeriesList,
    TagList,
    Texts,
)
from toposcope.server.questions.comparison import compare_runs, show_run
from toposcope.server.questions.diagnosis import diagnose_run
from toposcope.server.questions.listing import DEFAULT_COLUMNS, find_best, list_runs
from toposcope.server.questions.matches import find_matches
from toposcope.server.questions.metrics import list_tags, read_series
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.questions.recorded.records import read_console, read_texts

_MAX_POINTS = 200
_MAX_TEXT = 2000
"""Characters of texts in a reply."""

Run = Annotated[str, Field(description="Name of a run, as list_runs returns it")]
Search = Annotated[
    str, Field(description="Which runs, such as `state:failed lr<0.1 min(val/loss)<0.2 name:sweep`; empty: all")
]
Cursor = Annotated[str, Field(description="next_cursor of the reply before; empty: from the beginning")]


class Tools:
    """The tools. Their docstrings are what agents read.

    Args:
        opened: the logdir.
    """

    def __init__(self, opened: Opened) -> None:
        self._opened = opened

    def list_runs(
        self,
        search: Search = "",
        sort: Annotated[str, Field(description="Field, hyperparameter or metric, such as lr or min(loss)")] = "started",
        descending: Annotated[bool, Field(description="Largest values, or newest runs, first")] = True,
        columns: Annotated[
            list[str], Field(description="Fields, hyperparameters and metrics to list, such as state, lr, max(acc)")
        ] = list(DEFAULT_COLUMNS),  # noqa: B006 - it is in the schema of the tool, and never changed.
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
        cursor: Cursor = "",
    ) -> Reply:
        """List runs with their state and the values you ask for, newest first."""
        start = _offset(cursor)
        listed = list_runs(
            self._opened, search, sort=sort, descending=descending, columns=columns, offset=start, limit=limit
        )

        def ask(items: int) -> RunList:
            return dataclasses.replace(listed, runs=listed.runs[:items])

        return reply(ask, limit, lambda found: _after(start, len(found.runs), found.total))

    def get_run(self, run: Run, cursor: Cursor = "") -> Reply:
        """Describe a run: state, error, alerts, hyperparameters, environment, notes, last and best of each metric."""
        start, facts = _offset(cursor), show_run(self._opened, run)

        def ask(items: int) -> RunFacts:
            return dataclasses.replace(facts, metrics=facts.metrics[start : start + items])

        return reply(ask, 50, lambda found: _after(start, len(found.metrics), len(facts.metrics)))

    def list_tags(
        self,
        run: Annotated[str, Field(description="Name of a run; empty: the tags of all runs")] = "",
        plugin: Annotated[str, Field(description="Kind: scalar, image, text, histogram; empty: all")] = "",
        search: Annotated[str, Field(description="A part of the name; * stands for any text")] = "",
        cursor: Cursor = "",
    ) -> Reply:
        """List the tags that runs recorded: names of metrics, texts, images and others."""
        start, most = _offset(cursor), 100
        listed = list_tags(self._opened, run or None, plugin=plugin or None, search=search, offset=start, limit=most)

        def ask(items: int) -> TagList:
            return dataclasses.replace(listed, tags=listed.tags[:items])

        return reply(ask, most, lambda found: _after(start, len(found.tags), found.total))

    def get_metrics(
        self,
        runs: Annotated[list[Run], Field(min_length=1, max_length=20)],
        tags: Annotated[list[str], Field(max_length=20, description="Scalar tags")] = [],  # noqa: B006 - it is in the schema of the tool, and never changed.
        expressions: Annotated[
            list[str], Field(max_length=20, description="Expressions of tags, such as `val/loss - train/loss`")
        ] = [],  # noqa: B006 - it is in the schema of the tool, and never changed.
        first_step: Annotated[int | None, Field(description="Of the window")] = None,
        last_step: Annotated[int | None, Field(description="Of the window, included")] = None,
        points: Annotated[int, Field(ge=1, le=_MAX_POINTS, description="About how many points of each series")] = 10,
        smooth: Annotated[str, Field(description="auto, ema:WEIGHT or median:WINDOW; empty: not smoothed")] = "",
    ) -> Reply:
        """Read scalar series: the number of points, the extremes with their steps, and a few points of each."""

        def ask(items: int) -> SeriesList:
            return read_series(
                self._opened,
                runs,
                tags,
                expressions,
                first_step=float("-inf") if first_step is None else first_step,
                last_step=float("inf") if last_step is None else last_step,
                points=items,
                smooth=smooth or None,
            )

        return reply(ask, points, lambda _: None)

    def compare_runs(
        self, runs: Annotated[list[Run], Field(min_length=2, max_length=10)], cursor: Cursor = ""
    ) -> Reply:
        """Compare runs: hyperparameters that differ, and the best value of each metric beside that of the first run."""
        start, compared = _offset(cursor), compare_runs(self._opened, runs)

        def ask(items: int) -> Comparison:
            parameters = [] if start else compared.parameters
            return dataclasses.replace(compared, parameters=parameters, metrics=compared.metrics[start : start + items])

        return reply(ask, 50, lambda found: _after(start, len(found.metrics), len(compared.metrics)))

    def find_best_run(
        self,
        metric: Annotated[str, Field(description="A tag whose name says what is better, or min(TAG) or max(TAG)")],
        search: Search = "",
        by: Annotated[str, Field(description="Best of each group: label, regex:PATTERN or param:NAME; or empty")] = "",
        limit: Annotated[int, Field(ge=1, le=100)] = 5,
        cursor: Cursor = "",
    ) -> Reply:
        """Rank runs by the best value of a metric, the best one first."""
        start = _offset(cursor)
        best = find_best(self._opened, metric, search, by=by or None, offset=start, limit=limit)

        def ask(items: int) -> BestRuns:
            return dataclasses.replace(best, runs=best.runs[:items])

        return reply(ask, limit, lambda found: _after(start, len(found.runs), found.total))

    def search(
        self, text: Annotated[str, Field(min_length=1, description="A part of a name; * stands for any text")]
    ) -> Reply:
        """Find runs and tags by a part of their names."""

        def ask(items: int) -> Matches:
            return find_matches(self._opened, text, limit=items)

        return reply(ask, 30, lambda _: None)

    def get_console(
        self,
        run: Run,
        search: Annotated[str, Field(description="Text that a line must contain, ignoring case")] = "",
        limit: Annotated[int, Field(ge=1, le=500)] = 30,
        cursor: Annotated[str, Field(description="Number of a line: those after it; empty: the last ones")] = "",
    ) -> Reply:
        """Read what a training wrote to stdout and stderr: the last lines, those with a text, or those after a line."""
        after = _offset(cursor) if cursor else 0 if search else -limit

        def ask(items: int) -> ConsoleLines:
            return read_console(self._opened, run, after=after, search=search, limit=items, most=_MAX_TEXT)

        return reply(ask, limit, lambda found: None if found.next is None else str(found.next))

    def get_text(
        self,
        run: Run,
        tag: Annotated[str, Field(description="A text tag; empty: all")] = "",
        cursor: Cursor = "",
    ) -> Reply:
        """Read the texts that a run recorded; long ones in pieces."""
        place, _, character = cursor.partition(":")
        start, first = _offset(place), _offset(character)
        found = read_texts(self._opened, run, tag or None, offset=start, limit=20)
        pieces, left, following = [], _MAX_TEXT // 2, _after(start, len(found.texts), found.total)
        for number, each in enumerate(found.texts, start):
            begin = first if number == start else 0
            piece = each.text[begin : begin + left]
            pieces.append(dataclasses.replace(each, text=piece))
            left -= len(piece)
            if begin + len(piece) < len(each.text):
                following = f"{number}:{begin + len(piece)}"
                break
        answer: Texts = dataclasses.replace(found, texts=pieces)
        return reply(lambda _: answer, 1, lambda _: following)

    def diagnose_run(self, run: Run, cursor: Cursor = "") -> Reply:
        """Look for what is wrong in a run: NaN, divergence, stalls, spikes, plateaus; with the numbers that say so."""
        start, diagnosis = _offset(cursor), diagnose_run(self._opened, run)

        def ask(items: int) -> Diagnosis:
            return dataclasses.replace(diagnosis, findings=diagnosis.findings[start : start + items])

        return reply(ask, 30, lambda found: _after(start, len(found.findings), found.total))


def _offset(cursor: str) -> int:
    if cursor and not cursor.isdecimal():
        raise ValueError(f"invalid cursor {cursor!r}: expected the next_cursor of a reply")
    return int(cursor or 0)


def _after(start: int, shown: int, total: int) -> str | None:
    """Return the cursor for what follows a page; None at the end."""
    return str(start + shown) if shown and start + shown < total else None
