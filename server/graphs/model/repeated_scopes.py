"""Detection of scopes with the same structure, of which a page may draw only one.

Two scopes have the same structure if their nodes have the same operations, kinds, shapes and dtypes, are connected in
the same way, and their inner scopes have the same structure. Names are ignored, as frameworks number them, and so are
attributes, which contain seeds and names. Nodes are compared by their neighbourhood up to three edges away
(Weisfeiler-Lehman).
"""

import hashlib
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.server.graphs.model.graph import Edges
from toposcope.server.graphs.model.tree import Int32s, Tree

Hashes = npt.NDArray[np.uint64]
_ROUNDS = 3
_MAX_WORK = 50_000_000
"""Limit on (edges + entries) * levels of scopes, beyond which scopes are not compared."""


def find_repeats(tree: Tree, edges: Edges, signatures: Sequence[Hashable]) -> list[str | None]:
    """Return, for each entry, a key shared by scopes with the same structure; None for nodes and unique scopes.

    Args:
        tree: scopes and nodes.
        edges: edges between the nodes.
        signatures: properties of each entry; nodes with different signatures are different.
    """
    levels = int(tree.depth.max())
    if (len(tree.parent) + len(edges.source)) * levels > _MAX_WORK:
        return [None] * len(tree.parent)
    scopes = np.flatnonzero((tree.node < 0) & (tree.depth > 0))
    hashes = _scope_hashes(tree, edges, _signature_hashes(signatures))[scopes].tolist()
    counts = Counter(hashes)
    repeats: list[str | None] = [None] * len(tree.parent)
    for scope, number in zip(scopes.tolist(), hashes, strict=True):
        if counts[number] > 1:
            repeats[scope] = f"{number:016x}"
    return repeats


def _signature_hashes(signatures: Sequence[Hashable]) -> Hashes:
    """Return a hash of each signature that is the same in every process."""
    hashes: dict[Hashable, int] = {None: 0}
    for signature in signatures:
        if signature not in hashes:
            hashes[signature] = int.from_bytes(
                hashlib.blake2b(repr(signature).encode(), digest_size=8).digest(), "little"
            )
    return np.array([hashes[signature] for signature in signatures], np.uint64)


def _scope_hashes(tree: Tree, edges: Edges, signatures: Hashes) -> Hashes:
    """Return the hash of each scope, computed from the innermost scopes outwards."""
    existing = edges.source >= 0
    source, target = tree.entry[edges.source[existing]], tree.entry[edges.target[existing]]
    slot = (np.arange(len(edges.source)) - edges.input_ends[edges.target])[existing].astype(np.uint64)
    slot += np.uint64(1 << 32) * edges.control[existing].astype(np.uint64)
    hashes = np.zeros(len(tree.parent), np.uint64)
    is_scope = tree.node < 0
    for level in range(int(tree.depth.max()) - 1, 0, -1):
        around = _ancestors(tree, level)
        inside = (around[source] == around[target]) & (around[source] >= 0)
        content = np.where(
            is_scope,
            np.uint64(0),
            _mixed(_neighbourhood_hashes(signatures, source[inside], target[inside], slot[inside])),
        )
        inner = is_scope & (tree.depth == level + 1)
        content[inner] = _mixed(hashes[inner] ^ np.uint64(0x5C09E))
        at_level = np.flatnonzero(is_scope & (tree.depth == level))
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(content, dtype=np.uint64)])
        hashes[at_level] = _mixed(sums[tree.end[at_level]] - sums[at_level])
    return hashes


def _ancestors(tree: Tree, level: int) -> Int32s:
    """Return the enclosing scope of each entry at a level; -1 if there is none."""
    entries = np.arange(len(tree.parent), dtype=np.int32)
    latest = np.maximum.accumulate(np.where(tree.depth == level, entries, -1))
    return np.where(tree.depth > level, latest, np.int32(-1))


def _neighbourhood_hashes(signatures: Hashes, source: Int32s, target: Int32s, slot: Hashes) -> Hashes:
    """Return a hash of each node and its neighbours, with the inputs in order."""
    colours = signatures
    for _ in range(_ROUNDS):
        gathered = colours.copy()
        np.add.at(gathered, target, _mixed(colours[source] + slot * np.uint64(0x9E3779B97F4A7C15)))
        np.add.at(gathered, source, _mixed(colours[target] ^ np.uint64(0x0D1FF)))
        colours = _mixed(gathered)
    return colours


def _mixed(numbers: npt.NDArray[Any]) -> Hashes:
    """Return well-spread hashes of 64-bit numbers (the finalizer of splitmix64)."""
    mixed: Hashes = numbers ^ (numbers >> np.uint64(30))
    mixed = mixed * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
