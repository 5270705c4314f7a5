"""Scopes in one another, with the nodes of a graph as leaves, from the nodes' names."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toposcope.server.graphs.limits import (
    DEEPEST,
    LONGEST_PATH,
    MOST_NAME_CHARACTERS,
    MOST_SCOPES,
    shortened,
    within,
)

Int32s = npt.NDArray[np.int32]
ROOT = 0
"""Entry of the scope that holds all others; its name is ""."""
_UNNAMED = "unnamed"


@dataclass(frozen=True)
class Tree:
    """Scopes and nodes as entries in preorder: what a scope holds comes right after it."""

    labels: list[str]
    """Last part of each entry's name."""
    names: list[str]
    """Full names, each one once: scopes and label, separated by "/"."""
    parent: Int32s
    """Entry of the scope that each entry is in; -1 for the root."""
    end: Int32s
    """The entry after the last one inside."""
    depth: Int32s
    """Scopes around each entry; 0 for the root."""
    node: Int32s
    """Node of the graph; -1: the entry is a scope."""
    entry: Int32s
    """Entry of each node."""
    nodes_before: Int32s
    """Nodes before each entry; one more than there are entries."""
    children_ends: Int32s
    """Children of entry e are those in children from children_ends[e] to children_ends[e + 1]."""
    children: Int32s
    entry_of: dict[str, int]
    """Full name to entry."""

    def children_of(self, entry: int) -> Int32s:
        """Return the entries right inside a scope, ascending."""
        return self.children[self.children_ends[entry] : self.children_ends[entry + 1]]

    def nodes_inside(self, entry: int) -> int:
        """Return how many nodes there are in a scope; 1 for a node."""
        return int(self.nodes_before[self.end[entry]] - self.nodes_before[entry])


def grow_tree(paths: Sequence[str]) -> Tree:
    """Return the tree of nodes with these paths, scopes and children in the order in which they are first met.

    Empty parts of a path do not count. A node that is called like a scope stands inside it, its label in brackets; of
    nodes with equal names all but the first have a number behind it.

    Raises:
        GraphError: there are too many scopes, or the names are too long.
    """
    scopes = _Scopes()
    places = [scopes.place(path) for path in paths]
    labels = scopes.settle(places)
    return _in_preorder(scopes, labels)


class _Scopes:
    """The scopes met so far; each has a number, the root has 0."""

    def __init__(self) -> None:
        self.parents = [-1]
        self.labels = [""]
        self.items: list[list[int]] = [[]]
        """What each scope holds, in order: numbers of scopes, and of nodes as ~node."""
        self._numbers: dict[tuple[int, str], int] = {}
        self._known = {"": 0}
        """Number of the scope that a path is in, by all but the last part of the path."""

    def place(self, path: str) -> tuple[int, str]:
        """Return (scope, label) of a node; scopes that are new are entered."""
        path = shortened(path, LONGEST_PATH)
        if "//" in path or path[:1] == "/" or path[-1:] == "/":
            path = "/".join(filter(None, path.split("/")))
        *parts, label = path.split("/", DEEPEST)
        above = path[: len(path) - len(label)]
        scope = self._known.get(above)
        if scope is None:
            scope = self._known[above] = self._enter(parts)
        return scope, label or _UNNAMED

    def _enter(self, parts: list[str]) -> int:
        scope = 0
        for part in parts:
            inner = self._numbers.get((scope, part))
            if inner is None:
                inner = self._numbers[scope, part] = len(self.parents)
                within(inner, MOST_SCOPES, "scopes")
                self.parents.append(scope)
                self.labels.append(part)
                self.items.append([])
            scope = inner
        return scope

    def settle(self, places: list[tuple[int, str]]) -> list[str]:
        """Put the nodes into their scopes, and those into theirs; return labels that are unique in a scope."""
        taken: dict[tuple[int, str], int] = {}
        is_settled = [True] + [False] * (len(self.parents) - 1)
        labels = []
        for node, (scope, label) in enumerate(places):
            namesake = self._numbers.get((scope, label))
            if namesake is not None:
                scope, label = namesake, f"({label})"
            label = self._unique(scope, label, taken)
            labels.append(label)
            self.items[scope].append(~node)
            while not is_settled[scope]:
                is_settled[scope] = True
                self.items[self.parents[scope]].append(scope)
                scope = self.parents[scope]
        return labels

    def _unique(self, scope: int, label: str, taken: dict[tuple[int, str], int]) -> str:
        unique = label
        while (scope, unique) in taken or (scope, unique) in self._numbers:
            taken[scope, label] = taken.get((scope, label), 1) + 1
            unique = f"{label} ({taken[scope, label]})"
        taken[scope, unique] = 1
        return unique


def _in_preorder(scopes: _Scopes, node_labels: list[str]) -> Tree:
    """Enter scopes and nodes so that what a scope holds comes right after it."""
    count = len(scopes.parents) + len(node_labels)
    parent = np.full(count, -1, np.int32)
    depth = np.zeros(count, np.int32)
    node = np.full(count, -1, np.int32)
    labels: list[str] = []
    names: list[str] = []
    characters = 0
    waiting = [(0, -1)]
    while waiting:
        item, above = waiting.pop()
        entry = len(labels)
        label = scopes.labels[item] if item >= 0 else node_labels[~item]
        name = f"{names[above]}/{label}" if above > 0 else label
        labels.append(label)
        names.append(name)
        characters += len(name)
        within(characters, MOST_NAME_CHARACTERS, "characters in the names of its nodes")
        if above >= 0:
            parent[entry], depth[entry] = above, depth[above] + 1
        if item < 0:
            node[entry] = ~item
        else:
            waiting.extend((inner, entry) for inner in reversed(scopes.items[item]))
    return _tree(labels, names, parent, depth, node)


def _tree(labels: list[str], names: list[str], parent: Int32s, depth: Int32s, node: Int32s) -> Tree:
    count = len(labels)
    end = np.arange(1, count + 1, dtype=np.int32)
    for level in range(int(depth.max()), 0, -1):
        at_level = depth == level
        np.maximum.at(end, parent[at_level], end[at_level])
    is_node = node >= 0
    entry = np.empty(int(is_node.sum()), np.int32)
    entry[node[is_node]] = np.flatnonzero(is_node)
    return Tree(
        labels=labels,
        names=names,
        parent=parent,
        end=end,
        depth=depth,
        node=node,
        entry=entry,
        nodes_before=np.concatenate([[0], np.cumsum(is_node)]).astype(np.int32),
        children_ends=np.concatenate([[0], np.cumsum(np.bincount(parent[1:], minlength=count))]).astype(np.int32),
        children=(np.argsort(parent[1:], kind="stable") + 1).astype(np.int32),
        entry_of={name: number for number, name in enumerate(names)},
    )
