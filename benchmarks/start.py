"""Measure the start of the server: from the command to the first chart's data, compared with rustboard; and --help.

python benchmarks/start.py [--rounds N]    (make bench-start)

Every round starts each program once, in another order than the round before; the files are in the page cache and there
is no index. Toposcope's time ends with the reply to a request for a series of 1,000,000 points, which is repeated until
all points are there. rustboard's ends when it has loaded them; it is not asked for any. CPU time is that of all
threads until then. Prints medians, ranges, and the median of the ratios of the rounds.
"""

import argparse
import functools
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import event_logs
import server_process
from process_stats import cpu_ms
from reader import BUILD, OURS, PYTHONS, RUSTBOARD, Trials, measure, ratio

POINTS = 1_000_000
TAG = "train/loss"
HELP, SUBCOMMAND_HELP = "summary-server --help", "summary-server inspect --help"
_RUSTBOARD = """
import sys
import time

from load_logdir import cpu_ms, rustboard, wait_loaded

start = time.perf_counter()
with rustboard(sys.argv[1], "--reload", "once") as (process, _):
    wait_loaded(process)
    print(1000 * (time.perf_counter() - start), cpu_ms(process.pid))
"""


def start_toposcope(logdir: Path) -> dict[str, float]:
    """Start a server without an index and request a chart until the reply contains all points."""
    with tempfile.TemporaryDirectory(dir=BUILD) as index:
        start = time.perf_counter()
        with server_process.serve(logdir, Path(index)) as server:
            while True:
                reply = server.get("scalars", tag=TAG, points=1000)
                if reply and reply["series"] and reply["series"][0]["total"] == POINTS:
                    return {"ms": 1000 * (time.perf_counter() - start), "cpu": cpu_ms(server.process.pid)}
                time.sleep(0.005)


def start_rustboard(logdir: Path) -> dict[str, float]:
    """Start rustboard and wait until it has loaded everything."""
    command = [str(PYTHONS["rustboard"]), "-c", _RUSTBOARD, str(logdir)]
    output = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True).stdout
    ms, cpu = map(float, output.split())
    return {"ms": ms, "cpu": cpu}


def run_command(*arguments: str) -> dict[str, float]:
    """Run summary-server until it ends."""
    command = [sys.executable, "-m", "toposcope.server.cli", *arguments]
    before, start = _cpu_of_children(), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return {"ms": 1000 * (time.perf_counter() - start), "cpu": 1000 * (_cpu_of_children() - before)}


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(trials: Trials, rounds: int) -> None:
    """Run trials and print a row for each."""
    results = measure(trials, rounds)
    first = next(iter(results.values()))
    for name, figures in results.items():
        for figure in ("ms", "cpu"):
            values = [each[figure] for each in figures]
            spread = f"{min(values):8.0f} .. {max(values):8.0f}"
            compared = ratio([each[figure] for each in first], values)
            print(f"  {name:30}{figure:4}{statistics.median(values):8.0f}  {spread}{compared}", flush=True)


def main() -> None:
    """Run the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="trials of each program (default 5)")
    options = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before, {options.rounds} rounds")
    with tempfile.TemporaryDirectory(prefix="logs-", dir=BUILD) as folder:
        event_logs.write_scalars(Path(folder, "run"), "tensorboard", [TAG], POINTS)
        os.sync()
        print("\nfrom the command to the first chart's data of 1,000,000 points; goal: less than rustboard")
        trials: Trials = {
            OURS: functools.partial(start_toposcope, Path(folder)),
            RUSTBOARD: functools.partial(start_rustboard, Path(folder)),
        }
        report(trials, options.rounds)
    print("\nfrom the command to its end; goal: 300 ms")
    report({HELP: functools.partial(run_command, "--help")}, options.rounds)
    report({SUBCOMMAND_HELP: functools.partial(run_command, "inspect", "--help")}, options.rounds)


if __name__ == "__main__":
    main()
