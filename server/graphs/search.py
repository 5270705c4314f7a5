"""Nodes and scopes found by name or by what they compute, with the scopes that lead to them."""

from toposcope.server.graphs.entry_views import entry_view
from toposcope.server.graphs.graph import Graph
from toposcope.server.graphs.tree import ROOT
from toposcope.server.graphs.views import SearchView


def search(graph: Graph, scope: int, wanted: str, limit: int) -> SearchView:
    """Find what is called like a text, or computes something called like it, upper and lower case alike.

    The text must reach into the last part of the name: a scope matches, and not all that it holds.

    Args:
        graph: that is searched.
        scope: its entry; only what is inside is found.
        wanted: a part of a name, which may hold "/", or of what a node computes.
        limit: matches listed at most.
    """
    found = _found(graph, scope, wanted.lower())
    listed = found[:limit]
    shown = set(listed)
    for entry in listed:
        above = int(graph.tree.parent[entry])
        while above > ROOT and above not in shown:
            shown.add(above)
            above = int(graph.tree.parent[above])
    matches = set(listed)
    return {
        "total": len(found),
        "tree": [
            {
                **entry_view(graph, entry),
                "scope": graph.tree.names[graph.tree.parent[entry]],
                "depth": int(graph.tree.depth[entry]) - 1,
                "matches": entry in matches,
            }
            for entry in sorted(shown)
        ],
    }


def _found(graph: Graph, scope: int, wanted: str) -> list[int]:
    tree = graph.tree
    inside = range(scope + 1, int(tree.end[scope]))
    if "/" in wanted:
        called = (entry for entry in inside if _reaches_label(tree.names[entry].lower(), wanted))
    else:
        called = (entry for entry in inside if wanted in tree.labels[entry].lower())
    found = set(called)
    ops = {op for op in set(graph.ops) if wanted in op.lower()}
    if ops:
        found.update(entry for entry in inside if tree.node[entry] >= 0 and graph.ops[tree.node[entry]] in ops)
    return sorted(found)


def _reaches_label(name: str, wanted: str) -> bool:
    at = name.rfind(wanted)
    return at >= 0 and "/" not in name[at + len(wanted) :]
