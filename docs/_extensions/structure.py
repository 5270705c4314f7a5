"""Draws the folders of a package, their lines, and which imports which, read from the imports themselves.

In the documentation it draws them as they are. On its own it draws any commit: structure.py server COMMIT > file.svg
"""

import ast
import io
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGES = ("package", "proto", "recorder", "server")
COLUMN, ROW, WIDTH, HEIGHT = 136, 44, 126, 22
LINES_A_PIXEL = 60


class Structure(NamedTuple):
    """The folders and loose modules of a package, and the packages that they import."""

    lines: dict[str, int]
    imports: dict[str, set[str]]


def sources(commit: str | None = None) -> dict[str, str]:
    """Return the text of each Python file by its path: of a commit, or as it is now."""
    if commit is None:
        paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
        return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    command = ["git", "-C", str(ROOT), "archive", commit, *PACKAGES]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        found = {file.name: files.extractfile(file) for file in files if file.name.endswith(".py")}
        return {name: file.read().decode() for name, file in found.items() if file is not None}


def structure(package: str, texts: Mapping[str, str]) -> Structure:
    """Return the structure of a package."""
    own = {path.removesuffix(".py").split("/")[1] for path in texts if path.startswith(f"{package}/")}
    lines: dict[str, int] = defaultdict(int)
    imports: dict[str, set[str]] = defaultdict(set)

    def part_of(names: list[str]) -> str:
        return names[1] if names[0] == package and len(names) > 1 and names[1] in own - {"__init__"} else names[0]

    for path, text in texts.items():
        part = part_of(path.removesuffix(".py").split("/"))
        lines[part] += text.count("\n")
        if path.startswith(f"{package}/"):
            imports[part] |= {part_of(names) if names[0] in PACKAGES else "package" for names in _imported(text)}
    shown = set(imports).union(*imports.values())
    return Structure({name: lines[name] for name in shown}, {name: imports[name] - {name} for name in sorted(shown)})


def _imported(text: str) -> Iterator[list[str]]:
    """Yield the modules of ours that a file imports, also within functions."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "toposcope":
            yield from ([*(node.module or "").split("."), alias.name][1:] for alias in node.names)


def rows(imports: Mapping[str, set[str]]) -> list[list[str]]:
    """Return the parts from bottom to top: each is above those that it imports."""
    row = dict.fromkeys(imports, 0)
    for _ in imports:
        row |= {name: max([0, *(row[each] + 1 for each in imported)]) for name, imported in imports.items()}
    return [[name for name in imports if row[name] == number] for number in range(max(row.values()) + 1)]


def reached(imports: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Return for each part all that it imports, also by way of others."""
    below = {name: set(imported) for name, imported in imports.items()}
    for _ in below:
        below = {name: found.union(*(below[each] for each in found)) for name, found in below.items()}
    return below


def svg(drawn: Structure) -> str:
    """Return the picture: each part with its lines, and curves to the imports that no others imply."""
    below, placed = reached(drawn.imports), rows(drawn.imports)
    width, height = COLUMN * max(map(len, placed)), ROW * len(placed)
    at: dict[str, tuple[float, int]] = {}
    for number, row in enumerate(placed):
        left = (width - COLUMN * len(row)) / 2
        at |= {name: (left + COLUMN * x, height - ROW * (number + 1)) for x, name in enumerate(row)}
    shapes = []
    for name, (x, y) in at.items():
        for each in drawn.imports[name]:
            if not any(each in below[other] for other in drawn.imports[name]):
                end, bottom, top = at[each][0] + WIDTH / 2, y + HEIGHT, at[each][1]
                path = f"M{x + WIDTH / 2},{bottom} C{x + WIDTH / 2},{bottom + ROW} {end},{top - ROW} {end},{top}"
                shapes.append(f'<path d="{path}" fill="none" opacity="0.4"/>')
        bar = min(WIDTH, drawn.lines[name] / LINES_A_PIXEL)
        shapes.append(f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" fill="none"/>')
        shapes.append(f'<rect x="{x}" y="{y}" width="{bar}" height="{HEIGHT}" fill="currentColor" opacity="0.15"/>')
        label = f"{name} {drawn.lines[name]:,}"
        shapes.append(f'<text x="{x + 4}" y="{y + 15}" fill="currentColor" stroke="none">{label}</text>')
    box = f'viewBox="-1 -1 {width} {height}" font-family="sans-serif" font-size="11" stroke="currentColor"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {box}>', *shapes, "</svg>"])


def setup(app: Any) -> None:
    """Put pictures in the place of the comments `<!-- structure of PACKAGE -->`."""
    app.connect("source-read", _add_pictures)


def _add_pictures(_: Any, __: str, source: list[str]) -> None:
    for package in PACKAGES:
        if (comment := f"<!-- structure of {package} -->\n") in source[0]:
            picture = svg(structure(package, sources()))
            source[0] = source[0].replace(comment, f"```{{raw}} html\n{picture}\n```\n")


if __name__ == "__main__":
    print(svg(structure(sys.argv[1], sources(*sys.argv[2:]))))
