"""Finds runs and tags by a part of their names."""

from toposcope.server.questions.answers import Matches
from toposcope.server.questions.listing import list_runs
from toposcope.server.questions.metrics import list_tags
from toposcope.server.questions.opening.opened import Opened


def find_matches(opened: Opened, text: str, *, limit: int | None = None) -> Matches:
    """Return the runs and the tags that have a text in their names.

    Args:
        opened: the logdir.
        text: ignoring case; "*" stands for any text. Of runs, aliases and labels are searched too.
        limit: how many runs, and how many tags, to return at most; None: all.
    """
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    runs = list_runs(opened, f'"{quoted}"', descending=True, columns=(), limit=limit)
    tags = list_tags(opened, search=text, limit=limit)
    return Matches(text, [run.run for run in runs.runs], runs.total, [tag.tag for tag in tags.tags], tags.total)
