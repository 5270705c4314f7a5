"""python -m toposcope.recorder run: a program runs as Python runs it, and its SummaryWriter is ours."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from support.recorded_run import run_in, scalars_of

from toposcope.recorder import startup

RUN = ["-m", "toposcope.recorder", "run"]
FOLDER = os.path.dirname(os.path.abspath(startup.__file__))
WRITER = """
class FileWriter: pass
class SummaryWriter:
    def __init__(self, logdir=None):
        raise AssertionError("theirs")
"""
REPORT = """
import sys
def fail():
    raise ValueError("text")
print(sys.argv, sys.path, __name__, __file__, sys.flags.dev_mode)
print(sorted(set(sys.modules) - {"sitecustomize"}))
if "status" in sys.argv: sys.exit(5)
if "error" in sys.argv: fail()
if "text" in sys.argv: sys.exit("text")
"""
PROCESSES = """
import multiprocessing, os, subprocess, sys
def record(name):
    from tensorboardX import SummaryWriter
    with SummaryWriter(name) as writer:
        writer.add_scalar("x", 0.1, 1)
if __name__ == "__main__":
    record("main")
    for method in ("spawn", "fork", "forkserver"):
        process = multiprocessing.get_context(method).Process(target=record, args=(method,))
        process.start()
        process.join()
    subprocess.run([sys.executable, "-c", "import script; script.record('subprocess')"], check=True)
"""


class Ended(NamedTuple):
    """What a program has printed, and its exit status."""

    output: str
    errors: str
    status: int


def python(directory: Path, *arguments: str, executable: str = sys.executable, **environment: str) -> Ended:
    """Run Python in a directory and return how it ended."""
    result = subprocess.run(
        [executable, *arguments],
        cwd=directory,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Ended(result.stdout, result.stderr, result.returncode)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return a directory with a package tensorboardX, whose classes fail, and two scripts."""
    (tmp_path / "tensorboardX").mkdir()
    (tmp_path / "tensorboardX" / "__init__.py").write_text("from .writer import FileWriter, SummaryWriter\n")
    (tmp_path / "tensorboardX" / "writer.py").write_text(WRITER)
    (tmp_path / "report.py").write_text(REPORT)
    (tmp_path / "script.py").write_text(PROCESSES)
    return tmp_path


@pytest.mark.parametrize("target", [["report.py"], ["-m", "report"], ["missing.py"], ["-m", "missing"]])
@pytest.mark.parametrize("ending", ["nothing", "status", "error", "text"])
def test_a_program_runs_as_python_runs_it(program: Path, target: list[str], ending: str) -> None:
    """Arguments, paths, imported modules, options of Python, tracebacks and the exit status are Python's own."""
    arguments = [*target, ending, "--", "-m", "--help"]
    expected = python(program, "-X", "dev", *arguments)
    assert python(program, "-X", "dev", *RUN, *arguments) == expected


WAIT = """
import sys, time
from tensorboardX import SummaryWriter
with SummaryWriter("run") as writer:
    writer.add_scalar("x", 0.1, 1)
    print(sys.flags, flush=True)
    while True:  # A single wait could begin after the signal has arrived, and never end.
        time.sleep(0.01)
"""


def interrupted(directory: Path, *arguments: str) -> Ended:
    """Return how a program ends that gets SIGINT after its first line."""
    (directory / "wait.py").write_text(WAIT)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, *arguments, "wait.py"], cwd=directory, stdout=pipe, stderr=pipe, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        return Ended(line, process.stderr.read(), process.wait(60))


@pytest.mark.parametrize("options", [["-u", "-X", "utf8"], ["-Xutf8"], ["-uX", "utf8"]])
def test_ctrl_c_interrupts_the_program(tmp_path: Path, options: list[str]) -> None:
    """The process that is started is the program: it gets the signal, ends by it, and its recording is interrupted."""
    ended = interrupted(tmp_path, *options, *RUN)
    assert ended.output == python(tmp_path, *options, "-c", "import sys; print(sys.flags)").output
    assert ended.errors.endswith("KeyboardInterrupt\n")
    assert ended.status == -signal.SIGINT
    run = run_in(tmp_path / "run")
    assert (run.scalars("x").value.tolist(), run.state.state) == ([0.1], "interrupted")


def test_every_process_records_with_our_writer(program: Path) -> None:
    """The script, those that multiprocessing starts in each way, and a subprocess."""
    assert python(program, *RUN, "script.py") == ("", "", 0)
    for name in ("main", "spawn", "fork", "forkserver", "subprocess"):
        assert scalars_of(program / name, "x") == {1: 0.1}, name


def test_a_command_of_the_path(program: Path) -> None:
    """A command that is written in Python runs too; its processes record with our writer."""
    command = program / "bin" / "launch"
    command.parent.mkdir()
    # The first line of a script cannot name a Python whose path contains spaces; so pip's scripts begin as this one.
    first = f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\n"
    command.write_text(f"{first}import runpy, sys\nrunpy.run_path(sys.argv[1], run_name='__main__')\n")
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    assert python(program, *RUN, "launch", "script.py", PATH=path) == ("", "", 0)
    assert scalars_of(program / "spawn", "x") == {1: 0.1}


@pytest.mark.parametrize(
    "text", ["import marker", "raise ValueError('text')", "import missing", "import sitecustomize"]
)
def test_another_sitecustomize_is_imported_too(program: Path, text: str) -> None:
    """It has the effect and the error that it has in Python, and is found under its name."""
    (program / "site").mkdir()
    (program / "site" / "marker.py").touch()
    (program / "site" / "sitecustomize.py").write_text(f"MARK = 1\n{text}\n")
    code = "import sys; print(getattr(sys.modules.get('sitecustomize'), 'MARK', 0), 'marker' in sys.modules)"
    (program / "look.py").write_text(code)
    site = f"{program / 'site'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    expected = python(program, "look.py", PYTHONPATH=site)
    twice = expected._replace(errors=2 * expected.errors)  # Also by the process that starts the program.
    assert python(program, *RUN, "look.py", PYTHONPATH=site) == twice


