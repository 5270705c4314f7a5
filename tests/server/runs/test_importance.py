"""Importance of hyperparameters for a metric: a sweep with known effects, and missing or extreme values."""

import math
import sys

import numpy as np
import pytest

from toposcope.server.runs.importance.columns import columns_of
from toposcope.server.runs.importance.forest import MissingExtraError
from toposcope.server.runs.importance.importance import FEWEST_RUNS, Importance, Parameter, importance
from toposcope.server.runs.parameters.hyper_parameters import Value


def sweep(count: int, seed: int = 0) -> tuple[list[dict[str, Value]], list[float]]:
    """Return runs whose metric depends strongly on the learning rate, and weakly on the width and the optimizer."""
    random = np.random.default_rng(seed)
    rows: list[dict[str, Value]] = []
    metric = []
    for _ in range(count):
        rate = float(10 ** random.uniform(-5, -1))
        width = int(random.integers(8, 65))
        optimizer = str(random.choice(["sgd", "adam", "lion"]))
        dropout = float(random.uniform(0, 0.5))
        rows.append({"rate": rate, "width": width, "optimizer": optimizer, "dropout": dropout, "epochs": 10})
        bias = {"sgd": 0.0, "adam": 1.0, "lion": 2.0}[optimizer]
        metric.append(3 * math.log10(rate) + width / 30 + bias + float(random.normal(0, 0.1)))
    return rows, metric


def by_name(result: Importance) -> dict[str, Parameter]:
    """Return the parameters by name."""
    return {parameter.name: parameter for parameter in result.parameters}


def problem(result: Importance | Parameter) -> str:
    """Return the problem, which must not be None."""
    assert result.problem is not None
    return result.problem


def computed(parameter: Parameter) -> tuple[float, float]:
    """Return the importance of a parameter and its standard error, which must not be None."""
    assert parameter.importance is not None
    assert parameter.spread is not None
    return parameter.importance, parameter.spread


def test_most_important_parameters_come_first() -> None:
    """Strong before weak before irrelevant; a category is one parameter; a constant is reported."""
    rows, metric = sweep(200)

    result = importance(rows, metric)

    named = by_name(result)
    assert [parameter.name for parameter in result.parameters] == ["rate", "optimizer", "width", "dropout", "epochs"]
    assert (result.enough, result.problem) == (True, None)
    assert result.score is not None
    assert 0.8 < result.score < 1
    assert named["rate"].importance == pytest.approx(2, abs=0.5)
    for name in ("rate", "optimizer", "width"):
        strong, spread = computed(named[name])
        assert strong > 2 * spread > 0
    weak, spread = computed(named["dropout"])
    assert abs(weak) < 3 * spread < 0.05
    assert named["rate"].pearson is not None
    assert named["rate"].pearson > 0.9
    assert (named["rate"].kind, named["rate"].scale) == ("number", "log10")
    assert (named["width"].kind, named["width"].scale) == ("number", "linear")
    assert (named["optimizer"].kind, named["optimizer"].scale, named["optimizer"].distinct) == ("category", None, 3)
    assert (named["optimizer"].pearson, named["optimizer"].spearman) == (None, None)
    constant = named["epochs"]
    assert (constant.importance, constant.spread, constant.pearson, constant.distinct) == (None, None, None, 1)
    assert constant.problem == "All runs have the same value."


def test_correlation_equals_that_of_numpy_and_scipy() -> None:
    """On a linear scale for numbers of one decade, else on a logarithmic one; ranks with ties."""
    from scipy import stats

    rows, metric = sweep(60)

    named = by_name(importance(rows, metric))

    rates, widths = (np.array([row[name] for row in rows], float) for name in ("rate", "width"))
    assert named["rate"].pearson == pytest.approx(np.corrcoef(np.log10(rates), metric)[0, 1])
    assert named["width"].pearson == pytest.approx(np.corrcoef(widths, metric)[0, 1])
    assert named["width"].spearman == pytest.approx(stats.spearmanr(widths, metric).statistic)


def test_strongest_effect_is_first_for_many_seeds() -> None:
    """In five sweeps of 40 runs, its importance is also several standard errors above 0."""
    for seed in range(5):
        result = importance(*sweep(40, seed), seed)
        first = result.parameters[0]
        assert first.name == "rate"
        strong, spread = computed(first)
        assert strong > 3 * spread


def test_same_seed_gives_the_same_result() -> None:
    """The forest depends on nothing but the seed."""
    rows, metric = sweep(50)

    assert importance(rows, metric, 7) == importance(rows, metric, 7)
    assert importance(rows, metric, 7) != importance(rows, metric, 8)


def test_too_few_runs() -> None:
    """There are correlations and a message, but no importance."""
    rows, metric = sweep(FEWEST_RUNS - 1)

    result = importance(rows, metric)

    assert (result.enough, result.score) == (False, None)
    assert result.problem == "9 runs have both the metric and hyperparameters: importance requires at least 10."
    named = by_name(result)
    assert named["rate"].spearman is not None
    assert named["rate"].importance is None
    assert result.parameters[0].name == "rate"
    assert problem(importance([], [])).startswith("No runs have")
    assert problem(importance(rows[:1], metric[:1])).startswith("1 run has")


