"""The commands of the documentation that are not run by make docs-check, and why not."""

import re
from pathlib import Path

from support.documentation import DOCS, commands

ROOT = DOCS.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted(DOCS.rglob("*.md"))]

LEFT_OUT = {
    r"make demo": "serves until it is stopped; tests/recorder/test_examples.py runs the example",
    r"make demo-formats": "serves until it is stopped; tests/server/formats/test_demo_of_formats.py runs the example",
    r"make test": "runs everything: what CI does",
    r"make (check|page)": "parts of make test",
    r"make docs": "make docs-check begins with it",
    r"python3 -m venv venv": "make release creates environments",
    r"\. venv/bin/activate": "make release uses the scripts of environments",
    r"pip install .*": "needs a network; make release installs the wheel, the sdist, the extras and the recorder alone",
    r"\.venv/bin/pre-commit install": "changes the repository",
    r"source \.venv/share/.*": "for the shell of a person",
    r"docker .*": "needs docker and root",
    r"summary-server .*s3://.*": "needs a bucket: make interop-store, interop-dask and interop-ray",
    r"summary-server .*/etc/toposcope\.token.*": "needs root",
    r"summary-server .* --server .*": "needs a running server; tests/server/commands/test_remote.py asks one",
    r"curl .*": "needs a running server; tests/server/api/test_questions.py asks one",
    r"python train\.py fit .*": "needs Lightning: make interop-lightning",
    r"python -m toposcope\.recorder run torchrun .*": "needs several ranks of PyTorch: make interop-tensorboard",
    r"python -m toposcope\.recorder run accelerate .*": "needs Accelerate: make interop-accelerate",
}
"""The reason for each command, by a regular expression of the whole command."""


def is_left_out(command: str) -> bool:
    """Return whether a command is not run."""
    return any(re.fullmatch(pattern, command) for pattern in LEFT_OUT)


def commands_to_run(page: Path) -> list[str]:
    """Return the commands of a page that are run, in order."""
    return [command for command in commands(page) if not is_left_out(command)]


def pages_with_commands() -> list[str]:
    """Return the pages with commands that are run, relative to the repository."""
    return [page.relative_to(ROOT).as_posix() for page in PAGES if commands_to_run(page)]
