"""summary-server report: one HTML file from Markdown with directives, and a status for CI."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from toposcope.recorder import SummaryRecord

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Return a logdir of two runs with an accuracy."""
    for run, accuracy in (("good", 0.95), ("bad", 0.4)):
        with SummaryRecord(tmp_path / "runs" / run) as record:
            for step in range(10):
                record.add_value("scalar", "validation/accuracy", accuracy * step / 9)
                record.record(step)
    return tmp_path / "runs"


@pytest.mark.parametrize(
    ("search", "status", "heading"),
    [("max(validation/accuracy) < 0.9", 1, "Check failed"), ("max(validation/accuracy) < 0.3", 0, "Check passed")],
)
def test_fails_a_job_on_a_condition(
    command: Command, logdir: Path, tmp_path: Path, search: str, status: int, heading: str
) -> None:
    """The report is written in both cases, and says which runs failed."""
    out = tmp_path / "report.html"
    done = command("report", logdir, "--out", out, "--fail-if", search)
    assert done.returncode == status
    assert heading in out.read_text(encoding="utf-8")
    assert ("1 of 2 runs failed" in done.stderr) == bool(status)


def test_says_how_many_runs_a_table_leaves_out(command: Command, logdir: Path, tmp_path: Path) -> None:
    """Below the table."""
    template, out = tmp_path / "template.md", tmp_path / "report.html"
    template.write_text("::runs --limit 1\n::best --metric validation/accuracy\n")
    assert command("report", logdir, "--out", out, "--template", template).returncode == 0
    html = out.read_text(encoding="utf-8")
    assert "</table><p>1 of 2 runs</p>" in html
    assert "</table><p>2 runs</p>" in html


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("::plots", "unknown; known are runs"),
        ("::chart", "expected at least one --tag or --expr"),
        ("::chart --tag nothing", "no run has 'nothing'"),
        ("::runs --limit x", "invalid number 'x'"),
        ("::runs --help", "unknown argument '--help'"),
        ("::text 'good", "No closing quotation"),
    ],
)
def test_names_directive_and_line_of_an_error(
    command: Command, logdir: Path, tmp_path: Path, line: str, message: str
) -> None:
    """No file is written."""
    template, out = tmp_path / "template.md", tmp_path / "report.html"
    template.write_text(f"# Title\n\n{line}\n")
    done = command("report", logdir, "--out", out, "--template", template)
    assert done.returncode == 2
    assert done.stderr.startswith(f"summary-server report: line 3, {line.split()[0]}: ")
    assert message in done.stderr
    assert not out.exists()
