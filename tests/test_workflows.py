"""The workflows of CI: what they run exists."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_targets_of_workflows_exist() -> None:
    """Each job runs targets of the Makefile."""
    targets = set(re.findall(r"^([\w-]+(?: [\w-]+)*):", MAKEFILE, re.MULTILINE))
    for path in WORKFLOWS:
        for command in re.findall(r"run: make ([^#\n]+)", path.read_text(encoding="utf-8")):
            named = [word for word in command.split() if re.fullmatch(r"[\w-]+", word)]
            assert named, f"{path.name}: make {command}"
            assert set(named) <= targets, f"{path.name}: make {command}"


def test_each_interop_check_runs_at_night() -> None:
    """The shards of the nightly workflow are the packages of `make interop`."""
    nightly = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8"))
    packages = " ".join(re.findall(r"^INTEROP(?:_IN_ENVIRONMENT)? \+?= (.*)", MAKEFILE, re.MULTILINE)).split()
    assert set(nightly["jobs"]["interop"]["strategy"]["matrix"]["package"]) == {
        package for package in packages if not package.startswith("$")
    }


def test_every_supported_python_is_tested() -> None:
    """The matrix has the Pythons of the classifiers."""
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))
    classifiers = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert ci["jobs"]["pythons"]["strategy"]["matrix"]["python"] == classifiers
