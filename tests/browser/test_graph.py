"""Test the graph page in Chromium: it draws what the server returns."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect
from support import http
from support.event_files import GOLDEN
from support.pages import Pages, StartServer

from toposcope.proto import framing, tensorboard_pb2
from toposcope.recorder import Node, SummaryRecord, graph

HOSTILE = "<img src=x onerror=alert(1)>"
DIGITS = GOLDEN / "mindspore" / "digits_momentum"
BACKBONE = "Default/network-WithLossCell/_backbone-SmallConv"
TIMES = "\u00d7"
WAY = ["Default", "Default/network-WithLossCell", BACKBONE]
DRAWN = """view => (({scene}) => ({
    boxes: scene.boxes.map(({id, box, isOpen, x, y, width, height}) =>
        ({id, kind: box.kind, op: box.members[0]?.op, scope: box.scope, count: box.count, isOpen,
          x, y, width, height})),
    lines: scene.lines.map(({flows, control, count, points}) => ({flows, control, count, points})),
}))(view.debugState())"""


def record(folder: Path, nodes: Iterable[Node], step: int = 0) -> None:
    """Record a graph of nodes."""
    with SummaryRecord(str(folder)) as summary:
        summary.add_value("graph", "net", graph(nodes))
        summary.record(step)


def blocks(count: int) -> list[Node]:
    """Return a chain of blocks of the same structure."""
    nodes = [Node("x", "Parameter", shape=(4, 8), dtype="float32")]
    before = "x"
    for i in range(count):
        nodes.append(Node(f"block{i}/dense", "Dense", [before], (4, 8), "float32"))
        nodes.append(Node(f"block{i}/relu", "Relu", [f"block{i}/dense"], (4, 8), "float32"))
        before = f"block{i}/relu"
    return [*nodes, Node("head", "Dense", [before], (4, 2), "float32")]


def address(url: str, *opened: str, **settings: str) -> str:
    """Return the address of the page with expanded scopes."""
    values = {"graph.open": "\n".join(opened)} | {f"graph.{name}": value for name, value in settings.items()}
    return f"{url}#page=graph&{urlencode({name: value for name, value in values.items() if value}, quote_via=quote)}"


def view(page: Page) -> Locator:
    """Return the drawing once it is complete."""
    canvas = page.locator("graph-view")
    expect(canvas).to_have_attribute("data-drawn", "true")
    return canvas


def drawn(page: Page) -> dict[str, Any]:
    """Return the boxes and lines of the drawing."""
    scene: dict[str, Any] = view(page).evaluate(DRAWN)
    return scene


def place(page: Page, name: str) -> tuple[float, float]:
    """Return the position of a box's title on the screen."""
    script = """(view, id) => { const {scene, camera: now} = view.debugState();
        const {x, y, width, isOpen} = scene.byId.get(id);
        const frame = view.getBoundingClientRect();
        return [(x + (isOpen ? 20 : width / 2) - now.x) * now.scale + frame.x + frame.width / 2,
                (y + 8 - now.y) * now.scale + frame.y + frame.height / 2]; }"""
    x, y = view(page).evaluate(script, name)
    return x, y


def row(page: Page, name: str) -> Locator:
    """Return the tree row of a box."""
    return page.locator(f".graph-tree [data-name={json.dumps(name)}]")


def served(url: str, get: Callable[..., httpx.Response] = httpx.get, **query: str) -> dict[str, Any]:
    """Return a part of the only graph from the server."""
    reply: dict[str, Any] = get(f"{url}api/graphs/nodes", params={"run": "."} | query).raise_for_status().json()
    return reply


def flows(lines: Iterable[dict[str, Any]]) -> list[str]:
    """Return edges in a canonical order."""
    return sorted(json.dumps(flow, sort_keys=True) for flow in lines)


@pytest.fixture(scope="module")
def digits(shared_server: StartServer) -> str:
    """Return the URL of a server on the golden run."""
    return shared_server(DIGITS).url


