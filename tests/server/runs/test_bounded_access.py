"""Access that is limited to a few threads."""

import threading

import pytest

from toposcope.server.budget.bounded_access import BoundedAccess


def test_threads_are_admitted_in_the_order_in_which_they_came() -> None:
    """A thread that comes back at once does not keep out the one that waits."""
    access = BoundedAccess(1, 60.0, "busy")
    admitted = threading.Event()

    def wait() -> None:
        with access.admitted():
            admitted.set()

    thread = threading.Thread(target=wait)
    with access.admitted():
        thread.start()
        while not access._waiting:
            pass
    with access.admitted():
        assert admitted.is_set()
    thread.join()


def test_nobody_waits_after_one_has_waited_in_vain() -> None:
    """Until one that was admitted leaves: then the next one is admitted."""
    access = BoundedAccess(1, 0.01, "busy")
    with access.admitted():
        with pytest.raises(TimeoutError, match="busy"), access.admitted():
            pass
        access._seconds = 60.0
        with pytest.raises(TimeoutError, match="busy"), access.admitted():
            pass
    with access.admitted():
        pass


def test_no_more_than_allowed_are_admitted() -> None:
    """Many threads that come and go are never more than two at a time, and all are admitted."""
    access = BoundedAccess(2, 60.0, "busy")
    lock = threading.Lock()
    inside = most = total = 0

    def visit() -> None:
        nonlocal inside, most, total
        for _ in range(50):
            with access.admitted():
                with lock:
                    inside, total = inside + 1, total + 1
                    most = max(most, inside)
                with lock:
                    inside -= 1

    threads = [threading.Thread(target=visit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most <= 2
    assert total == 400
