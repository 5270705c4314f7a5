"""The values that are added to a recorder, by its users or by the networks, until record() takes them."""

from toposcope.recorder.record.added.network_values import NetworkValues
from toposcope.recorder.record.added.pending_values import ThreadPendingValues, UnrecordedValues
from toposcope.recorder.record.record_problems import RecordProblems
from toposcope.recorder.summary import OperatorValue
from toposcope.recorder.values.arrays.deferred_scalar import DeferredScalar
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError
from toposcope.recorder.values.scalar import scalar_from
from toposcope.recorder.writing.snapshot import Snapshot, snapshot_of

SCALAR_BYTES = 96
"""Approximate memory of a queued scalar."""


class AddedValues:
    """Snapshots of values; each thread has its own.

    Args:
        network: whose graph and operator values are added.
        problems: reports the values that are skipped.
        unrecorded: the pending values of all threads.
    """

    def __init__(self, network: NetworkValues, problems: RecordProblems, unrecorded: UnrecordedValues) -> None:
        self.pending = ThreadPendingValues(unrecorded)
        self._network = network
        self._problems = problems

    def add(self, plugin: str, tag: str, value: object, dataformats: str | None = None) -> None:
        """Add a snapshot of a value: see SummaryRecord.add_value()."""
        plugin = "landscape" if plugin == "LANDSCAPE" else plugin
        try:
            if isinstance(value, DeferredScalar):
                self._add_snapshot(tag, Snapshot("scalar", value, SCALAR_BYTES))
            elif plugin == "scalar" and dataformats is None:
                self._add_scalar(tag, value)
            else:
                self._add_snapshot(tag, snapshot_of(plugin, value, dataformats))
        except UnreadableValueError as error:
            self.pending.values.is_incomplete = True
            self._problems.skip_unreadable(tag, error)

    def _add_scalar(self, tag: str, value: object) -> None:
        scalar = scalar_from(value)
        if not scalar.is_exact:
            self._problems.warn_of_rounding(tag)
        scalars = self.pending.values.scalars
        is_duplicate = tag in scalars
        scalars[tag] = scalar.value
        if is_duplicate:
            self._problems.warn_of_duplicate(tag)

    def _add_snapshot(self, tag: str, snapshot: Snapshot) -> None:
        snapshots = self.pending.values.snapshots
        is_duplicate = (snapshot.plugin, tag) in snapshots
        snapshots[snapshot.plugin, tag] = snapshot
        if is_duplicate:
            self._problems.warn_of_duplicate(tag)

    def add_network_values(self, train_network: object) -> None:
        """Add the graph of the network and the values of summary operators."""
        try:
            if (graph := self._network.take_graph(train_network)) is not None:
                self._add_implicit("graph", "network", graph)
        except UnreadableValueError as error:
            self._problems.skip("network", f"has no graph to record: {error}", error)
        for plugin, tag, value in self.take_operator_values():
            self._add_implicit(plugin, tag, value)

    def take_operator_values(self) -> list[OperatorValue]:
        """Remove and return the values that summary operators have kept."""
        try:
            return self._network.take_operator_values()
        except UnreadableValueError as error:
            text = f"returns no values of its summary operators: {error}"
            self._problems.warn_once("unreadable", "MindSpore", text)
            return self._network.take_operator_values()  # Without MindSpore's.

    def _add_implicit(self, plugin: str, tag: str, value: object) -> None:
        # The caller of record() did not pass this value: an invalid one must not raise there.
        try:
            self.add(plugin, tag, value)
        except (TypeError, ValueError) as error:
            self._problems.warn_once("invalid", tag, f"skipped, it is not a valid {plugin}: {error}")