def test_drawing_matches_the_server(digits: str, page: Page) -> None:
    """Names, kinds, operators, edges and shapes match the server in all scopes; boxes are inside their scopes."""
    sees = json.loads((DIGITS / "mindinsight_sees.json").read_text())["digits_momentum"]
    page.goto(address(digits, repeats="all"))
    assert [box["id"] for box in drawn(page)["boxes"]] == sees["graph"]
    expect(page.locator(".graph-count")).to_contain_text("150 nodes · 261 edges")

    page.goto(address(digits, *WAY, repeats="all"))
    expect(page.locator("graph-view")).to_have_attribute("data-boxes", "46")
    scene = drawn(page)
    parts = [served(digits, scope=scope)["scope"] for scope in ["", *WAY]]
    children = {child["name"]: child for part in parts for child in part["children"]}
    boxes = {box["id"]: box for box in scene["boxes"]}
    assert boxes.keys() == children.keys()
    for name, box in boxes.items():
        child = children[name]
        assert (box["kind"], box["op"], box["count"], box["isOpen"]) == (child["kind"], child["op"], 1, name in WAY)
        expect(row(page, name)).to_have_attribute("data-note", child["op"] or str(child["nodes"]))
        around = boxes.get(box["scope"])
        assert around is None or (
            around["x"] < box["x"]
            and around["y"] < box["y"]
            and box["x"] + box["width"] < around["x"] + around["width"]
            and box["y"] + box["height"] < around["y"] + around["height"]
        )
    assert flows(flow for line in scene["lines"] for flow in line["flows"]) == flows(
        edge for part in parts for edge in part["edges"]
    )
    assert all(len(line["points"]) >= 2 for line in scene["lines"])


def test_full_graph_matches_mindinsight(digits: str, page: Page) -> None:
    """Every scope, operator, constant and parameter is drawn; each operator has its attributes, inputs and shapes."""
    facts = json.loads((DIGITS / "mindinsight_graph.json").read_text())
    expected = facts["nodes"]
    scopes = [name for name, fact in expected.items() if fact["type"] == "name_scope"]
    page.goto(address(digits, *scopes, repeats="all"))
    expect(page.locator("graph-view")).to_have_attribute("data-boxes", str(len(expected) + len(facts["parameters"])))
    boxes = {box["id"]: box for box in drawn(page)["boxes"]}
    parameters = {name: name.rpartition("/")[2] for name, box in boxes.items() if box["kind"] == "parameter"}
    assert sorted(parameters.values()) == facts["parameters"]
    assert boxes.keys() - parameters.keys() == expected.keys()
    types = {"scope": "name_scope", "constant": "Const"}
    drawn_types = {name: types.get(box["kind"], box["op"]) for name, box in boxes.items() if name in expected}
    assert drawn_types == {name: fact["type"] for name, fact in expected.items()}

    operators = [name for name, box in boxes.items() if box["kind"] == "operator"]
    with http.client() as client:
        nodes = {name: served(digits, client.get, node=name)["node"] for name in operators}
    for name, node in nodes.items():
        fact = expected[name]
        ends = [(parameters.get(link["name"], link["name"]), link) for link in node["inputs"]]
        assert sorted(one["name"] for one in node["attributes"]) == fact.get("attributes", [])
        assert sorted(end for end, link in ends if link["control"]) == fact.get("after", [])
        inputs = fact.get("inputs", {})
        assert {end for end, link in ends if not link["control"]} == inputs.keys()
        shapes = {
            end: link["type"]["shape"] for end, link in ends if link["type"] and link["type"]["shape"] is not None
        }
        assert {end: [shape] for end, shape in shapes.items()} == {end: inputs[end] for end in shapes}
        assert not any(any(inputs[end]) for end in inputs.keys() - shapes.keys())


