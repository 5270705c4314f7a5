"""The wheel holds all that the server and the page need, and no more."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Build the wheel from what git tracks; return the names of its files."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    tracked = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    ).stdout
    for name in filter(None, tracked.decode().split("\0")):
        if not name.startswith("tests/") and (ROOT / name).exists():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    unoptimised = {**os.environ, "CFLAGS": "-O0"}  # The scan is compiled, but nobody runs it.
    subprocess.run([*build, "--wheel-dir", str(out), str(source)], check=True, capture_output=True, env=unoptimised)
    (path,) = out.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def test_wheel_holds_every_module(wheel: set[str]) -> None:
    """Every Python file of the packages is there."""
    for package in ("proto", "recorder", "server"):
        for path in (ROOT / package).rglob("*.py"):
            assert f"toposcope/{package}/{path.relative_to(ROOT / package).as_posix()}" in wheel


def test_wheel_holds_what_the_browser_loads_and_no_sources_of_it(wheel: set[str]) -> None:
    """The index and all it refers to, scripts of workers, and the maps by which a browser shows sources."""
    index = (ROOT / "web" / "index.html").read_text(encoding="utf-8")
    built = {f"built/{path.name}" for path in (ROOT / "web" / "built").iterdir()}

    held = {name.removeprefix("toposcope/web/") for name in wheel if name.startswith("toposcope/web/")}
    assert held == {"index.html", "mark.svg"} | built
    assert held >= set(re.findall(r'"\./([^"]+)"', index))
