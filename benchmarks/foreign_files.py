"""What the walk takes for logs in folders without any, and what it costs.

python benchmarks/foreign_files.py [FOLDER ...]    (make bench-foreign)

Without a folder, the walk is measured with 100,000 small files of many kinds. Prints a line for each folder, with the
CPU time of a walk beside that of one that looks for event files only, and the files that were taken for logs. Exit
status: 1 if there are any.
"""

import argparse
import itertools
import sys
import tempfile
import time
from pathlib import Path

from toposcope.server.formats.formats import choose
from toposcope.server.loading.finding.discovery import Discovery, discover

FILES, FILES_IN_A_FOLDER = 100_000, 500
KINDS = (
    *(
        "module.py",
        "README.md",
        "picture.png",
        "page.html",
        "weights.bin",
        "settings.yaml",
        "package.json",
        "notes.txt",
    ),
    *("table.csv", "records.jsonl"),
)


def main() -> int:
    """Walk each folder; return 1 if something was taken for a log."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="FOLDER", nargs="*")
    folders = parser.parse_args().folders
    with tempfile.TemporaryDirectory() as made:
        if not folders:
            write_files(Path(made))
        counts = [walk(folder) for folder in folders or [made]]
    print(f"{sum(count > 0 for count in counts)} of {len(counts)} folders have files that were taken for logs")
    return 1 if any(counts) else 0


def write_files(folder: Path) -> None:
    """Write files without logs; a tenth of them each are tables and JSON lines, which have to be looked into."""
    names = itertools.islice(itertools.cycle(KINDS), FILES)
    for number, name in enumerate(names):
        directory = folder / f"{number // FILES_IN_A_FOLDER:03}"
        directory.mkdir(exist_ok=True)
        content = '{"name": "a", "price": 1}\n' if name.endswith("l") else "name,price\na,1\nb,2\n"
        (directory / f"{number}_{name}").write_text(content * 10)


def walk(folder: str) -> int:
    """Walk a folder, print what was found, and return how many files were taken for logs."""
    only_events, _ = _timed_walk(folder, "none")
    seconds, found = _timed_walk(folder, "all")
    files = found.ignored_files + len(found.files) + len(found.sources)
    print(f"{folder}: {files:,} files, {seconds:.2f} s of CPU; {only_events:.2f} s for event files only", flush=True)
    for source in found.sources:
        print(f"  {source.path} was taken for {source.format}: {source.why}")
    for file in found.files:
        print(f"  {file.path} was taken for an event file")
    return len(found.sources) + len(found.files)


def _timed_walk(folder: str, formats: str) -> tuple[float, Discovery]:
    chosen, start = choose(formats), time.process_time()
    found = discover(folder, formats=chosen)
    return time.process_time() - start, found


if __name__ == "__main__":
    sys.exit(main())
