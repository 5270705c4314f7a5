"""The imports of the source files, read from their syntax trees."""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def imported_names(path: Path, *, only_module_level: bool = False) -> set[str]:
    """Return the dotted names that a file imports, also within functions: `a.b` for `from a import b`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in tree.body if only_module_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def module_imports(package: str) -> dict[str, set[str]]:
    """Return, for each module of a package, the modules of the same package that it imports.

    Modules are named by their path from the root of the repository: "recorder.writing.event_queue", and
    "recorder.writing.__init__" for the module of a folder.
    """
    paths = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in (ROOT / package).rglob("*.py")}
    imports = {}
    for module, path in paths.items():
        names = {name.removeprefix("toposcope.") for name in imported_names(path) if name.startswith("toposcope.")}
        imports[module] = {imported for name in names if (imported := _module_of(name, paths))} - {module}
    return imports


def _module_of(name: str, modules: dict[str, Path]) -> str | None:
    """Return the module that contains an imported name, None if it is not among modules."""
    while name:
        for module in (name, f"{name}.__init__"):
            if module in modules:
                return module
        name = name.rpartition(".")[0]
    return None
