"""Measure how soon a million scalars of another tool's log can be queried, beside the tool's own reader.

python benchmarks/formats.py [FORMAT ...]    (make bench-formats)

The logs are written and read with the older releases of the tools (see formats_tools.py), as the newer wandb has no
reader in Python. Prints a row for each reader: the number of points, seconds, CPU seconds and the largest memory in MB;
ours twice: without an index, and with the index of the first time. At last, how long a row that is appended to the
table takes to be in a reply of a server.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import server_process
from reader import BUILD, ROOT
from report import report

FORMATS = ("wandb", "mlruns", "mlflow", "trackio", "csv")
TOOLS = (str(ROOT / "build/interop/formats_older/bin/python"), str(Path(__file__).with_name("formats_tools.py")))
APPENDED = 20
_OURS = """
import json, resource, sys, time
from pathlib import Path
from toposcope.server.loading.load_once import load_logdir
from toposcope.server.reading.index.index import Index

start = time.perf_counter()
runs = load_logdir(sys.argv[1], Index(Path(sys.argv[2]))).runs.values()
series = [each for run in runs for file in run.files for tag, each in file.series.items() if tag.plugin == "scalar"]
usage = resource.getrusage(resource.RUSAGE_SELF)
figures = {"points": sum(each.total for each in series), "s": time.perf_counter() - start}
print(json.dumps(figures | {"cpu": usage.ru_utime + usage.ru_stime, "mb": usage.ru_maxrss / 1024}))
"""


def main() -> None:
    """Write each log, and read it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", metavar="FORMAT", nargs="*", default=FORMATS)
    BUILD.mkdir(parents=True, exist_ok=True)
    for name in parser.parse_args().formats:
        with tempfile.TemporaryDirectory(prefix=f"{name}-", dir=BUILD) as folder:
            logs, index = Path(folder, "logs"), Path(folder, "index")
            logs.mkdir()
            subprocess.run([*TOOLS, "write", name, str(logs)], check=True)
            ours = (sys.executable, "-c", _OURS, str(logs), str(index))
            print_row(name, "the tool", (*TOOLS, "read", name, str(logs)))
            print_row(name, "toposcope", ours)
            print_row(name, "toposcope, with its index", ours)
            if name == "csv":
                append_rows(logs, index)


def print_row(name: str, reader: str, command: tuple[str, ...]) -> None:
    """Read in a process of its own, and print what it took."""
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    figures = json.loads(output)
    print(
        f"{name:8} {reader:26} {figures['points']:>9,} points {figures['s']:7.2f} s {figures['cpu']:7.2f} s of CPU"
        f" {figures['mb']:5.0f} MB",
        flush=True,
    )


def append_rows(logs: Path, index: Path) -> None:
    """Append rows to the table while a server shows it, and print how long each takes to be served."""
    waits = []
    with server_process.serve(logs, index) as server, (logs / "progress.csv").open("a") as file:
        server.wait_loaded()
        tag = {"tag": "metric_0", "points": 1}
        total = server.get("scalars", **tag)["series"][0]["total"]
        for number in range(1, APPENDED + 1):
            file.write(f"{total + number},{','.join('0.5' for _ in range(10))}\n")
            file.flush()
            start = time.perf_counter()
            while server.get("scalars", **tag)["series"][0]["total"] < total + number:
                time.sleep(0.005)
            waits.append(1000 * (time.perf_counter() - start))
    report("A row that is appended to a table of 100 MB is served", "< 1000 ms", waits)


if __name__ == "__main__":
    main()
