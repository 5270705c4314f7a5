"""The functions of wandb.plot, which are recorded as tables: those of confusion matrices and curves are drawn."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

import numpy as np

from toposcope.recorder.values.results.confusion_matrix import ConfusionMatrix
from toposcope.recorder.wandb.curves import PrCurves, classes_in, roc_table
from toposcope.recorder.wandb.inert import Inert
from toposcope.recorder.wandb.media.table import Table
from toposcope.recorder.wandb.reports import REPORTS

_Parameters = ParamSpec("_Parameters")
_DRAWN = ("confusion_matrix", "roc_curve", "pr_curve")


def _plotted(function: Callable[_Parameters, Any]) -> Callable[_Parameters, Any]:
    """Return a function that reports its exceptions, raises them in strict mode only, and then returns an inert object.

    That no plot is drawn of the table that it returns otherwise is reported once.
    """

    @functools.wraps(function)
    def call(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> Any:
        name = f"plot.{function.__name__}"
        try:
            table = function(*arguments, **options)
        except Exception as error:
            REPORTS.fails(error)
            return Inert(name)
        if function.__name__ not in _DRAWN:
            REPORTS.differs(f"{name}(): its table is recorded; the plot is not drawn.")
        return table

    return call


@_plotted
def pr_curve(
    y_true: Any = None,
    y_probas: Any = None,
    labels: Sequence[str] | None = None,
    classes_to_plot: Any = None,
    interp_size: int = 21,
    title: str | None = None,
    **_: Any,
) -> Table:
    """Return a table of precision-recall curves, which is recorded with a pr curve for each class.

    Args:
        y_true: [n], the class of each sample.
        y_probas: [n, classes].
        labels: names of the classes.
        classes_to_plot: None: all classes in y_true.
        interp_size: number of points of a curve in the table.
        title: has no effect.
    """
    return PrCurves(classes_in(y_true, y_probas, labels, classes_to_plot), interp_size)


@_plotted
def roc_curve(
    y_true: Any = None,
    y_probas: Any = None,
    labels: Sequence[str] | None = None,
    classes_to_plot: Any = None,
    title: str | None = None,
    **_: Any,
) -> Table:
    """Return a table of ROC curves; the arguments are those of pr_curve()."""
    return roc_table(classes_in(y_true, y_probas, labels, classes_to_plot))


def _undrawn(name: str) -> Callable[..., Any]:
    """Return the function of a plot that is not drawn: it returns the table among its arguments."""

    def plot(*arguments: Any, **options: Any) -> Table:
        given = [*arguments, *options.values()]
        for each in given:
            if isinstance(each, Table):
                return each
        raise TypeError(f"plot.{name}() takes a Table, not {', '.join(type(each).__name__ for each in given)}.")

    plot.__name__ = plot.__qualname__ = name
    plot.__doc__ = f"Return the table of wandb.plot.{name}(), of which no plot is drawn."
    return _plotted(plot)


line, scatter, bar, histogram = map(_undrawn, ("line", "scatter", "bar", "histogram"))
plot_table, custom_chart, visualize = map(_undrawn, ("plot_table", "custom_chart", "visualize"))


@_plotted
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
    return Table(columns=[xname or "x", "line", "y"], data=rows)


@_plotted
def confusion_matrix(
    probs: Any = None,
    y_true: Any = None,
    preds: Any = None,
    class_names: Sequence[str] | None = None,
    title: str | None = None,
    **_: Any,
) -> Table:
    """Return the table of a confusion matrix, see ConfusionMatrix.

    Args:
        probs: [N, classes], probabilities; or preds.
        y_true: [N], the class of each sample.
        preds: [N], the predicted class of each sample.
        class_names: by class.
        title: has no effect.

    Raises:
        ValueError: neither or both of probs and preds are given, or their length is another one than that of y_true.
    """
    if y_true is None or (probs is None) == (preds is None):
        raise ValueError("confusion_matrix() takes y_true and either probs or preds.")
    predictions = preds if preds is not None else probs
    names = [*(class_names or ()), *map(str, range(len(class_names or ()), _class_count(y_true, predictions)))]
    table = ConfusionMatrix(y_true, predictions, classes=names).table()
    return Table(columns=table.columns, data=list(table.rows))


def _class_count(*values: Any) -> int:
    """Return the number of classes of which scores, or samples, are given."""
    arrays = [np.asarray(value) for value in values]
    return max(array.shape[1] if array.ndim == 2 else int(array.max(initial=-1)) + 1 for array in arrays)
