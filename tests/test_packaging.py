"""The wheel holds all that the server and the page need, and no more."""

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
    subprocess.run([*build, "--wheel-dir", str(out), str(source)], check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def test_wheel_holds_every_module(wheel: set[str]) -> None:
    """Every Python file of the packages is there."""
    for package in ("proto", "recorder", "server"):
        for path in (ROOT / package).rglob("*.py"):
            assert f"toposcope/{package}/{path.relative_to(ROOT / package).as_posix()}" in wheel


def test_wheel_holds_all_that_the_page_loads(wheel: set[str]) -> None:
    """Whatever the index, a style sheet or a script refers to is there; so is every file of the page."""
    web = ROOT / "web"
    own = [path for pattern in ("*.html", "*.css", "*.svg", "*.js") for path in web.rglob(pattern)]
    for path in own:
        if "node_modules" not in path.parts:
            assert f"toposcope/web/{path.relative_to(web).as_posix()}" in wheel
    index = (web / "index.html").read_text(encoding="utf-8")
    for reference in re.findall(r'"\./([^"]+\.(?:js|css|svg))"', index):
        assert f"toposcope/web/{reference}" in wheel


def test_libraries_in_the_wheel_are_complete(wheel: set[str]) -> None:
    """What a shipped library file imports by relative path is shipped too, and nothing is minified but style."""
    web = ROOT / "web"
    shipped = [name for name in wheel if "/node_modules/" in name]
    assert shipped
    for name in shipped:
        path = web / name.removeprefix("toposcope/web/")
        for relative in re.findall(r'from"(\.[^"]+)"|import"(\.[^"]+)"', path.read_text(encoding="utf-8")):
            target = (path.parent / next(filter(None, relative))).resolve().relative_to(web.resolve())
            assert f"toposcope/web/{target.as_posix()}" in wheel
