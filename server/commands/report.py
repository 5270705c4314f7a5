"""summary-server report: writes a report of runs as one HTML file, and fails on a condition."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from toposcope.missing_packages import missing_packages_line
from toposcope.server.commands.arguments import Parser
from toposcope.server.commands.asking import logdir_parser, read_logdir
from toposcope.server.commands.report_file.template import DEFAULT
from toposcope.server.questions.answers import Check
from toposcope.server.questions.checks import check_runs
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.questions.words import lines_of
from toposcope.server.text.escaped import escaped


def run(arguments: Sequence[str]) -> int:
    """Write a report; return 1 if it fails."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    try:
        from toposcope.server.commands.report_file import document  # noqa: F401  # Before the logdir is read.
    except ModuleNotFoundError as error:
        parser.error(missing_packages_line(error, "report"))
    html, check = read_logdir(parser, options, _ask)
    try:
        Path(options.out).write_text(html, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        parser.error(f"--out {options.out!r} cannot be written: {error.strerror}")
    if check is None or not (check.failed or check.lacking):
        return 0
    for line in lines_of(check):
        print(escaped(line), file=sys.stderr)
    return 1


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = logdir_parser(
        "report",
        "Write a report of runs as one HTML file, from Markdown with directives.",
        "Exit status: 0; 1 if the report fails; 2 for invalid arguments or an invalid template.",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="HTML file to write; it is replaced")
    parser.add_argument("--template", metavar="FILE", help="Markdown with directives; default: all runs and charts")
    parser.add_argument(
        "--fail-if", metavar="SEARCH", help="fail if this holds for a run, or a run lacks a value that it compares"
    )
    return parser


def _ask(opened: Opened, options: argparse.Namespace) -> tuple[str, Check | None]:
    from toposcope.server.commands.report_file.document import report_html

    template = DEFAULT if options.template is None else Path(options.template).read_text(encoding="utf-8")
    check = None if options.fail_if is None else check_runs(opened, options.fail_if)
    return report_html(opened, template, check), check
