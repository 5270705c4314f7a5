"""What a custom element of the page has drawn, by its `debugState()`."""

import time
from typing import Any

from playwright.sync_api import Locator

from support.servers import SLOW_SECONDS


def state_of(element: Locator) -> dict[str, Any]:
    """Return the state of an element, once there is exactly one."""
    state: dict[str, Any] = element.evaluate("element => element.debugState()")
    return state


def expect_state(element: Locator, name: str, value: object) -> None:
    """Wait until a part of an element's state has this value."""
    deadline = time.monotonic() + SLOW_SECONDS
    while (found := state_of(element)[name]) != value:
        assert time.monotonic() < deadline, f"{name} is {found!r}, not {value!r}"
        element.page.wait_for_timeout(50)
