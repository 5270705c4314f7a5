"""Measure what importing the recorder costs, beside importing NumPy.

python benchmarks/import_time.py [--rounds N]    (make bench-import)

Each import runs in a fresh process; the imports take turns within a round. Prints the median CPU time of each process,
all its threads included, and the difference from the process that imports NumPy.
"""

import argparse
import resource
import statistics
import subprocess
import sys

BASE = "import numpy"
IMPORTS = (
    BASE,
    "import numpy, toposcope.recorder",
    "from toposcope.recorder import SummaryRecord",
    "from toposcope.recorder.callbacks import SummaryCollector",
)


def main() -> None:
    """Measure all rounds and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="processes per import (default: %(default)s)")
    rounds = parser.parse_args().rounds
    seconds: dict[str, list[float]] = {program: [] for program in IMPORTS}
    for number in range(rounds + 1):
        for program in IMPORTS:
            used = cpu_seconds(program)
            if number:  # The first round fills the file cache.
                seconds[program].append(used)
    base = statistics.median(seconds[BASE])
    for program, used_in in seconds.items():
        median = statistics.median(used_in)
        print(f"{1000 * median:8.1f} ms  {1000 * (median - base):+8.1f} ms  {program}")


def cpu_seconds(program: str) -> float:
    """Return the CPU time of a Python process that runs a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