@pytest.mark.parametrize("option", ["-I", "-S", "-E"])
def test_processes_that_ignore_the_environment_are_left_alone(program: Path, option: str) -> None:
    """Python with -I, -S or -E starts as always within a program that is run."""
    child = f"import sys; print([each for each in sys.path if {FOLDER!r} == each], sorted(sys.modules))"
    (program / "start.py").write_text(
        f"import subprocess, sys\nsubprocess.run([sys.executable, '{option}', '-c', {child!r}], check=True)\n"
    )
    expected = python(program, "start.py")
    found = python(program, *RUN, "start.py")
    assert found._replace(output=found.output.replace(repr(FOLDER), "")) == expected


def test_an_interpreter_without_toposcope_continues(program: Path) -> None:
    """A process where the recorder cannot be imported says so once, and has the writers of its packages."""
    base = getattr(sys, "_base_executable", sys.executable)
    code = "import tensorboardX, tensorboardX.writer, sys; print(tensorboardX.SummaryWriter.__module__)"
    ended = python(program, "-c", code, executable=base, PYTHONPATH=FOLDER)
    assert (ended.output, ended.status) == ("tensorboardX.writer\n", 0)
    assert ended.errors.count("\n") == 1
    assert "the SummaryWriter of tensorboardX is not replaced: ModuleNotFoundError" in ended.errors


def test_where_tensorboardx_is_not_installed(tmp_path: Path) -> None:
    """It can be looked for and imported; its metadata says what it is; uninstall() removes it."""
    (tmp_path / "script.py").write_text("""
import importlib.metadata, importlib.util
# From Python 3.14 on, the process of the global writer imports this script too.
report = print if __name__ == "__main__" else lambda *_: None
before = sorted(each.name for each in importlib.metadata.distributions())
assert importlib.util.find_spec("tensorboardX") is not None
assert importlib.util.find_spec("tensorboardX.summary") is not None
report(importlib.metadata.version("tensorboardX"), importlib.metadata.metadata("TensorboardX")["Name"])
assert sorted(each.name for each in importlib.metadata.distributions()) == before
from tensorboardX import GlobalSummaryWriter, SummaryWriter
from tensorboardX.summary import hparams
from tensorboardX.writer import FileWriter, SummaryWriter as Same
assert Same is SummaryWriter and len(hparams({"lr": 0.1}, {"loss": 1.0})) == 3
writer = SummaryWriter(logdir="run")
writer.add_scalar("a b", 0.1, 1)
assert isinstance(writer.file_writer, FileWriter)
writer.close()
if __name__ == "__main__":
    shared = GlobalSummaryWriter("global")
    for value in (0.1, 0.2):
        shared.add_scalar("x", value)
    shared.add_text("note", "text")
    shared.close()
from toposcope.recorder import uninstall
uninstall()
assert importlib.util.find_spec("tensorboardX") is None
try:
    importlib.metadata.version("tensorboardX")
except importlib.metadata.PackageNotFoundError as error:
    report(error)
""")
    ended = python(tmp_path, *RUN, "script.py")
    assert ended.errors == ""
    assert ended.output == "0+toposcope tensorboardX\nNo package metadata was found for tensorboardX\n"
    assert scalars_of(tmp_path / "run", "a_b") == {1: 0.1}
    assert scalars_of(tmp_path / "global", "x") == {0: 0.1, 1: 0.2}


def test_uninstall_before_the_first_import(program: Path) -> None:
    """A program that calls uninstall() has the writers of its packages."""
    (program / "back.py").write_text(
        "from toposcope.recorder import uninstall\nuninstall()\n"
        "import sys, tensorboardX\nprint(tensorboardX.SummaryWriter.__mro__[1:], 'Installer' in repr(sys.meta_path))\n"
    )
    assert python(program, *RUN, "back.py") == ("(<class 'object'>,) False\n", "", 0)


@pytest.mark.parametrize("arguments", [[], ["run"], ["run", "-m"], ["run", "-x", "script.py"], ["walk", "script.py"]])
def test_wrong_arguments(tmp_path: Path, arguments: list[str]) -> None:
    """The usage is printed, and the exit status is 2."""
    ended = python(tmp_path, *RUN[:2], *arguments)
    assert (ended.output, ended.status) == ("", 2)
    assert ended.errors.startswith("usage: python -m toposcope.recorder run SCRIPT")


def test_help(tmp_path: Path) -> None:
    """It is printed to the standard output."""
    assert python(tmp_path, *RUN, "--help") == python(tmp_path, *RUN[:2], "-h")
    assert python(tmp_path, *RUN, "--help").status == 0


def test_options_that_hide_pythonpath(tmp_path: Path) -> None:
    """An error says that PYTHONPATH and site are needed: nothing would be recorded."""
    package = tmp_path / "packages" / "toposcope"  # An editable installation is not found without site.
    package.mkdir(parents=True)
    (package / "recorder").symlink_to(os.path.dirname(FOLDER))
    path = os.pathsep.join(filter(None, [str(package.parent), *sys.path]))
    ended = python(tmp_path, "-S", *RUN, "script.py", PYTHONPATH=path)
    assert ended.status == 2
    assert "PYTHONPATH and the module site are needed: not -E, -I or -S" in ended.errors