def test_metric_that_never_changes() -> None:
    """Nothing can be computed for it."""
    rows, _ = sweep(20)

    result = importance(rows, [0.1] * 20)

    assert (result.enough, result.problem) == (False, "All runs have the same value of the metric.")
    assert all(parameter.pearson is None for parameter in result.parameters)


def test_nothing_varies() -> None:
    """The runs differ only in their names."""
    rows: list[dict[str, Value]] = [{"epochs": 3, "name": f"run {number}"} for number in range(12)]

    result = importance(rows, list(range(12)))

    assert (result.enough, result.problem) == (
        False,
        "No hyperparameter has values that distinguish the runs.",
    )
    assert by_name(result)["name"].problem == "It has 12 values in 12 runs: too few runs share a value."


def test_irrelevant_parameters_are_reported() -> None:
    """For a random metric the result states that the forest does not predict it."""
    random = np.random.default_rng(3)
    rows: list[dict[str, Value]] = [
        {"a": float(random.normal()), "b": str(random.choice(["x", "y"]))} for _ in range(40)
    ]

    result = importance(rows, random.normal(size=40).tolist())

    assert result.score is not None
    assert result.score < 0
    assert problem(result).startswith("The hyperparameters do not predict the metric")


def test_missing_values() -> None:
    """They are counted, and the values of the other runs are used; NaN and infinity count as missing."""
    rows, metric = sweep(60)
    for row in rows[::3]:
        del row["width"]
    for row, value in zip(rows[1::3], ("NaN", "Infinity", "-Infinity"), strict=False):
        row["dropout"] = value

    named = by_name(importance(rows, metric))

    assert (named["width"].missing, named["width"].kind, named["dropout"].missing) == (20, "number", 3)
    assert named["dropout"].kind == "number"
    assert named["width"].importance is not None
    assert computed(named["rate"])[0] > 1


def test_parameters_that_vary_together() -> None:
    """They have the same importance, and a message about it."""
    rows, metric = sweep(60)
    for row in rows:
        assert isinstance(row["rate"], float)
        row["decay"] = -row["rate"]
        row["family"] = str(row["optimizer"]).upper()

    named = by_name(importance(rows, metric))

    assert named["decay"].importance == computed(named["rate"])[0] > 1
    assert named["decay"].problem == ("It varies together with 'rate' in all runs: which of them matters is unknown.")
    assert named["family"].importance == named["optimizer"].importance
    assert problem(named["optimizer"]).startswith("It varies together with 'family'")
    assert (named["width"].problem, named["dropout"].problem) == (None, None)


def test_one_run_far_from_all_others() -> None:
    """The result states that a single run that diverged dominates it."""
    rows, metric = sweep(30)
    metric[4] = 1e300

    assert "it dominates the result" in problem(importance(rows, metric))


def test_extreme_numbers() -> None:
    """The largest and smallest doubles are handled like other numbers."""
    random = np.random.default_rng(0)
    order = random.permutation(20).tolist()
    rows = [{"huge": 1.7e308 * (n / 10 - 1), "tiny": 5e-324 * (n % 4 + 1), "seed": 2**50 + n} for n in order]

    named = by_name(importance(rows, [1e308 * (n / 10 - 1) for n in order]))

    assert named["huge"].pearson == pytest.approx(1)
    assert named["seed"].spearman == pytest.approx(1)
    assert named["tiny"].importance is not None


def test_kinds_of_columns() -> None:
    """Booleans and mixed values are categories, integers are numbers; many decades have a logarithmic scale."""
    rows: list[dict[str, Value]] = [
        {"flag": True, "mixed": 1, "whole": 1, "rate": 0.1, "zero": 0.0},
        {"flag": False, "mixed": "auto", "whole": 2, "rate": 0.0001, "zero": 1000.0},
        {"flag": True, "mixed": 1.0, "whole": 3, "rate": 0.1, "zero": 1.0},
    ]

    kinds = {column.name: (column.kind, column.scale, column.distinct) for column in columns_of(rows)}

    assert kinds == {
        "flag": ("category", None, 2),
        "mixed": ("category", None, 2),
        "whole": ("number", "linear", 3),
        "rate": ("number", "log10", 2),
        "zero": ("number", "linear", 3),
    }


def test_more_parameters_and_runs_than_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a sample of the runs and the first parameters are used; the result states both."""
    monkeypatch.setattr("toposcope.server.runs.importance.importance.MAX_RUNS", 50)
    monkeypatch.setattr("toposcope.server.runs.importance.importance.MAX_PARAMETERS", 2)
    rows, metric = sweep(80)

    result = importance(rows, metric)

    assert problem(result).startswith("Computed from a random sample of 50 of the 80 runs")
    assert problem(by_name(result)["dropout"]).startswith("More than 2 hyperparameters vary")


def test_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error reports the missing package; with too few runs it is not needed."""
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    rows, metric = sweep(20)

    with pytest.raises(MissingExtraError):
        importance(rows, metric)
    assert not importance(rows[:5], metric[:5]).enough
