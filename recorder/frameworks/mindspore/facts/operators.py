"""MindSpore's summary operators (ScalarSummary, ...): the values that they recorded in a network."""

import re
import sys
from typing import Any

from toposcope.recorder.summary import OperatorValue

_NAME = re.compile(r"(?P<tag>.+)\[:(?P<plugin>Scalar|Tensor|Histogram|Image)\]", re.DOTALL)


def is_imported() -> bool:
    """Return whether the process has imported MindSpore's summary operators."""
    return "mindspore.train.summary.summary_record" in sys.modules


def take_operator_values() -> list[OperatorValue]:
    """Return and remove the newest value of each tag that the summary operators of all networks have recorded.

    MindSpore 2.10 stores them in two places: operators that are called one by one (PyNative mode) append to a list,
    compiled graphs fill a dict in a callback.
    """
    # A compiled function may still be running; its values are available when it has ended.
    sys.modules["mindspore.graph.api"]._pynative_executor.sync()
    operators: Any = sys.modules["mindspore.ops.operations.debug_ops"]
    called, operators.SUMMARY_TENSOR_CACHE = operators.SUMMARY_TENSOR_CACHE, []
    named = {f"{tag}[:{operator.removesuffix('Summary')}]": value for operator, tag, value in called}
    named |= sys.modules["mindspore.train.summary.summary_record"]._get_summary_tensor_data()
    matches = [(_NAME.fullmatch(name), value) for name, value in named.items()]
    return [OperatorValue(match["plugin"].lower(), match["tag"], value) for match, value in matches if match]
