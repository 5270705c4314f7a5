"""Views of single entries of a graph: nodes and scopes."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from toposcope.server.graphs.model.attributes import Attribute, Room
from toposcope.server.graphs.model.graph import Graph, Output
from toposcope.server.graphs.views import (
    AttributeView,
    DescribedEntry,
    EntryKind,
    EntryView,
    Link,
    NodeView,
    TypeView,
)

_ROOM = Room(characters=10_000, attributes=1_000)
_MAX_LINKS = 10_000
Numbers = npt.NDArray[np.signedinteger[Any]]


def entry_view(graph: Graph, entry: int) -> EntryView:
    """Return the summary of a node or scope."""
    tree = graph.tree
    node = int(tree.node[entry])
    is_node = node >= 0
    return {
        "name": tree.names[entry],
        "label": tree.labels[entry],
        "kind": cast(EntryKind, graph.kinds[node].name.lower()) if is_node else "scope",
        "op": graph.ops[node] if is_node else None,
        "nodes": tree.nodes_inside(entry),
    }


def node_view(graph: Graph, node: int) -> NodeView:
    """Return all properties of a node."""
    entry = int(graph.tree.entry[node])
    return {
        **described_node(graph, node, _ROOM, _MAX_LINKS),
        "id": graph.ids[node],
        "scope": graph.tree.names[graph.tree.parent[entry]],
    }


def described_node(graph: Graph, node: int, room: Room, most_links: int) -> DescribedEntry:
    """Return the description of a node.

    Args:
        graph: the graph.
        node: number of the node.
        room: limits on its attributes.
        most_links: maximum number of listed inputs and outputs.
    """
    edges = graph.edges
    inputs = np.arange(edges.input_ends[node], edges.input_ends[node + 1])
    outputs = edges.by_source[edges.output_ends[node] : edges.output_ends[node + 1]]
    attributes = graph.read_attributes(node, room)
    return {
        **entry_view(graph, int(graph.tree.entry[node])),
        "types": [type_view(each) for each in graph.outputs[node]],
        "inputs": input_links(graph, inputs[:most_links]),
        "inputs_total": len(inputs),
        "outputs": output_links(graph, outputs[:most_links]),
        "outputs_total": len(outputs),
        "attributes": [_attribute_view(each) for each in attributes.listed],
        "attributes_total": attributes.total,
        "repeats": None,
        "is_result": node in graph.results,
    }


def described_scope(
    graph: Graph, entry: int, inputs: list[Link], outputs: list[Link], totals: tuple[int, int]
) -> DescribedEntry:
    """Return the description of a scope with links across its border; `totals` counts inputs and outputs."""
    return {
        **entry_view(graph, entry),
        "types": [],
        "inputs": inputs,
        "inputs_total": totals[0],
        "outputs": outputs,
        "outputs_total": totals[1],
        "attributes": [],
        "attributes_total": 0,
        "repeats": graph.repeats[entry],
        "is_result": False,
    }


def input_links(graph: Graph, edges: Numbers) -> list[Link]:
    """Return links to the sources of edges."""
    names, entries = graph.tree.names, graph.tree.entry
    return [
        {
            "name": names[entries[source]] if source >= 0 else graph.missing[edge],
            "control": control,
            "type": flow_type(graph, type_),
            "missing": source < 0,
        }
        for edge, source, control, type_ in zip(
            edges.tolist(),
            graph.edges.source[edges].tolist(),
            graph.edges.control[edges].tolist(),
            graph.edges.type[edges].tolist(),
            strict=True,
        )
    ]


def output_links(graph: Graph, edges: Numbers) -> list[Link]:
    """Return links to the targets of edges."""
    names, entries = graph.tree.names, graph.tree.entry
    return [
        {"name": names[entries[target]], "control": control, "type": flow_type(graph, type_), "missing": False}
        for target, control, type_ in zip(
            graph.edges.target[edges].tolist(),
            graph.edges.control[edges].tolist(),
            graph.edges.type[edges].tolist(),
            strict=True,
        )
    ]


def flow_type(graph: Graph, number: int) -> TypeView | None:
    """Return the type with this number; None for -1, an unknown type."""
    return type_view(graph.types[number]) if number >= 0 else None


def type_view(output: Output) -> TypeView:
    """Return a type in the form of replies."""
    return {"dtype": output.dtype, "shape": output.shape}


def _attribute_view(each: Attribute) -> AttributeView:
    shown, length, unit = each.value
    return cast(AttributeView, {"name": each.name, "value": shown, "length": length, "unit": unit})