def test_graphs_of_other_frameworks(server: StartServer, page: Page) -> None:
    """The golden graphs of PyTorch and Keras are drawn as the server returns them."""
    url = server(GOLDEN / "tensorboard").url
    for run in ("torch", "keras/train"):
        scope = served(url, run=run)["scope"]
        page.goto(address(url, run=run, repeats="all", node=scope["children"][0]["name"]))
        expect(page.locator(".graph")).to_have_attribute("data-run", run)
        scene = drawn(page)
        assert [box["id"] for box in scene["boxes"]] == [child["name"] for child in scope["children"]]
        assert flows(flow for line in scene["lines"] for flow in line["flows"]) == flows(scope["edges"])


def test_node_details_match_the_server_and_link_to_neighbours(digits: str, page: Page) -> None:
    """Attributes, shapes, inputs and consumers match the server; a link expands the scopes around its node."""
    name = f"{BACKBONE}/conv1-Conv2d/Conv2D-op0"
    node = served(digits, node=name)["node"]
    page.goto(address(digits, *WAY, f"{BACKBONE}/conv1-Conv2d", node=name))
    details = page.locator('.graph-details[data-complete="true"]')
    expect(details).to_have_attribute("data-name", name)
    attributes = details.locator("[data-attribute]").evaluate_all(
        "rows => rows.map(row => [row.dataset.attribute, row.querySelector('code').textContent])"
    )
    assert attributes == [[each["name"], each["value"]] for each in node["attributes"]]
    for links, listed in (("inputs", node["inputs"]), ("outputs", node["outputs"])):
        rows = details.locator(f'[data-list="{links}"] li').evaluate_all(
            """rows => rows.map(row =>
                [row.querySelector('[data-name]').dataset.name, row.querySelector('code').textContent])"""
        )
        assert rows == [
            [link["name"], f"{link['type']['dtype']} {TIMES.join(map(str, link['type']['shape']))}"] for link in listed
        ]
    expect(details.locator('[data-fact="types"]')).to_contain_text(node["types"][0]["dtype"])

    consumer = node["outputs"][-1]["name"]
    details.locator('[data-list="outputs"] button').last.click()
    expect(page.locator(".graph-details")).to_have_attribute("data-name", consumer)
    expect(row(page, consumer)).to_have_attribute("aria-selected", "true")
    assert consumer in {box["id"] for box in drawn(page)["boxes"]}


def test_scopes_are_expanded_by_pointer_and_keyboard(digits: str, page: Page) -> None:
    """Double-click expands, Enter collapses; the address restores it; arrow keys follow edges; traces highlight."""
    page.goto(address(digits))
    page.mouse.dblclick(*place(page, "Default"))
    expect(page.locator("graph-view")).to_have_attribute("data-boxes", "8")
    # A scope whose only child is a scope is expanded together with it.
    page.mouse.dblclick(*place(page, "Gradients"))
    expect(page).to_have_url(re.compile("Gradients%2FDefault%2Fnetwork-WithLossCell"))
    expect(row(page, "Gradients/Default/network-WithLossCell")).to_have_attribute("aria-expanded", "true")
    before = drawn(page)
    page.reload()
    assert drawn(page) == before

    page.mouse.click(*place(page, "Gradients"))
    expect(page.locator(".graph-details")).to_have_attribute("data-name", "Gradients")
    page.keyboard.press("Enter")
    expect(row(page, "Gradients")).to_have_attribute("aria-expanded", "false")
    row(page, "Default/optimizer-Momentum").click()
    page.locator("graph-view").focus()
    page.keyboard.press("ArrowDown")
    selected = page.locator('.graph-tree [aria-selected="true"]').get_attribute("data-name")
    links = served(digits, scope="Default")["scope"]["edges"]
    assert selected in {edge["target"] for edge in links if edge["source"] == "Default/optimizer-Momentum"}

    page.keyboard.press("u")
    expect(page.locator("[data-traced]")).to_be_visible()
    traced = view(page).evaluate("view => [...view.debugState().emphasis.boxes]")
    assert "Default/optimizer-Momentum" in traced
    page.keyboard.press("Escape")
    expect(page.locator("[data-traced]")).to_be_hidden()
    row(page, "Default").locator(".graph-twig").click()
    expect(page.locator("graph-view")).to_have_attribute("data-boxes", "2")
    page.goto(address(digits, node="Default/optimizer-Momentum"))
    page.reload()
    assert view(page).evaluate("view => view.debugState().emphasis.selected") == "Default"
    page.locator("graph-view").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".graph-details")).to_be_hidden()


