"""summary-server convert: converts logs into event files of TensorBoard or MindSpore, or into Parquet files."""

import os
import sys
from collections.abc import Sequence

from toposcope.server.commands.arguments import Parser, check_listable, is_inside
from toposcope.server.commands.compact import check_runs, error_text
from toposcope.server.convert.conversion import Conversion
from toposcope.server.convert.target import MINDSPORE, TENSORBOARD, Target
from toposcope.server.formats.formats import choose
from toposcope.server.lake.compaction import write_lake
from toposcope.server.lake.folder import open_folder
from toposcope.server.lake.run_rows import all_runs
from toposcope.server.lake.tables.schema import parquet
from toposcope.server.loading.load_once import Loaded, load_file, load_logdir
from toposcope.server.text.escaped import escaped
from toposcope.server.text.text_table import count_text

_TARGETS = {target.dialect: target for target in (TENSORBOARD, MINDSPORE)}
_PARQUET = "parquet"
_IN_TABLES = ("scalar", "hparams", "lineage")
_DESCRIPTION = """\
Convert event files, and logs of the other formats that are read, into event
files that TensorBoard or MindInsight opens, or into the Parquet files of
summary-server compact. Every point is converted: of all ranks and attempts,
with its step and time. What has no place in the files, and what is kept but
not shown by that viewer, is counted on standard error."""


def run(arguments: Sequence[str]) -> int:
    """Convert logs; return 1 if something could not be read."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    source, out = os.path.expanduser(options.source), os.path.expanduser(options.out)
    try:
        _check(source, out)
        if options.to == _PARQUET:
            parquet()
        formats = choose(options.formats)
        if os.path.isfile(source):
            loaded = load_file(source, formats=formats)
        else:
            loaded = load_logdir(source, follow_links=options.follow_links, formats=formats)
        check_runs(loaded, source)
        os.makedirs(out, exist_ok=True)
        if options.to == _PARQUET:
            _write_parquet(loaded, out)
        else:
            _write_events(loaded, _TARGETS[options.to], out)
    except (ModuleNotFoundError, OSError, ValueError) as error:
        parser.error(error_text(error))
    for path, reason in sorted(loaded.problems.items()):
        print(escaped(f"cannot read {path}: {reason}"), file=sys.stderr)
    damaged = sum(len(file.damage) for view in loaded.runs.values() for file in view.files)
    if damaged:
        print(f"{count_text(damaged, 'damaged place')} in event files left out", file=sys.stderr)
    return 1 if loaded.problems or damaged else 0


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "summary-server convert",
        _DESCRIPTION,
        "Exit status: 0; 1 if something is damaged or could not be read; 2 for invalid arguments and failures.",
    )
    parser.add_argument("source", metavar="DIR|FILE", help="directory of runs, searched recursively, or one log")
    parser.add_argument("--out", required=True, metavar="DIR", help="directory to create; may exist if it is empty")
    parser.add_argument(
        "--to",
        choices=(*_TARGETS, _PARQUET),
        default=TENSORBOARD.dialect,
        help="tensorboard; mindspore, which MindInsight reads; or parquet; default: tensorboard",
    )
    parser.add_follow_links()
    parser.add_formats()
    return parser


def _check(source: str, out: str) -> None:
    if not os.path.isfile(source):
        check_listable("DIR", source)
        if is_inside(out, source):
            raise ValueError(f"--out {out!r} is inside DIR, which is read-only: choose another directory")
    if os.path.lexists(out):
        check_listable("--out", out)
        if os.listdir(out):
            raise ValueError(f"--out {out!r} is not empty: choose a new directory, nothing is overwritten")


def _write_events(loaded: Loaded, target: Target, out: str) -> None:
    conversion = Conversion(target, out)
    for view in loaded.runs.values():
        conversion.add(view)
    for (plugin, reason), count in sorted(conversion.left_out.items()):
        print(escaped(f"{plugin}: {count_text(count, 'value')} {reason}"), file=sys.stderr)
    print(f"{out}: {count_text(len(loaded.runs), 'run')}, {count_text(conversion.files, 'event file')}")


def _write_parquet(loaded: Loaded, out: str) -> None:
    points = write_lake(open_folder(out), list(loaded.runs.values()), all_runs(loaded.runs))
    plugins = {tag.plugin for view in loaded.runs.values() for file in view.files for tag in file.series}
    for plugin in sorted(plugins.difference(_IN_TABLES)):
        print(escaped(f"{plugin}: left out: tables of scalars and runs have no place for them"), file=sys.stderr)
    print(f"{out}: {count_text(len(loaded.runs), 'run')}, {count_text(points, 'point')}")
