"""A package adds a format by an entry point."""

import os
import subprocess
import sys
from pathlib import Path

PACKAGE = """
import re
from toposcope.server.formats.format import Candidate, Output, Source, file_stamp


class Losses:
    name = "losses"
    names = re.compile(r"[.]losses$")

    def examine(self, candidate):
        if not candidate.head(10).startswith(b"losses:"):
            return "it is not"
        return Source(self.name, candidate.path, candidate.run, "it is", candidate.path, candidate.status.modified)

    def stamp(self, source, place):
        return file_stamp(source.path, place)

    def read(self, source, place, state, output):
        file = place.open(source.path)
        values = file.read(0, file.status.size).decode().split()[1:]
        file.close()
        known = state.get("known", 0)
        for step, value in enumerate(values[known:], known):
            output.run().scalars(step, 1.0, [("loss", float(value))])
        state["known"] = len(values)
        return False


LOSSES = Losses()
"""
BROKEN = "raise RuntimeError('this package is broken')"
PROGRAM = """
import sys
from toposcope.server import open
with open(sys.argv[1]) as logdir:
    for name, run in logdir.runs.items():
        print(name, run.scalars("loss").value.tolist())
"""


def install(folder: Path, name: str, content: str) -> None:
    """Install a package with a format."""
    (folder / f"{name}.py").write_text(content)
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[toposcope.readers]\n{name} = {name}:LOSSES\n")


def test_an_installed_package_adds_a_format_and_a_broken_one_none(tmp_path: Path) -> None:
    packages, logs = tmp_path / "packages", tmp_path / "logs"
    packages.mkdir()
    (logs / "run").mkdir(parents=True)
    (logs / "run/a.losses").write_text("losses: 1.0 0.5 0.25")
    install(packages, "losses_format", PACKAGE)
    install(packages, "broken_format", BROKEN)
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(logs)],
        env={**os.environ, "PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "run [1.0, 0.5, 0.25]\n"
    assert "this package is broken" in ended.stderr
