"""A receiver of webhooks, and rules that send to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.webhooks import Receiver, RulesFor, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Receive webhooks."""
    with receiving() as each:
        yield each


@pytest.fixture
def rules_for(tmp_path: Path, receiver: Receiver) -> RulesFor:
    """Return a function that writes a file of rules that send to the receiver, and returns its path."""

    def write(*conditions: str, more: str = "") -> str:
        path = tmp_path / "alerts.toml"
        rules = [f"[[rule]]\nname = {condition!r}\nwhen = {condition!r}\n{more}\n" for condition in conditions]
        path.write_text(f'[destination.team]\nkind = "webhook"\nurl = "{receiver.url}"\n\n' + "\n".join(rules))
        return str(path)

    return write
