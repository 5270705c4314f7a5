"""Which scopes are built alike, so that a page need draw only one of them.

Two scopes are alike when their nodes compute the same, of the same kinds, shapes and dtypes, connected in the same way
inside, and the scopes in them are alike. Names do not count: they are numbered in every framework. Nor do attributes:
seeds and names stand in them. Nodes are compared by their surroundings up to three edges away (Weisfeiler-Lehman).
"""

import hashlib
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.server.graphs.graph import Edges
from toposcope.server.graphs.tree import Int32s, Tree

Hashes = npt.NDArray[np.uint64]
_ROUNDS = 3
_MOST_WORK = 50_000_000
"""Edges and entries, times levels of scopes: beyond, nothing is compared."""


def find_repeats(tree: Tree, edges: Edges, looks: Sequence[Hashable]) -> list[str | None]:
    """Return for each entry what it shares with the scopes that are alike; None for nodes and where there are none.

    Args:
        tree: scopes and nodes.
        edges: between the nodes.
        looks: of each entry: nodes that look different are different.
    """
    levels = int(tree.depth.max())
    if (len(tree.parent) + len(edges.source)) * levels > _MOST_WORK:
        return [None] * len(tree.parent)
    scopes = np.flatnonzero((tree.node < 0) & (tree.depth > 0))
    hashes = _scope_hashes(tree, edges, _look_hashes(looks))[scopes].tolist()
    counts = Counter(hashes)
    repeats: list[str | None] = [None] * len(tree.parent)
    for scope, number in zip(scopes.tolist(), hashes, strict=True):
        if counts[number] > 1:
            repeats[scope] = f"{number:016x}"
    return repeats


def _look_hashes(looks: Sequence[Hashable]) -> Hashes:
    """Return a hash of each look that is the same in every process."""
    known: dict[Hashable, int] = {None: 0}
    for look in looks:
        if look not in known:
            known[look] = int.from_bytes(hashlib.blake2b(repr(look).encode(), digest_size=8).digest(), "little")
    return np.array([known[look] for look in looks], np.uint64)


def _scope_hashes(tree: Tree, edges: Edges, looks: Hashes) -> Hashes:
    """Return the hash of each scope, from the innermost scopes to the outermost."""
    known = edges.source >= 0
    source, target = tree.entry[edges.source[known]], tree.entry[edges.target[known]]
    slot = (np.arange(len(edges.source)) - edges.input_ends[edges.target])[known].astype(np.uint64)
    slot += np.uint64(1 << 32) * edges.control[known].astype(np.uint64)
    hashes = np.zeros(len(tree.parent), np.uint64)
    is_scope = tree.node < 0
    for level in range(int(tree.depth.max()) - 1, 0, -1):
        around = _ancestors(tree, level)
        inside = (around[source] == around[target]) & (around[source] >= 0)
        content = np.where(
            is_scope, np.uint64(0), _mixed(_surroundings(looks, source[inside], target[inside], slot[inside]))
        )
        inner = is_scope & (tree.depth == level + 1)
        content[inner] = _mixed(hashes[inner] ^ np.uint64(0x5C09E))
        here = np.flatnonzero(is_scope & (tree.depth == level))
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(content, dtype=np.uint64)])
        hashes[here] = _mixed(sums[tree.end[here]] - sums[here])
    return hashes


def _ancestors(tree: Tree, level: int) -> Int32s:
    """Return the scope of a level that each entry is in; -1 when it is in none."""
    entries = np.arange(len(tree.parent), dtype=np.int32)
    latest = np.maximum.accumulate(np.where(tree.depth == level, entries, -1))
    return np.where(tree.depth > level, latest, np.int32(-1))


def _surroundings(looks: Hashes, source: Int32s, target: Int32s, slot: Hashes) -> Hashes:
    """Return a hash of each node with what it reads, input by input, and with what reads it."""
    colours = looks
    for _ in range(_ROUNDS):
        gathered = colours.copy()
        np.add.at(gathered, target, _mixed(colours[source] + slot * np.uint64(0x9E3779B97F4A7C15)))
        np.add.at(gathered, source, _mixed(colours[target] ^ np.uint64(0x0D1FF)))
        colours = _mixed(gathered)
    return colours


def _mixed(numbers: npt.NDArray[Any]) -> Hashes:
    """Return well-spread hashes of 64-bit numbers (splitmix64's finish)."""
    mixed: Hashes = numbers ^ (numbers >> np.uint64(30))
    mixed = mixed * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