def test_search_lists_matches_and_goes_to_them(digits: str, page: Page) -> None:
    """The tree of matches is the server's; Enter goes to the next match and expands the scopes around it."""
    page.goto(address(digits))
    view(page)
    page.keyboard.press("/")
    page.keyboard.type("conv2d")
    found = served(digits, search="conv2d")["found"]
    expect(page.locator(".graph-list h2")).to_have_attribute("data-total", str(found["total"]))
    listed = page.locator(".graph-tree [role=treeitem]").evaluate_all(
        "rows => rows.map(({dataset}) => [dataset.name, Number(dataset.level) - 1, !('dim' in dataset)])"
    )
    assert listed == [[each["name"], each["depth"], each["matches"]] for each in found["tree"]]

    matches = [each["name"] for each in found["tree"] if each["matches"]]
    for name in matches[:2]:
        page.keyboard.press("Enter")
        expect(page.locator(".graph-details")).to_have_attribute("data-name", name)
    assert matches[1] in {box["id"] for box in drawn(page)["boxes"]}
    x, y = place(page, matches[1])
    frame = page.locator("graph-view").bounding_box()
    assert frame is not None
    assert frame["x"] < x < frame["x"] + frame["width"]
    assert frame["y"] < y < frame["y"] + frame["height"]


