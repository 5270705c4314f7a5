"""Search for nodes and scopes by name or operation; results include their enclosing scopes."""

from toposcope.server.graphs.entry_views import entry_view
from toposcope.server.graphs.model.graph import Graph
from toposcope.server.graphs.model.tree import ROOT
from toposcope.server.graphs.views import SearchView


def search(graph: Graph, scope: int, text: str, limit: int) -> SearchView:
    """Find entries whose name or operation contains a text, ignoring case.

    The match must extend into the last part of a name, so that a scope matches, but not all of its contents.

    Args:
        graph: the graph.
        scope: entry of the scope to search.
        text: a part of a name, which may contain "/", or of an operation.
        limit: maximum number of listed matches.
    """
    matching = _matching_entries(graph, scope, text.lower())
    listed = matching[:limit]
    shown = set(listed)
    for entry in listed:
        above = int(graph.tree.parent[entry])
        while above > ROOT and above not in shown:
            shown.add(above)
            above = int(graph.tree.parent[above])
    matches = set(listed)
    return {
        "total": len(matching),
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


def _matching_entries(graph: Graph, scope: int, text: str) -> list[int]:
    tree = graph.tree
    inside = range(scope + 1, int(tree.end[scope]))
    if "/" in text:
        by_name = (entry for entry in inside if _matches_label(tree.names[entry].lower(), text))
    else:
        by_name = (entry for entry in inside if text in tree.labels[entry].lower())
    matching = set(by_name)
    ops = {op for op in set(graph.ops) if text in op.lower()}
    if ops:
        matching.update(entry for entry in inside if tree.node[entry] >= 0 and graph.ops[tree.node[entry]] in ops)
    return sorted(matching)


def _matches_label(name: str, text: str) -> bool:
    at = name.rfind(text)
    return at >= 0 and "/" not in name[at + len(text) :]
