"""PyTorch, if it is installed; otherwise what needs it is skipped, with the command that runs it.

A test file that imports PyTorch itself is skipped as a whole. A file that imports it from here, as
`from support.pytorch import torch`, loses only those tests that use it. A test that starts a program with PyTorch is
marked with `needs_torch`.
"""

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

__all__ = ["REASON", "needs_torch", "skip_for_missing_torch", "torch"]

REASON = "needs PyTorch: make test TORCH=1"
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason=REASON)


class _Missing:
    """Skips the test that uses it, or the file that uses it when it is imported."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):  # pytest looks for its marks.
            raise AttributeError(name)
        pytest.skip(REASON, allow_module_level=True)


if TYPE_CHECKING:
    import torch
else:
    try:
        import torch
    except ModuleNotFoundError:
        torch: Any = _Missing()

# The end of the report of a file of tests, not one of the product, that could not import it.
_IMPORT_FAILED = re.compile(
    r"^(\S.*/)?tests/.*: in <module>\n.*\nE +ModuleNotFoundError: No module named '(torch|torchmetrics)'\Z",
    re.MULTILINE,
)


def skip_for_missing_torch(report: pytest.CollectReport) -> None:
    """Turn the failure of a test file to import PyTorch into a skip."""
    if report.failed and _IMPORT_FAILED.search(str(report.longrepr)):
        report.outcome, report.longrepr = "skipped", (report.nodeid, 1, f"Skipped: {REASON}")
