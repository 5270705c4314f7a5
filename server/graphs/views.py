"""What replies say of a graph, as JSON has it."""

from typing import Literal

from typing_extensions import TypedDict

EntryKind = Literal["scope", "operator", "parameter", "constant", "input", "output"]


class TypeView(TypedDict):
    """What a node puts out, or what flows along an edge."""

    dtype: str | None
    """"tuple": several values together; null: unknown."""
    shape: tuple[int, ...] | None
    """-1 where a size is unknown; null: unknown, or no tensor."""


class FlowType(TypeView):
    """How many tensors of one type an edge stands for."""

    count: int


class EntryView(TypedDict):
    """A scope or a node, in short."""

    name: str
    """Full, and unique in the graph."""
    label: str
    """The last part of it."""
    kind: EntryKind
    op: str | None
    """What a node computes; null for a scope."""
    nodes: int
    """In the scope, however deep; 1 for a node."""


class Link(TypedDict):
    """What a node reads or is read by."""

    name: str
    """Of a node."""
    control: bool
    """Whether only the order matters, not a value."""
    type: TypeView | None
    """null: unknown."""
    missing: bool
    """Whether the graph has no such node; then the name is all that is known of it."""


class AttributeView(TypedDict):
    """A setting of a node."""

    name: str
    value: str
    """Ends in "…" when it was cut."""
    length: int | None
    """How long the value is in full, when it was cut."""
    unit: Literal["characters", "elements", "bytes"] | None
    """What length counts."""


class DescribedEntry(EntryView):
    """A scope or a node with what it reads and puts out."""

    types: list[TypeView]
    """What a node puts out, as far as that is known."""
    inputs: list[Link]
    """What a node reads, in its order; what a scope reads from outside, each node once."""
    inputs_total: int
    outputs: list[Link]
    """What reads a node; what outside reads a scope, each node once."""
    outputs_total: int
    attributes: list[AttributeView]
    attributes_total: int
    repeats: str | None
    """The same for all scopes of the graph that are built alike; null for nodes and scopes without their like."""
    is_result: bool
    """Whether the graph returns it."""


class NodeView(DescribedEntry):
    """A node with everything that is known of it."""

    id: str
    """How the file calls it."""
    scope: str
    """The scope that it is in."""


class FlowView(TypedDict):
    """An edge between two entries, of which one or both may be scopes: all that flows from one to the other."""

    source: str
    target: str
    control: bool
    """Whether only the order matters; what flows besides is another edge."""
    outside: Literal["source", "target"] | None
    """Which end is outside of the scope that is shown."""
    count: int
    """Edges between nodes that it stands for."""
    types: list[FlowType]
    """Of what flows, as far as that is known, the most frequent first."""


class ScopeView(TypedDict):
    """What is right inside a scope."""

    name: str
    total: int
    """Children, listed or not."""
    children: list[DescribedEntry]
    edges: list[FlowView]
    """That begin or end at a child that is listed."""
    edges_total: int
    outside: list[EntryView]
    """The ends of edges that are not in the scope: the outermost scopes or nodes that do not hold it."""


class FoundEntry(EntryView):
    """A scope or a node that matches, or a scope that leads to one."""

    scope: str
    """The scope that it is in."""
    depth: int
    """Scopes around it, the outermost not counted."""
    matches: bool


class SearchView(TypedDict):
    """What a search found, as a tree."""

    total: int
    """Entries that match, listed or not."""
    tree: list[FoundEntry]
    """Scopes before what they hold."""
