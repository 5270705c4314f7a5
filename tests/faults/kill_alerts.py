"""Kill servers that watch alerts at random, and count what arrives: python kill_alerts.py KILLS."""

import sys
import tempfile
from pathlib import Path

from support.killed_alerts import kill_servers


def main(kills: int) -> int:
    """Print what arrived; return 1 if an alert is missing."""
    with tempfile.TemporaryDirectory() as directory:
        outcome = kill_servers(Path(directory), kills, seed=kills)
    missing = outcome.expected - outcome.received.keys()
    print(
        f"{kills} servers killed: {len(outcome.received)} of {len(outcome.expected)} alerts arrived, "
        f"{outcome.duplicates} of them again"
    )
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
