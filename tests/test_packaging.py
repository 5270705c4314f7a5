"""What distributions are made of. `make release` builds them, and checks what they contain (tests/release)."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from support.tracked_files import ROOT, tracked_files

BUILT = ROOT / "web" / "built"
OF_ANOTHER_PROJECT = re.compile(
    r"(github(usercontent)?\.com|pypi\.org/project)/toposcope|toposcope\.(github|readthedocs)\.io"
)


def test_source_distribution_contains_the_repository(tmp_path: Path) -> None:
    """Tests, documentation, examples and Makefile too; made without the page, with which `make release` builds it."""
    source, names = tmp_path / "source", set(tracked_files())
    for name in names:
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    command = [sys.executable, "-c", "from setuptools import build_meta; build_meta.build_sdist('dist')"]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (path,) = source.glob("dist/*.tar.gz")
    with tarfile.open(path) as sdist:
        added = {member.name.partition("/")[2] for member in sdist if member.isfile()}
    assert {name for name in added if not name.startswith("toposcope.egg-info/")} == {*names, "PKG-INFO", "setup.cfg"}


def test_licences_of_the_packages_in_the_page_are_part_of_it() -> None:
    """THIRD_PARTY.txt has the licence texts of every package that a source map names or that was copied as it is.

    Also of those that Plotly's bundle is made of.
    """
    modules = ROOT / "web" / "node_modules"
    sources = [source for path in BUILT.glob("*.map") for source in json.loads(path.read_text())["sources"]]
    folders = {match[1] for source in sources if (match := re.search(r"node_modules/((?:@[^/]+/)?[^/]+)/", source))}
    for script in BUILT.glob("*.js"):
        if not script.with_name(f"{script.name}.map").exists():
            (original,) = [path for path in modules.rglob(script.name) if path.read_bytes() == script.read_bytes()]
            folders.add(original.relative_to(modules).parts[0])
    assert {"elkjs", "lit-html", "uplot"} <= folders

    notices = (BUILT / "THIRD_PARTY.txt").read_text(encoding="utf-8")

    assert set(re.findall(r"^={100}\n\n(\S+) ", notices, re.M)) == folders
    for folder in folders:
        package = json.loads((modules / folder / "package.json").read_text())
        assert f"{package['name']} {package['version']}\nLicence: {package['license']}\nSource: http" in notices
        (licence,) = (modules / folder).glob("LICENSE*")
        assert licence.read_text(encoding="utf-8").strip() in notices
    assert (ROOT / "web" / "licences" / "plotly.txt").read_text(encoding="utf-8").strip() in notices


def test_links_of_the_readme_lead_to_files_of_the_repository() -> None:
    """They hold in every copy of the repository."""
    for target in re.findall(r"(?:\]\(|^\[.+\]: )([^)\s]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.M):
        assert (ROOT / target).exists(), target


def test_no_file_names_an_address_of_another_project() -> None:
    """The repository of this name on a public host, and its pages and packages, are somebody else's."""
    texts = {name: (ROOT / name).read_bytes().decode("utf-8", errors="replace") for name in tracked_files()}
    assert not [name for name, text in texts.items() if OF_ANOTHER_PROJECT.search(text)]


def test_recording_needs_four_packages(tmp_path: Path) -> None:
    """NumPy, protobuf, google-crc32c and Pillow are enough to collect a training and to record each kind of value."""
    path = os.pathsep.join(filter(None, [str(ROOT / "tests"), os.environ.get("PYTHONPATH")]))
    script = ROOT / "tests" / "release" / "record_run.py"
    tags = subprocess.run(
        [sys.executable, str(script), str(tmp_path), "--block"],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.split()
    assert {"histogram", "image", "loss/auto", "scalar", "tensor", "text", "weight/auto"} <= set(tags)
