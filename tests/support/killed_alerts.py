"""Servers that watch rules of alerts and are killed, while runs are recorded and their webhook fails."""

import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from support import servers
from support.servers import wait_until
from support.webhooks import receiving
from toposcope.recorder import SummaryRecord

_RULES = ("nan(loss)", "finished", "alert")
_RUNS_EACH = 3
"""Runs that are recorded in the life of each server."""


class Outcome(NamedTuple):
    """What arrived."""

    expected: set[tuple[str, str]]
    """The runs and the rules that hold for them."""
    received: Counter[tuple[str, str]]
    """How often the alert of each arrived."""

    @property
    def duplicates(self) -> int:
        """How many alerts arrived again."""
        return sum(self.received.values()) - len(self.received)


def kill_servers(directory: Path, kills: int, seed: int) -> Outcome:
    """Kill so many servers at random, then let one send what is missing.

    Args:
        directory: for the runs, the rules and the data folder.
        kills: how many servers are killed.
        seed: of the random times and failures.
    """
    chance = random.Random(seed)
    names = [f"run-{number}" for number in range(kills * _RUNS_EACH)]
    (directory / "logs").mkdir()
    with receiving() as receiver:
        rules = "".join(f'[[rule]]\nname = "{rule}"\nwhen = "{rule}"\n' for rule in _RULES)
        path = directory / "alerts.toml"
        path.write_text(f'[destination.team]\nkind = "webhook"\nurl = "{receiver.url}"\n{rules}', encoding="utf-8")
        arguments = ("--alerts", str(path), "--data-dir", f"{directory}/data")
        for first in range(0, len(names), _RUNS_EACH):
            receiver.answers = chance.choices([200, 200, 500, 503, 0], k=chance.randrange(6))
            process, _url = servers.start(directory / "logs", *arguments)
            for name in names[first : first + _RUNS_EACH]:
                _record(directory / "logs" / name)
                time.sleep(chance.uniform(0, 0.3))
            time.sleep(chance.uniform(0, 1.5))
            process.send_signal(signal.SIGKILL)
            process.ended()
        receiver.answers = []
        receiver.released.set()
        expected = {(name, rule) for name in names for rule in _RULES}
        process, _url = servers.start(directory / "logs", *arguments)
        wait_until(lambda: expected <= {(each["run"], each["rule"]) for each in list(receiver.received)})
        servers.stop(process)
        return Outcome(expected, Counter((each["run"], each["rule"]) for each in receiver.received))


def _record(directory: Path) -> None:
    with SummaryRecord(directory) as recorder:
        recorder.log({"loss": float("nan")}, 1)
        recorder.alert("Not a number", step=1)
