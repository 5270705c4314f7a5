"""Make every operation of the place where event files lie fail once, with every error.

python tests/faults/fail_operations.py

Prints how many were tried and what was lost; the exit status is 1 if anything was.
"""

import errno
import logging
import sys
import tempfile
from pathlib import Path

from support.fault_scenario import STATES, LostError, Scenario, State
from support.faulty_place import ERRORS, FailOnce, FaultyPlace

from toposcope.server.places.local_disk import LocalDisk


def main() -> int:
    """Try all faults; return the exit status."""
    logging.disable(logging.CRITICAL)
    lost = tried = 0
    with tempfile.TemporaryDirectory(prefix="toposcope-faults-") as folder:
        scenario = Scenario(Path(folder))
        for state in STATES:
            operations = _try(scenario, FailOnce(-1, errno.EIO), state)
            for number in range(operations):
                for error in ERRORS:
                    try:
                        _try(scenario, FailOnce(number, error), state)
                    except LostError as reason:
                        lost += 1
                        print(f"operation {number}, {errno.errorcode[error]}, {state}: {reason}")
                    tried += 1
    print(f"{tried} faults of operations tried: {lost} lost something")
    return 1 if lost else 0


def _try(scenario: Scenario, fails: FailOnce, state: State) -> int:
    """Run the scenario; return how many operations it has."""
    scenario.prepare(state)
    scenario.recover(FaultyPlace(LocalDisk(str(scenario.live / "runs")), fails), fails.stop)
    return fails.count


if __name__ == "__main__":
    sys.exit(main())
