"""What the environment of a callback of LightGBM contains: evaluations, the learning rate, the machines."""

import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from toposcope.recorder.frameworks.boosting.evaluations import Evaluation

_RATES = ("learning_rate", "shrinkage_rate", "eta")
_DEFAULT_RATE = 0.1
_MACHINES = ("machines", "workers", "nodes")
_PORTS = ("local_listen_port", "local_port", "port")
_CROSS_VALIDATION = "cv_agg"


def evaluations_of(results: Iterable[Sequence[Any]] | None) -> Iterator[Evaluation]:
    """Yield the evaluations in env.evaluation_result_list.

    An item is a data set, a metric, a value, whether larger values are better, and in a cross-validation the deviation:
    since LightGBM 4.7 an EvalResult, before a tuple. In some versions the data set of a cross-validation is "cv_agg",
    and the metric "<data> <metric>".
    """
    for data, metric, value, _, *deviation in results or ():
        if data == _CROSS_VALIDATION and " " in metric:
            data, metric = metric.split(" ", 1)
        yield Evaluation(data, metric, value, deviation[0] if deviation else None)


def learning_rate_of(parameters: Mapping[str, Any]) -> float | None:
    """Return the learning rate in the parameters of a training; None if it is not a number."""
    rate = _first_of(parameters, _RATES)
    if rate is None:
        return _DEFAULT_RATE
    return float(rate) if isinstance(rate, int | float) else None


def is_distributed(parameters: Mapping[str, Any]) -> bool:
    """Return whether several processes train, which have the same evaluations."""
    return bool(_first_of(parameters, _MACHINES))


def is_first_machine(parameters: Mapping[str, Any]) -> bool:
    """Return whether this process is the first of those that train, in the list "machines" of "<host>:<port>"."""
    if not is_distributed(parameters):
        return True
    host, _, port = str(_first_of(parameters, _MACHINES)).split(",")[0].strip().rpartition(":")
    return port == str(_first_of(parameters, _PORTS) or "") and _is_here(host)


def _first_of(parameters: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((parameters[name] for name in names if parameters.get(name) is not None), None)


def _is_here(host: str) -> bool:
    """Return whether an address is one of this machine: only those can be bound."""
    try:
        with socket.socket() as probe:
            probe.bind((host, 0))
    except OSError:
        return False
    return True
