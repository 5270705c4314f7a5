"""The tree of nested scopes, with the nodes of a graph as leaves, built from the names of nodes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toposcope.server.graphs.model.limits import (
    DEEPEST,
    LONGEST_PATH,
    MAX_NAME_CHARACTERS,
    MAX_SCOPES,
    shortened,
    within,
)

Int32s = npt.NDArray[np.int32]
ROOT = 0
"""Entry of the outermost scope, whose name is ""."""
_UNNAMED = "unnamed"


@dataclass(frozen=True)
class Tree:
    """Scopes and nodes as entries in preorder: the contents of a scope follow it."""

    labels: list[str]
    """Last part of each entry's name."""
    names: list[str]
    """Unique full names: scopes and label, separated by "/"."""
    parent: Int32s
    """Entry of the enclosing scope; -1 for the root."""
    end: Int32s
    """The entry after the contents of each entry."""
    depth: Int32s
    """Number of enclosing scopes; 0 for the root."""
    node: Int32s
    """Number of the node; -1 for a scope."""
    entry: Int32s
    """Entry of each node."""
    nodes_before: Int32s
    """Number of nodes before each entry; has one element more than entries."""
    children_ends: Int32s
    """The children of entry e are children[children_ends[e]:children_ends[e + 1]]."""
    children: Int32s
    entry_of: dict[str, int]
    """Entry by full name."""

    def children_of(self, entry: int) -> Int32s:
        """Return the children of a scope, in ascending order."""
        return self.children[self.children_ends[entry] : self.children_ends[entry + 1]]

    def nodes_inside(self, entry: int) -> int:
        """Return the number of nodes in a scope; 1 for a node."""
        return int(self.nodes_before[self.end[entry]] - self.nodes_before[entry])


def build_tree(paths: Sequence[str]) -> Tree:
    """Return the tree of nodes with these paths; scopes and children are in the order of their first occurrence.

    Empty parts of a path are ignored. A node with the name of a scope is placed in the scope, with its label in
    brackets; nodes with equal names have a number appended, except for the first.

    Raises:
        GraphError: there are too many scopes, or the names are too long.
    """
    scopes = _Scopes()
    positions = [scopes.position(path) for path in paths]
    labels = scopes.add_nodes(positions)
    return _in_preorder(scopes, labels)


class _Scopes:
    """The scopes so far; each has a number, the root has 0."""

    def __init__(self) -> None:
        self.parents = [-1]
        self.labels = [""]
        self.items: list[list[int]] = [[]]
        """The contents of each scope, in order: numbers of scopes, and ~node for nodes."""
        self._numbers: dict[tuple[int, str], int] = {}
        self._scope_of_prefix = {"": 0}
        """Number of a scope, by the part of a path before the last one."""

    def position(self, path: str) -> tuple[int, str]:
        """Return (scope, label) of a node; new scopes are added."""
        path = shortened(path, LONGEST_PATH)
        if "//" in path or path[:1] == "/" or path[-1:] == "/":
            path = "/".join(filter(None, path.split("/")))
        *parts, label = path.split("/", DEEPEST)
        prefix = path[: len(path) - len(label)]
        scope = self._scope_of_prefix.get(prefix)
        if scope is None:
            scope = self._scope_of_prefix[prefix] = self._add_scopes(parts)
        return scope, label or _UNNAMED

    def _add_scopes(self, parts: list[str]) -> int:
        scope = 0
        for part in parts:
            inner = self._numbers.get((scope, part))
            if inner is None:
                inner = self._numbers[scope, part] = len(self.parents)
                within(inner, MAX_SCOPES, "scopes")
                self.parents.append(scope)
                self.labels.append(part)
                self.items.append([])
            scope = inner
        return scope

    def add_nodes(self, positions: list[tuple[int, str]]) -> list[str]:
        """Add the nodes to their scopes, and the scopes to their parents; return labels that are unique in a scope."""
        used_labels: dict[tuple[int, str], int] = {}
        is_added = [True] + [False] * (len(self.parents) - 1)
        labels = []
        for node, (scope, label) in enumerate(positions):
            scope_with_name = self._numbers.get((scope, label))
            if scope_with_name is not None:
                scope, label = scope_with_name, f"({label})"
            label = self._unique(scope, label, used_labels)
            labels.append(label)
            self.items[scope].append(~node)
            while not is_added[scope]:
                is_added[scope] = True
                self.items[self.parents[scope]].append(scope)
                scope = self.parents[scope]
        return labels

    def _unique(self, scope: int, label: str, used_labels: dict[tuple[int, str], int]) -> str:
        unique = label
        while (scope, unique) in used_labels or (scope, unique) in self._numbers:
            used_labels[scope, label] = used_labels.get((scope, label), 1) + 1
            unique = f"{label} ({used_labels[scope, label]})"
        used_labels[scope, unique] = 1
        return unique


def _in_preorder(scopes: _Scopes, node_labels: list[str]) -> Tree:
    """Return the tree in preorder."""
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
        within(characters, MAX_NAME_CHARACTERS, "characters in the names of its nodes")
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