def test_repeated_blocks_and_large_scopes_are_grouped(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Repeated blocks are one box until one is expanded; a very large scope counts the nodes that it does not draw."""
    record(tmp_path / "repeated", blocks(8))
    record(tmp_path / "many", [Node(f"op{i}", f"Op{i % 7}", [f"op{i - 1}"] if i else []) for i in range(1500)])
    url = server(tmp_path).url
    page.goto(address(url, run="repeated"))
    # The first block contains the input of the graph.
    assert [(box["id"], box["count"]) for box in drawn(page)["boxes"]] == [("block0", 1), ("*block1", 7), ("head", 1)]
    page.mouse.dblclick(*place(page, "*block1"))
    expect(page.locator("graph-view")).to_have_attribute("data-boxes", "6")
    folded = [(box["id"], box["count"], box["isOpen"]) for box in drawn(page)["boxes"]]
    assert ("block1", 1, True) in folded
    assert ("*block2", 6, False) in folded
    row(page, "*block2").click()
    page.locator('[data-list="members"] button').nth(2).click()
    expect(page.locator(".graph-details")).to_have_attribute("data-name", "block4")
    # Two blocks in between are too few for a group.
    expect(row(page, "*block5")).to_have_attribute("aria-expanded", "false")
    ids = [box["id"] for box in drawn(page)["boxes"] if box["scope"] == ""]
    assert ids == ["block0", "block1", "block2", "block3", "block4", "*block5", "head"]
    page.locator('[data-choice="repeats"] [data-value="all"]').click()
    expect(page.locator("graph-view")).to_have_attribute("data-boxes", "11")

    page.goto(address(url, run="many"))
    expect(page.locator(".graph")).to_have_attribute("data-run", "many")
    rest = next(box for box in drawn(page)["boxes"] if box["kind"] == "rest")
    assert rest["count"] + len(drawn(page)["boxes"]) - 1 == 1500
    row(page, "+").click()
    page.locator(".graph-pager button").last.click()
    page.locator('[data-list="members"] button').first.click()
    chosen = page.locator(".graph-details").get_attribute("data-name")
    expect(row(page, str(chosen))).to_be_visible()
    # A node that the page has not loaded yet is drawn too.
    page.locator("#graph-find").fill("op1499")
    expect(page.locator(".graph-list h2")).to_have_attribute("data-total", "1")
    page.locator("#graph-find").press("Enter")
    expect(page.locator('.graph-details[data-complete="true"]')).to_have_attribute("data-name", "op1499")
    expect(page.locator("graph-view")).to_have_attribute("data-boxes", "203")
    boxes = drawn(page)["boxes"]
    assert {chosen, "op1499"} < {box["id"] for box in boxes}
    assert sum(box["count"] for box in boxes) == 1500


def test_downloads_minimap_and_full_screen(server: StartServer, page: Page, tmp_path: Path) -> None:
    """SVG and PNG contain the drawing; the minimap moves the visible part; f toggles full screen."""
    record(tmp_path, blocks(3))
    page.goto(address(server(tmp_path).url, repeats="all", dir="right"))
    scene = drawn(page)
    with page.expect_download() as svg:
        page.locator('[data-key="svg"]').click()
    text = Path(svg.value.path()).read_text(encoding="utf-8")
    assert text.count("<g><title>") == len(scene["boxes"])
    assert all(f">{box['id']}</text>" in text for box in scene["boxes"])
    assert "var(" not in text
    with page.expect_download() as png:
        page.locator('[data-key="png"]').click()
    assert Path(png.value.path()).read_bytes().startswith(b"\x89PNG")

    for _ in range(6):
        page.keyboard.press("+")
    minimap = page.locator("graph-minimap")
    expect(minimap).to_be_visible()
    corner = minimap.bounding_box()
    assert corner is not None
    before = view(page).evaluate("view => view.debugState().camera.x")
    page.mouse.click(corner["x"] + 3, corner["y"] + corner["height"] / 2)
    assert view(page).evaluate("view => view.debugState().camera.x") < before
    page.keyboard.press("0")
    expect(minimap).to_be_hidden()
    page.locator("graph-view").focus()
    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement?.className === 'graph'")


def write(folder: Path, *payloads: bytes) -> None:
    """Write the only event file of a run with these graphs, or append those that it does not have yet."""
    folder.mkdir(exist_ok=True)
    events = [tensorboard_pb2.Event(wall_time=1.0, file_version="brain.Event:2")]
    events += [tensorboard_pb2.Event(wall_time=i, graph_def=each) for i, each in enumerate(payloads, 2)]
    content = b"".join(framing.frame(event.SerializeToString()) for event in events)
    path = folder / "events.out.tfevents.1.host"
    with path.open("ab") as file:
        file.write(content[path.stat().st_size :])


def graph_def(*nodes: tuple[str, str, list[str]]) -> bytes:
    """Return a graph as TensorFlow writes it, of names, operators and inputs."""
    message = tensorboard_pb2.GraphDef()
    for name, op, inputs in nodes:
        node = message.node.add(name=name.encode(), op=op.encode(), input=[each.encode() for each in inputs])
        node.attr.add(key=HOSTILE.encode()).value.s = HOSTILE.encode()
    return message.SerializeToString()


def test_hostile_damaged_and_live_graphs(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Markup in names is text; a damaged graph is reported; a newer graph is shown as soon as it is recorded."""
    run = tmp_path / HOSTILE
    first = graph_def((f"a/{HOSTILE}/x", HOSTILE, []), (HOSTILE, "Op", [f"a/{HOSTILE}/x", "away"]))
    write(run, first)
    write(tmp_path / "broken", b"\xff\xff")
    url = server(tmp_path, "--path-prefix", "/a/b").url
    page.goto(address(url, run=HOSTILE, find="onerror"))
    assert [box["id"] for box in drawn(page)["boxes"]] == ["a", HOSTILE]
    expect(page.locator('[data-note="missing"]')).to_be_visible()
    row(page, f"a/{HOSTILE}/x").click()
    expect(page.locator(".graph-details h2")).to_have_text("x")
    expect(page.locator("[data-attribute] code")).to_have_text(re.compile(re.escape(HOSTILE)))
    assert page.locator("#page img").count() == 0

    page.goto(address(url, run="broken"))
    expect(page.locator('.empty[data-state="damaged"]')).to_contain_text("events.out.tfevents.1.host")

    page.goto(address(url, run=HOSTILE))
    expect(page.locator("graph-view")).to_have_attribute("data-boxes", "2")
    write(run, first, graph_def(("block0/tree", "Leaf", []), ("block1/tree", "Leaf", [])))
    expect(page.locator('[data-note="module_tree"]')).to_be_visible()
    expect(row(page, "block1")).to_be_visible()
    expect(page.locator('[data-select="graph"] option')).to_have_count(2)


def test_graphs_of_one_name_and_step_have_titles_that_differ(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Two graphs of one file were listed with one text."""
    with SummaryRecord(str(tmp_path / "run")) as summary:
        for count in (2, 3):
            summary.add_value("graph", "net", graph(blocks(count)))
            summary.record(0)
    page.goto(address(server(tmp_path).url))
    view(page)
    titles = page.locator('select[data-select="graph"] option')
    expect(titles).to_have_count(2)
    assert [title.rsplit(" · ", 1)[-1] for title in titles.all_inner_texts()] == ["6 nodes", "8 nodes"]


def test_a_long_chain_is_legible_from_the_start(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A chain of 300 nodes was a line of two pixels."""
    names = [f"layer{number}" for number in range(300)]
    before: list[list[str]] = [[], *([name] for name in names[:-1])]
    record(tmp_path / "run", [Node(name, "Dense", each) for name, each in zip(names, before, strict=True)])
    page.goto(address(server(tmp_path).url, repeats="all"))
    view(page)
    scale = page.evaluate("document.querySelector('graph-view').debugState().camera.scale")
    assert scale >= 0.4


def test_omitted_edges_are_counted(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A notice counts the edges that are beyond the limit; the details of a node list all of its edges."""
    names = [f"n{place:03}" for place in range(130)]
    record(tmp_path, [Node(name, "Sum", names[max(0, place - 8) : place]) for place, name in enumerate(names)])
    page.goto(address(server(tmp_path).url))
    expect(page.locator('[data-note="edges"]')).to_have_text("4 edges are hidden because their scopes have too many.")
    row(page, "n129").click()
    expect(page.locator('[data-list="inputs"] li')).to_have_count(8)


def test_selection_of_an_unknown_node_is_reported(server: StartServer, page: Page, tmp_path: Path) -> None:
    """An address that selects an unknown node says so; another selection then shows its details."""
    record(tmp_path, blocks(1))
    page.goto(address(server(tmp_path).url, node="block0/gone"))
    expect(page.locator('.graph-side [data-state="unknown"]')).to_contain_text("block0/gone")
    row(page, "head").click()
    expect(page.locator(".graph-details h2")).to_have_text("head")


def test_narrow_page_has_two_rows_of_settings(digits: str, pages: Pages) -> None:
    """At 400 px the choice of the graph is in one row and the layout options in another, whatever their number."""
    page = pages.open(width=400)
    page.goto(address(digits, "Default"))
    view(page)
    tops = page.locator("#toolbar > :not(.space)").evaluate_all(
        "parts => parts.map(part => Math.round(part.getBoundingClientRect().top + part.offsetHeight / 2))"
    )
    assert len(set(tops)) == 2
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    page.locator('[data-key="full"]').scroll_into_view_if_needed()
    expect(page.locator('[data-key="full"]')).to_be_in_viewport(ratio=1)
