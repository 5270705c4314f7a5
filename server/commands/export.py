"""summary-server export: converts runs to files that other programs read."""

import argparse
import os
from collections.abc import Iterable, Sequence
from typing import Any

from toposcope.server.commands.arguments import Parser, attempt_or_all, check_listable, is_inside, rank_or_all
from toposcope.server.commands.compact import check_places, error_text
from toposcope.server.commands.export_folder import MANIFEST, ExportFolder
from toposcope.server.commands.export_run import PLUGINS, SERIES_PLUGINS, Selection, export_run
from toposcope.server.lake.compaction import write_lake
from toposcope.server.lake.run_rows import all_runs
from toposcope.server.lake.tables.schema import parquet
from toposcope.server.loading.load_once import Loaded, load_logdir
from toposcope.server.places.addresses import text_of
from toposcope.server.process.version import VERSION
from toposcope.server.runs.parameters.hparams_sessions import only_sessions, parents_of
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection.chosen_series import Choice

_MAX_LISTED = 10
_DESCRIPTION = """\
Export runs to a new directory, with a subdirectory for each run: scalar.csv,
image/TAG_STEP.png, tensor/TAG_STEP.npy, text/TAG_STEP.md, and histograms,
landscapes, graphs and lineage as JSON. manifest.json, which is written last,
describes each file and lists what was left out and why. With --parquet, the
tables of summary-server compact instead: scalars/, tags/ and runs.parquet."""
_NOT_WITH_PARQUET = ("plugin", "rank", "attempt")


def run(arguments: Sequence[str]) -> int:
    """Export runs; return 1 if damaged points were left out."""
    parser = make_parser()
    options = parser.parse_hyphenated(arguments)
    if options.parquet:
        return _export_parquet(parser, options)
    logdir, out = os.path.expanduser(options.dir), os.path.expanduser(options.out)
    try:
        check_listable("DIR", logdir)
        if is_inside(out, logdir):
            raise ValueError(f"--out {out!r} is inside DIR, which is read-only: choose another directory")
        loaded = load_logdir(logdir, follow_links=options.follow_links)
        runs = _choose(loaded, options.run, logdir)
        plugins = tuple(each for each in PLUGINS if not options.plugin or each in options.plugin)
        selection = Selection(plugins, frozenset(options.tag), Choice(options.rank, options.attempt))
        _check_tags(runs, selection)
        folder = ExportFolder(out)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    try:
        _export(runs, loaded, selection, folder, logdir)
    except OSError as error:
        parser.error(f"--out {out!r} cannot be written, the export is incomplete: {error.strerror}")
    return _print_summary(folder, loaded, runs)


def _export_parquet(parser: Parser, options: argparse.Namespace) -> int:
    """Write the tables of a lake; see summary-server compact."""
    try:
        for name in _NOT_WITH_PARQUET:
            if getattr(options, name) not in (None, []):
                raise ValueError(f"--{name} cannot be used with --parquet, which has the scalars of all ranks")
        logdir, folder = check_places([options.dir], options.out)
        parquet()
        loaded = load_logdir(logdir, follow_links=options.follow_links)
        runs = _choose(loaded, options.run, text_of(logdir))
        _check_tags(runs, Selection(("scalar",), frozenset(options.tag)))
        points = write_lake(folder, runs, all_runs(loaded.runs), frozenset(options.tag))
    except (ModuleNotFoundError, OSError, ValueError) as error:
        parser.error(error_text(error))
    places = sum(len(file.damage) for view in runs for file in view.files)
    damaged = f", {places:,} damaged places in event files" if places else ""
    print(f"{options.out}: {len(runs):,} runs, {points:,} points{damaged}")
    for path, reason in list(loaded.problems.items())[:_MAX_LISTED]:
        print(f"{path}: {reason}")
    return 1 if loaded.problems or places else 0


