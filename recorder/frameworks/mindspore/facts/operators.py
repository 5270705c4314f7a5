"""MindSpore's summary operators (ScalarSummary, ...): the values that they saw in a network."""

import re
import sys
from typing import Any

from toposcope.recorder.summary import OperatorValue

_NAME = re.compile(r"(?P<tag>.+)\[:(?P<plugin>Scalar|Tensor|Histogram|Image)\]", re.DOTALL)


def is_imported() -> bool:
    """Say whether this process uses MindSpore."""
    return "mindspore.train.summary.summary_record" in sys.modules


def take_operator_values() -> list[OperatorValue]:
    """Take what the summary operators of all networks have left since the last call: of each tag the newest value.

    MindSpore 2.10 keeps them in two places: operators called one by one (PyNative mode) append to a list, compiled
    graphs call back and fill a dict.
    """
    # A compiled function may still run: its values come when it has ended.
    sys.modules["mindspore.graph.api"]._pynative_executor.sync()
    operators: Any = sys.modules["mindspore.ops.operations.debug_ops"]
    called, operators.SUMMARY_TENSOR_CACHE = operators.SUMMARY_TENSOR_CACHE, []
    named = {f"{tag}[:{operator.removesuffix('Summary')}]": value for operator, tag, value in called}
    named |= sys.modules["mindspore.train.summary.summary_record"]._get_summary_tensor_data()
    matches = [(_NAME.fullmatch(name), value) for name, value in named.items()]
    return [OperatorValue(match["plugin"].lower(), match["tag"], value) for match, value in matches if match]
