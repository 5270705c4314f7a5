"""Writes the man pages and the completions of the shells from the parsers of the commands: make share."""

import argparse
import os
import sys
from pathlib import Path

import shtab
from argparse_manpage.manpage import Manpage

from toposcope.recorder.landscapes import command as summary_landscape
from toposcope.server.cli import subcommand
from toposcope.server.commands.serve_options import make_parser
from toposcope.server.process.version import VERSION

SUBCOMMANDS = {
    "inspect": "list runs, tags and steps, and verify event files",
    "repair": "copy the intact records of a damaged event file",
    "export": "convert runs to CSV, PNG, NPY and JSON files, or Parquet",
    "convert": "convert logs to event files of TensorBoard or MindSpore, or to Parquet",
    "compact": "keep Parquet files of all runs up to date",
    "index": "read event files on many processes or on a cluster",
    "runs": "list the runs that match a search",
    "tags": "list the tags of a run, or of all runs",
    "get": "print scalar series, or expressions of them",
    "plot": "draw scalar series in the terminal",
    "show": "show the state, hyperparameters and metrics of a run",
    "compare": "compare the hyperparameters and metrics of runs",
    "best": "list the best runs by a metric",
    "console": "print what a training wrote to stdout and stderr",
    "text": "print the texts that a run recorded",
    "image": "write a recorded image to a file",
    "diagnose": "look for what is wrong in a run",
    "check": "fail if a condition holds for a run",
    "report": "write a report of runs as one HTML file",
    "mcp": "answer the questions of agents",
}
DESCRIPTIONS = {
    "summary-server": "serve a dashboard of training runs",
    "summary-landscape": "compute the loss landscapes of a training",
}
COMPLETIONS = {
    "bash": "bash-completion/completions/{}",
    "zsh": "zsh/site-functions/_{}",
    "fish": "fish/vendor_completions.d/{}.fish",
}
"""Where each shell looks for the completions of a command, below share/ of a prefix."""
_PATHS = {"FILE": shtab.FILE, "DIR|FILE": shtab.FILE} | dict.fromkeys(("DIR", "OUT", "PLACE"), shtab.DIRECTORY)
"""How arguments are completed, by what they are called."""


def server_parser() -> argparse.ArgumentParser:
    """Return the parser of summary-server with those of its subcommands, which it imports on demand."""
    parser = make_parser()
    parser.epilog = None  # It lists the subcommands.
    subparsers = parser.add_subparsers(title="subcommands", metavar="SUBCOMMAND", parser_class=argparse.ArgumentParser)
    for name, text in SUBCOMMANDS.items():
        own = subcommand(name).make_parser()
        subparsers.add_parser(
            name, parents=[own], add_help=False, help=text, description=own.description, epilog=own.epilog
        )
    return parser


def _complete_paths(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:
        for subparser in action.choices.values() if isinstance(action, argparse._SubParsersAction) else ():
            _complete_paths(subparser)
        if action.metavar in _PATHS:
            action.complete = _PATHS[action.metavar]  # type: ignore[attr-defined]  # Read by shtab.


def write(folder: Path) -> None:
    """Write all files below a folder."""
    os.environ["COLUMNS"] = "80"
    for parser in (server_parser(), summary_landscape.make_parser()):
        data = {
            "project_name": "Toposcope",
            "version": VERSION,
            "description": DESCRIPTIONS[parser.prog],
            "manual_section": 1,
            "manual_title": "Toposcope",
            "date": " ",  # That of the day would make them differ.
        }
        _complete_paths(parser)
        page = str(Manpage(parser, _data=data))
        _write(folder / "man" / "man1" / f"{parser.prog}.1", page)
        for shell, path in COMPLETIONS.items():
            _write(folder / path.format(parser.prog), shtab.complete(parser, shell))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line.rstrip()}\n" for line in text.splitlines()), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
