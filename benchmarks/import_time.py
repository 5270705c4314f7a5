"""Measure what importing the recorder costs after importing NumPy.

python benchmarks/import_time.py [--rounds N]    (make bench-import)

Each import runs in a fresh process that has imported NumPy; the imports take turns within a round. All modules are
compiled before the first round, as they are after an installation. Prints the median CPU time of each import, all
threads included, and the number of modules that it loads.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping

IMPORTS = (
    "import numpy",
    "import toposcope.recorder",
    "from toposcope.recorder import SummaryRecord",
    "from toposcope.recorder.callbacks import SummaryCollector",
)
_MEASURED = """
import sys, time
{before}
modules, seconds = len(sys.modules), time.process_time()
{program}
print(time.process_time() - seconds, len(sys.modules) - modules)
"""


def main() -> None:
    """Measure all rounds and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="processes per import (default: %(default)s)")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as cache:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = cache
        modules = {program: measure(program, environment)[1] for program in IMPORTS}  # Compiles.
        seconds: dict[str, list[float]] = {program: [] for program in IMPORTS}
        for _ in range(rounds):
            for program in IMPORTS:
                seconds[program].append(measure(program, environment)[0])
    for program, used in seconds.items():
        print(f"{1000 * statistics.median(used):8.1f} ms  {modules[program]:4} modules  {program}")


def measure(program: str, environment: Mapping[str, str]) -> tuple[float, int]:
    """Return the CPU time in seconds of an import in a new process, and the number of modules that it loads."""
    before = "" if program == IMPORTS[0] else IMPORTS[0]
    command = [sys.executable, "-c", _MEASURED.format(before=before, program=program)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    seconds, modules = done.stdout.split()
    return float(seconds), int(modules)


if __name__ == "__main__":
    main()
