"""Checks a condition on runs, so that a program such as a CI job fails."""

from toposcope.server.questions.answers import Check, ListedRun
from toposcope.server.questions.opening.opened import Opened, UnknownNameError
from toposcope.server.search.fields import TEXT_FIELDS
from toposcope.server.search.language.query import Condition, Every, terms
from toposcope.server.search.language.syntax import Field, parse, parse_field


def check_runs(opened: Opened, condition: str, search: str = "") -> Check:
    """Return the runs for which a condition holds, and those that lack a value that it compares.

    Args:
        opened: the logdir.
        condition: in the search syntax, as `max(validation/accuracy) < 0.9`; the check fails if it holds for a run.
        search: which runs to check; empty: all.

    Raises:
        UnknownNameError: no run matches the search, or none has a value that the condition compares.
        ValueError: the condition or the search is invalid.
    """
    failing, chosen, order = parse(condition), parse(search), parse_field("started")
    runs, notes = opened.runs, opened.notes
    checked = [run.name for run in opened.search.find(runs, notes, chosen, order, False).runs]
    found = opened.search.find(runs, notes, Every((chosen, failing)), order, False)
    if not checked:
        raise UnknownNameError("there is no run to check")
    if found.unknown:
        raise UnknownNameError(f"no run has {', '.join(found.unknown)}")
    compared = {
        _name(term): opened.search.values(runs, notes, checked, Field(term.name, term.function))
        for term in terms(failing)
        if isinstance(term, Condition) and (term.function or term.name not in TEXT_FIELDS)
    }
    values = {name: {key: each[place] for key, each in compared.items()} for place, name in enumerate(checked)}
    failed = [run.name for run in found.runs]
    lacking = [name for name in checked if None in values[name].values() and name not in set(failed)]
    return Check(condition, [ListedRun(name, values[name]) for name in failed], lacking, len(checked))


def _name(term: Condition) -> str:
    return f"{term.function}({term.name})" if term.function else term.name
