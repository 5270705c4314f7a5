"""The functions of wandb.plot: the table behind a plot is recorded, the plot is not drawn."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from toposcope.recorder.wandb.inert import inert_function
from toposcope.recorder.wandb.reports import REPORTS
from toposcope.recorder.wandb.table import Table

pr_curve = inert_function("plot.pr_curve")
roc_curve = inert_function("plot.roc_curve")


def line(table: Table, x: str, y: str, title: str | None = None, **_: Any) -> Table:
    """Return the table of a line plot."""
    return _table("line", table)


def scatter(table: Table, x: str, y: str, title: str | None = None, **_: Any) -> Table:
    """Return the table of a scatter plot."""
    return _table("scatter", table)


def bar(table: Table, label: str, value: str, title: str | None = None, **_: Any) -> Table:
    """Return the table of a bar chart."""
    return _table("bar", table)


def histogram(table: Table, value: str, title: str | None = None, **_: Any) -> Table:
    """Return the table of a histogram."""
    return _table("histogram", table)


def line_series(
    xs: Sequence[Any],
    ys: Sequence[Sequence[Any]],
    keys: Sequence[str] | None = None,
    title: str | None = None,
    xname: str | None = None,
    **_: Any,
) -> Table:
    """Return a table with the columns x, line and y of several lines; xs is one sequence for all, or one for each."""
    names = list(keys or [f"line_{number}" for number in range(len(ys))])
    is_shared = not (len(xs) and isinstance(xs[0], Sequence | np.ndarray))
    rows = [
        [x, name, y]
        for number, (name, values) in enumerate(zip(names, ys, strict=True))
        for x, y in zip(xs if is_shared else xs[number], values, strict=False)
    ]
    return _table("line_series", Table(columns=[xname or "x", "line", "y"], data=rows))


def confusion_matrix(
    probs: Any = None,
    y_true: Any = None,
    preds: Any = None,
    class_names: Sequence[str] | None = None,
    title: str | None = None,
    **_: Any,
) -> Table:
    """Return the table of a confusion matrix: for each actual class (row) the number of predictions of each class.

    Args:
        probs: [N, classes], probabilities; or preds.
        y_true: [N], the class of each sample.
        preds: [N], the predicted class of each sample.
        class_names: by class.
        title: has no effect.

    Raises:
        ValueError: neither probs nor preds is given, or their length is another one than that of y_true.
    """
    if y_true is None or (probs is None) == (preds is None):
        raise ValueError("confusion_matrix() takes y_true and either probs or preds.")
    actual = np.asarray(y_true).astype(int)
    predicted = np.asarray(preds).astype(int) if preds is not None else np.asarray(probs).argmax(axis=1)
    if actual.shape != predicted.shape:
        raise ValueError(f"y_true and the predictions have different shapes: {actual.shape} and {predicted.shape}.")
    count = max([len(class_names or ()), *(actual + 1), *(predicted + 1)])
    names = [*(class_names or ()), *map(str, range(len(class_names or ()), count))]
    counts = np.zeros((count, count), int)
    np.add.at(counts, (actual, predicted), 1)
    rows = [[name, *row] for name, row in zip(names, counts.tolist(), strict=True)]
    return _table("confusion_matrix", Table(columns=["actual / predicted", *names], data=rows))


def _table(kind: str, table: Table) -> Table:
    REPORTS.differs(f"plot.{kind}(): its table is recorded; the plot is not drawn.")
    return table
