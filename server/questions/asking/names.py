"""The names of the questions; each is a module here, which is imported when it is asked."""

import importlib
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from toposcope.server.questions.asking.question import Question

Name = Literal["runs", "tags", "get", "show", "compare", "best", "console", "text", "image", "diagnose", "check"]
NAMES: tuple[Name, ...] = get_args(Name)


def question_named(name: str) -> "Question":
    """Return a question, by one of NAMES."""
    question: Question = importlib.import_module(f"toposcope.server.questions.asking.{name}").QUESTION
    return question
