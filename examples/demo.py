"""Demonstrate Toposcope: start the server, record a long run, train the digits example, and serve until Ctrl-C.

python examples/demo.py [--open]
"""

import argparse
import contextlib
import itertools
import re
import signal
import subprocess
import sys
from pathlib import Path

from demo_views import label_runs, save_workspace

LOGDIR = Path("runs")
TRAINING = Path(__file__).with_name("digits.py")
LONG_RUN = Path(__file__).with_name("simulated_tuning.py")
STOP_SECONDS = 5
Process = subprocess.Popen[str]


def main() -> None:
    """Run the server and the training; end both on Ctrl-C, SIGTERM and SIGHUP."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        with contextlib.ExitStack() as children:
            show(children, ["--open"] if options.open else [])
    except KeyboardInterrupt:  # The children have ended, so that nothing is printed after this line.
        print(f"\nThe demo has ended. Its runs are in {LOGDIR}/.")


def show(children: contextlib.ExitStack, server_options: list[str]) -> None:
    """Start the server, print its address, train, and wait for the server to end."""
    server = start(children, "-m", "toposcope.server.cli", "--logdir", str(LOGDIR), *server_options, read=True)
    assert server.stdout is not None
    line = server.stdout.readline()
    if not line:
        sys.exit(f"The server did not start: it exited with status {server.wait()}.")
    print(line, end="", flush=True)
    if not (long_run := LOGDIR / "simulated-tuning_lr2e-5_bs64").exists():
        start(children, str(LONG_RUN), "--directory", str(long_run)).wait()
    if failure := start(children, str(TRAINING), "--logdir", str(directory := new_directory())).wait():
        sys.exit(f"The training failed: it exited with status {failure}.")
    store(line, directory)
    print("The training is over; the server runs until Ctrl-C.", flush=True)
    for line in server.stdout:
        print(line, end="", flush=True)


def store(line: str, directory: Path) -> None:
    """Label runs and save a workspace, on the server that printed line."""
    address = re.search(r"http\S+/", line)
    try:
        if address:
            save_workspace(address[0])
            label_runs(address[0], LOGDIR, directory)
    except OSError as error:
        print(f"Labels and the workspace are not stored: {error}", flush=True)


def new_directory() -> Path:
    """Create and return the first of runs/digits-1, runs/digits-2, ... that does not exist."""
    for number in itertools.count(1):
        directory = LOGDIR / f"digits-{number}"
        with contextlib.suppress(FileExistsError):
            directory.mkdir(parents=True)
            return directory
    raise AssertionError("unreachable: itertools.count() is infinite")


def start(children: contextlib.ExitStack, *arguments: str, read: bool = False) -> Process:
    """Start this Python with arguments as a child process that ends with the demo; *read* captures its output."""
    # In a new session, so that Ctrl-C reaches only the demo, which ends its children in order.
    child = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE if read else None, text=True, start_new_session=True
    )
    children.callback(stop, child)
    return child


def stop(child: Process) -> None:
    """Terminate child, and kill it if it does not end; an interrupt would print a traceback while it still imports."""
    child.terminate()
    try:
        child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


if __name__ == "__main__":
    main()