def make_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        "summary-server export",
        _DESCRIPTION,
        "Exit status: 0; 1 if something damaged was left out; 2 for invalid arguments.",
    )
    parser.add_argument("dir", metavar="DIR", help="directory of runs, searched recursively")
    parser.add_argument("--out", required=True, metavar="DIR", help="directory to create; may exist if it is empty")
    parser.add_argument("--parquet", action="store_true", help="write Parquet files of scalars and runs, see compact")
    parser.add_argument("--run", action="append", default=[], metavar="RUN", help="export only this run; repeatable")
    parser.add_argument("--tag", action="append", default=[], metavar="TAG", help="export only this tag; repeatable")
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        choices=PLUGINS,
        metavar="PLUGIN",
        help=f"export only this plugin, one of {', '.join(PLUGINS)}; repeatable",
    )
    parser.add_argument("--rank", type=rank_or_all, metavar="N|all", help="default: the lowest rank that has the tag")
    parser.add_argument(
        "--attempt",
        type=attempt_or_all,
        metavar="N|all",
        help="default: attempts stitched, without the points that a later attempt repeats",
    )
    parser.add_follow_links()
    return parser


def _choose(loaded: Loaded, names: list[str], logdir: str) -> list[RunView]:
    if not loaded.runs:
        raise ValueError(f"DIR {logdir!r} has no runs: expected event files in it or in its subdirectories")
    for name in names:
        if name not in loaded.runs:
            raise ValueError(f"--run {name!r} does not exist: expected {_one_of(loaded.runs)}")
    return [view for name, view in loaded.runs.items() if not names or name in names]


def _check_tags(runs: list[RunView], selection: Selection) -> None:
    if selection.tags and not set(selection.plugins) & set(SERIES_PLUGINS):
        raise ValueError(
            f"--tag requires a plugin with tags, but --plugin selects none of them: {', '.join(SERIES_PLUGINS)}"
        )
    tags = {
        tag.name: None
        for view in runs
        for file in view.files
        for tag in file.series
        if tag.plugin in selection.plugins and tag.plugin in SERIES_PLUGINS
    }
    for tag in sorted(selection.tags - tags.keys()):
        raise ValueError(f"--tag {tag!r} does not exist in the selected runs: expected {_one_of(tags)}")


def _one_of(names: Iterable[str]) -> str:
    listed = [repr(name) for name in names]
    more = [f"... ({len(listed)} in all)"] if len(listed) > _MAX_LISTED else []
    return "one of " + ", ".join(listed[:_MAX_LISTED] + more) if listed else "none, as they have no tags"


def _export(runs: list[RunView], loaded: Loaded, selection: Selection, folder: ExportFolder, logdir: str) -> None:
    sessions = only_sessions(loaded.runs, parents_of(loaded.runs))
    for view in runs:
        export_run(view, loaded.runs, sessions, selection, folder)
    facts: dict[str, Any] = {
        "format": "toposcope-export",
        "version": VERSION,
        "logdir": os.path.abspath(logdir),
        "runs": [view.name for view in runs],
        "rank": selection.choice.rank,
        "attempt": selection.choice.attempt,
        "damage": {view.name: sum(len(file.damage) for file in view.files) for view in runs},
        "problems": dict(loaded.problems),
    }
    folder.finish(facts)


def _print_summary(folder: ExportFolder, loaded: Loaded, runs: list[RunView]) -> int:
    places = sum(len(file.damage) for view in runs for file in view.files)
    counts = [f"{len(folder.entries):,} files"]
    counts += [f"{len(folder.left_out):,} tags of unsupported plugins left out"] if folder.left_out else []
    counts += [f"{len(folder.damaged):,} damaged values left out"] if folder.damaged else []
    counts += [f"{places:,} damaged places in event files"] if places else []
    counts += [f"{len(loaded.problems):,} unreadable files or directories"] if loaded.problems else []
    print(f"{folder.path}: {', '.join(counts)}; see {MANIFEST}")
    return 1 if places or folder.damaged or loaded.problems else 0
