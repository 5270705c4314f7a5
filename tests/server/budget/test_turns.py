"""Threads that take turns."""

import threading

import pytest

from toposcope.server.budget import turns
from toposcope.server.budget.bounded_access import BoundedAccess
from toposcope.server.budget.turns import give_way, in_turns


def test_a_long_computation_lets_a_short_one_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The short one computes alone between two parts of the long one."""
    monkeypatch.setattr(turns, "_LEAST_TURN", 0.0)
    monkeypatch.setattr(turns, "_access", BoundedAccess(1, 60.0, "busy"))
    order = []

    def compute_short() -> None:
        with in_turns():
            order.append("short")

    thread = threading.Thread(target=compute_short)
    with in_turns():
        order.append("long")
        thread.start()
        while not turns._access.is_awaited:
            pass
        assert order == ["long"]
        give_way()
        order.append("long")
    thread.join()
    assert order == ["long", "short", "long"]


def test_a_thread_whose_turn_does_not_come_computes_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one may wait for a disk; afterwards there are turns again."""
    monkeypatch.setattr(turns, "_access", BoundedAccess(1, 0.01, "busy"))
    computed = threading.Event()

    def compute() -> None:
        with in_turns():
            give_way()
            computed.set()

    with in_turns():
        thread = threading.Thread(target=compute)
        thread.start()
        assert computed.wait(60.0)
        thread.join()
    with in_turns():
        assert turns._current.has_turn
    assert not turns._current.has_turn


def test_a_thread_that_has_no_turn_gives_none_away() -> None:
    """Heavy requests check the same, beside the light ones."""
    give_way()
    with in_turns():
        assert turns._current.has_turn
