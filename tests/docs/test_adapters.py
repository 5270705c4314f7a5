"""The tables of adapters: what docs/frameworks.md promises, and the checks in tests/interop that show it."""

import ast
import tomllib
from pathlib import Path

import pytest
from support.documentation import DOCS

INTEROP = Path(__file__).parents[1] / "interop"
COLUMNS = (
    *("loss", "steps", "evaluation", "settings", "learning_rate", "graph", "checkpoints", "ranks", "resume"),
    "failed_end",
)
"""The promises in the order of the columns of docs/frameworks.md."""
CHECKS: dict[str, dict[str, str]] = tomllib.loads((INTEROP / "adapters.toml").read_text(encoding="utf-8"))


def test_the_page_promises_what_is_checked() -> None:
    """The rows of docs/frameworks.md are those of adapters.toml: "✓" has a check, a dash a reason."""
    lines = (DOCS / "frameworks.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ")[1:] for line in lines if line.startswith("| [")]
    for (adapter, checks), row in zip(CHECKS.items(), rows, strict=True):
        for promise, cell in zip(COLUMNS, row, strict=True):
            if cell.startswith("✓"):
                assert "::" in checks[promise], (adapter, promise)
            if cell == "\N{EN DASH}":
                assert "::" not in checks[promise], (adapter, promise)


@pytest.mark.parametrize("adapter", sorted(CHECKS))
def test_every_promise_has_a_check_or_a_reason(adapter: str) -> None:
    """A check is the name of a function that exists; a reason is a sentence."""
    assert set(CHECKS[adapter]) == {*COLUMNS, "pickling"}
    for promise, cell in CHECKS[adapter].items():
        if " " in cell:
            assert cell.endswith("."), (adapter, promise)
            continue
        file, _, name = cell.partition("::")
        tree = ast.parse((INTEROP / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, (adapter, promise)
