"""PyArrow, imported on first use."""

from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow

_MISSING = "{} needs pyarrow, which is not installed: pip install 'toposcope[lake]'"


def import_pyarrow(purpose: str) -> ModuleType:
    """Return the module pyarrow; `purpose` begins the sentence of the error.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.
    """
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise ModuleNotFoundError(_MISSING.format(purpose), name="pyarrow") from None
    module: ModuleType = pyarrow
    return module


def arrow_table(columns: Mapping[str, npt.NDArray[Any]]) -> "pyarrow.Table":
    """Return a table that shares the memory of columns of equal length.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.
    """
    return import_pyarrow("the Arrow interface").table(dict(columns))
