"""The JSON objects of replies about graphs."""

from typing import Literal

from typing_extensions import TypedDict

EntryKind = Literal["scope", "operator", "parameter", "constant", "input", "output"]


class TypeView(TypedDict):
    """The type of an output of a node, or of the value of an edge."""

    dtype: str | None
    """"tuple" for several values together; null if unknown."""
    shape: tuple[int, ...] | None
    """-1 for unknown dimensions; null if the shape is unknown, or the value is not a tensor."""


class FlowType(TypeView):
    """A type and the number of tensors of this type that an edge represents."""

    count: int


class EntryView(TypedDict):
    """Summary of a scope or node."""

    name: str
    """Full name, unique in the graph."""
    label: str
    """Last part of the name."""
    kind: EntryKind
    op: str | None
    """Operation of a node; null for a scope."""
    nodes: int
    """Number of nodes in the scope, at any depth; 1 for a node."""


class Link(TypedDict):
    """An input or output of a node."""

    name: str
    """Full name of the other node."""
    control: bool
    """Whether the edge is a control dependency, without a value."""
    type: TypeView | None
    """null if unknown."""
    missing: bool
    """Whether the graph has no such node; then name is the name in the file."""


class AttributeView(TypedDict):
    """An attribute of a node."""

    name: str
    value: str
    """Ends in "…" if it was truncated."""
    length: int | None
    """Length of the full value, if it was truncated."""
    unit: Literal["characters", "elements", "bytes"] | None
    """Unit of length."""


class DescribedEntry(EntryView):
    """Description of a scope or node, with its inputs and outputs."""

    types: list[TypeView]
    """Types of the outputs of a node, as far as they are known."""
    inputs: list[Link]
    """Inputs of a node, in order; for a scope, nodes outside that it reads, each once."""
    inputs_total: int
    outputs: list[Link]
    """Nodes that read the node; for a scope, nodes outside that read it, each once."""
    outputs_total: int
    attributes: list[AttributeView]
    attributes_total: int
    repeats: str | None
    """A key shared by scopes with the same structure; null for nodes and unique scopes."""
    is_result: bool
    """Whether the graph returns the node."""


class NodeView(DescribedEntry):
    """All properties of a node."""

    id: str
    """Name of the node in the file."""
    scope: str
    """Full name of the enclosing scope."""


class FlowView(TypedDict):
    """All edges from one entry to another; either may be a scope."""

    source: str
    target: str
    control: bool
    """Whether these are control dependencies; edges with values are separate."""
    outside: Literal["source", "target"] | None
    """Which end is outside of the scope."""
    count: int
    """Number of edges between nodes."""
    types: list[FlowType]
    """Known types of the values, most frequent first."""


class ScopeView(TypedDict):
    """The children of a scope."""

    name: str
    total: int
    """Number of children, listed or not."""
    children: list[DescribedEntry]
    edges: list[FlowView]
    """Edges that begin or end at a listed child."""
    edges_total: int
    outside: list[EntryView]
    """Ends of edges outside of the scope: the outermost scopes or nodes that do not contain it."""


class FoundEntry(EntryView):
    """A matching scope or node, or a scope that contains one."""

    scope: str
    """Full name of the enclosing scope."""
    depth: int
    """Number of enclosing scopes, without the outermost."""
    matches: bool


class SearchView(TypedDict):
    """Search results as a tree."""

    total: int
    """Number of matching entries, listed or not."""
    tree: list[FoundEntry]
    """Scopes precede their contents."""
