"""Lines of a stream as a terminal would show them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.recorder.collecting.console.screen import Line, Screen


def shown(*writes: str) -> list[str]:
    """Return the lines of these writes."""
    screen = Screen()
    for write in writes:
        screen.write(1.0, write)
    return [line.text for line in screen.take_all()]


def test_lines_are_complete_when_they_end() -> None:
    """A line may be written in parts; the rest is taken at the end."""
    screen = Screen()
    screen.write(1.0, "one\nt")
    assert screen.take_finished() == [Line(1.0, "one")]
    screen.write(2.0, "wo\n\nthree")
    assert screen.take_finished() == [Line(2.0, "two"), Line(2.0, "")]
    assert screen.take_finished() == []
    assert screen.take_all() == [Line(2.0, "three")]


@pytest.mark.parametrize(
    ("writes", "lines"),
    [
        (["1%\r50%\r100%\n", "next"], ["100%", "next"]),
        (["1%", "\r", "2%", "\r\n", "next\r\n"], ["2%", "next"]),
        (["bar\r", " " * 10, "\r", "text\n"], ["text"]),
        (["\x1b[31mred\x1b[0m and \x1b]0;title\x07blue\x08\x00\n"], ["red and blue"]),
        (["one\n", "two\n", "\x1b[1A\x1b[2K", "again\n"], ["one", "again"]),
        (["one\n", "two\n", "\x1b[2F", "three\n"], ["three", "two"]),
        (["long text\r\x1b[Kshort\n"], ["short"]),
        (["tab\tkept\n", "损失\n"], ["tab\tkept", "损失"]),
        (["one\ntwo\n\x1b[2A\x1b[Jnew\n"], ["new"]),
        (["x" * 20_000, "y\n"], ["x" * 16_384]),
    ],
)
def test_control_sequences(writes: list[str], lines: list[str]) -> None:
    """The last state of a rewritten line remains; colours and titles are left out."""
    assert shown(*writes) == lines


@given(st.lists(st.text(st.sampled_from("ab \n"), max_size=10)))
def test_without_control_characters_lines_are_those_of_the_text(writes: list[str]) -> None:
    """Trailing spaces are left out."""
    expected = [line.rstrip() for line in "".join(writes).split("\n")]
    while expected and not expected[-1]:
        expected.pop()

    assert shown(*writes) == expected


@given(st.lists(st.text(st.sampled_from("a \n\r\x1b[2AKJBmH0;]\x07\x08")), max_size=20))
def test_no_text_is_an_error(writes: list[str]) -> None:
    """Also broken escape sequences."""
    assert not re.search(r"[\x00-\x08\x0a-\x1f]", "".join(shown(*writes)))


def bar(position: int, text: str) -> list[str]:
    """Return the writes by which tqdm draws a bar some lines below the cursor."""
    return ["\n" * position, f"\r{text}", "\x1b[A" * position]


def test_a_progress_bar_is_one_line() -> None:
    """Its last state."""
    writes = [write for step in range(1000) for write in bar(0, f"{step}/1000")]

    assert shown(*writes, "\r1000/1000", "\n", "next\n") == ["1000/1000", "next"]


def test_nested_progress_bars_are_a_line_each() -> None:
    """While the cursor moves between them, also where lines are taken meanwhile."""
    screen = Screen()
    lines: list[str] = []
    for epoch in range(3):
        writes = bar(0, f"epoch {epoch}")
        for step in range(50):
            writes += bar(1, f"step {step}")
        writes += ["\n", "\r" + " " * 10 + "\r", "\x1b[A"]  # The inner bar is removed,
        writes += ["\r" + " " * 10 + "\r", f"loss {epoch}\n", *bar(0, f"epoch {epoch}")]  # and tqdm.write() called.
        for write in writes:
            screen.write(1.0, write)
        lines += [line.text for line in screen.take_finished()]
    screen.write(1.0, "\n")
    lines += [line.text for line in screen.take_all()]

    assert lines == ["loss 0", "loss 1", "loss 2", "epoch 2"]
