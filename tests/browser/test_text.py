"""The Text page in a real browser: Markdown is formatted, and never executed."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from support.pages import Pages, StartServer
from support.summary_values import of_plugin, strings, tensorboard_run

from toposcope.recorder import SummaryRecord

HOSTILE = "<img src=x onerror=alert(1)>"
MARKDOWN = f"""# Title *one*

A **bold** word, `code`, &lt;entity&gt;, ~~gone~~, \\*escaped\\* and https://example.org/auto.

- [x] done
- open

3. three
4. four

> quoted

| left | right |
|:-----|------:|
| `a`  | 1     |

```python
print("<b>")
```

[good](https://example.org/a?b=c) [bad](javascript:alert(1)) [data](data:text/html,x) [relative](api/runs)
![picture](https://example.org/x.png) {HOSTILE} <script>alert(2)</script>

<div onclick="alert(3)">block</div>

---
"""


def record_texts(folder: Path, texts: dict[int, str], tag: str = "sample") -> None:
    """Record one text per step."""
    with SummaryRecord(str(folder)) as record:
        for step, text in texts.items():
            record.add_value("text", tag, text)
            record.record(step)


def cell(page: Page, run: str, tag: str = "sample") -> Locator:
    """Return what a card shows of a run."""
    return page.locator(f"text-card[data-tag={json.dumps(tag)}] .cell[data-run={json.dumps(run)}]")


def test_markdown_is_formatted_and_harmless(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Allowed Markdown is formatted; HTML is text, links open web and mail only, images are links."""
    record_texts(tmp_path / "run", {0: MARKDOWN}, HOSTILE)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.goto(server(tmp_path).url + "#page=text")
    body = cell(page, "run", HOSTILE).locator(".markdown")

    expect(page.locator("text-card h3")).to_have_text(HOSTILE)
    expect(body.get_by_role("heading", level=4)).to_have_text("Title one")
    expect(body.locator("strong")).to_have_text("bold")
    expect(body.locator("p code")).to_have_text("code")
    expect(body.locator("del")).to_have_text("gone")
    expect(body.locator("p").first).to_contain_text("<entity>, gone, *escaped*")
    expect(body.locator("ul li")).to_have_text(["☑ done", "open"])
    expect(body.locator("ol[start='3'] li")).to_have_text(["three", "four"])
    expect(body.locator("blockquote")).to_have_text("quoted")
    expect(body.locator("table td")).to_have_text(["a", "1"])
    expect(body.locator("td[data-align='right']")).to_have_text("1")
    expect(body.locator("pre")).to_have_text('print("<b>")')
    links = body.locator("a")
    assert links.evaluate_all("links => links.map(link => [link.textContent, link.href, link.rel, link.target])") == [
        [text, address, "noopener noreferrer", "_blank"]
        for text, address in (
            ("https://example.org/auto", "https://example.org/auto"),
            ("good", "https://example.org/a?b=c"),
            ("Image: picture", "https://example.org/x.png"),
        )
    ]
    expect(body.locator(".no-link")).to_have_text(["bad", "data", "relative"])
    expect(body).to_contain_text(f"{HOSTILE} <script>alert(2)</script>")
    expect(body).to_contain_text('<div onclick="alert(3)">block</div>')
    assert page.locator("#content").locator("img, script, [onclick], iframe, b").count() == 0


def test_steps_runs_and_url(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Runs are side by side; shared and own steps change them, and the URL restores both and the raw view."""
    record_texts(tmp_path / "a", {step: f"a **{step}**" for step in (0, 10, 20)})
    record_texts(tmp_path / "b", {step: f"b **{step}**" for step in (0, 20)})
    page.goto(server(tmp_path).url + "#page=text")
    expect(cell(page, "a").locator(".markdown")).to_have_text("a 20")

    page.keyboard.press("[")
    expect(cell(page, "a").locator(".markdown")).to_have_text("a 10")
    expect(cell(page, "b").locator(".markdown")).to_have_text("b 0")
    expect(cell(page, "b").locator(".own-step")).to_have_class(re.compile("earlier"))
    page.keyboard.press("m")
    expect(cell(page, "b").locator("pre.raw")).to_have_text("b **0**")
    page.locator('text-card [data-key="card-step-back"]').click()
    expect(cell(page, "a").locator("pre.raw")).to_have_text("a **0**")
    expect(page).to_have_url(re.compile(r"text\.step=10&.*text\.at\.sample=0"))

    page.reload()
    expect(cell(page, "a").locator("pre.raw")).to_have_text("a **0**")
    page.locator('text-card [data-key="follow"]').click()
    expect(cell(page, "a").locator("pre.raw")).to_have_text("a **10**")


def test_live_text_arrives(server: StartServer, page: Page, tmp_path: Path) -> None:
    """The latest text is shown as soon as it is flushed, also of a new run."""
    with SummaryRecord(str(tmp_path / "a")) as record:
        record.add_value("text", "sample", "first")
        record.record(1)
        record.flush()
        page.goto(server(tmp_path, "--reload-interval", "0.3").url + "#page=text")
        expect(cell(page, "a").locator(".markdown")).to_have_text("first")
        record.add_value("text", "sample", "second")
        record.record(2)
        record.flush()
        expect(cell(page, "a").locator(".markdown")).to_have_text("second")

    record_texts(tmp_path / "b", {7: "other"})

    expect(cell(page, "b").locator(".markdown")).to_have_text("other")


def test_changes_while_not_visible_are_fetched_later(server: StartServer, page: Page, tmp_path: Path) -> None:
    """A card that becomes visible again is fetched again if its run has changed, and only then."""
    with SummaryRecord(str(tmp_path / "run")) as record:
        for tag in range(30):
            record.add_value("text", f"t{tag:02}", "old " * 200)
        record.record(1)
        record.flush()
        page.goto(server(tmp_path, "--reload-interval", "0.3").url + "#page=text&size=l")
        expect(cell(page, "run", "t00").locator(".markdown")).to_contain_text("old")
        last = page.locator('text-card[data-tag="t29"]')
        last.scroll_into_view_if_needed()
        expect(cell(page, "run", "t29").locator(".markdown")).to_contain_text("old")
        for tag in range(30):
            record.add_value("text", f"t{tag:02}", "new")
        record.record(2)
        record.flush()
        expect(cell(page, "run", "t29").locator(".markdown")).to_have_text("new")
    page.locator('text-card[data-tag="t00"]').scroll_into_view_if_needed()
    expect(cell(page, "run", "t00").locator(".markdown")).to_have_text("new")


def test_tables_and_long_texts(server: StartServer, page: Page, tmp_path: Path) -> None:
    """TensorBoard's tables keep rows and columns; texts that are too long are truncated, with a note."""
    cells = (b"**lr**", b"loss", b"0.1", HOSTILE.encode())
    tensorboard_run(tmp_path / "tables", [(3, of_plugin("text", "a", strings(*cells, dims=[2, 2])))])
    record_texts(tmp_path / "long", {0: "*word* " * 30_000}, "long")
    record_texts(tmp_path / "nested", {0: ">" * 19_000 + "deep"}, "nested")
    page.goto(server(tmp_path, "--path-prefix", "/topo").url + "#page=text&size=l")

    table = cell(page, "tables", "a").locator("table.texts")
    expect(table.locator("tr").nth(0).locator("td")).to_have_text(["lr", "loss"])
    expect(table.locator("tr").nth(1).locator("td")).to_have_text(["0.1", HOSTILE])
    expect(table.locator("strong")).to_have_text("lr")
    long = cell(page, "long", "long")
    page.locator('text-card[data-tag="long"]').scroll_into_view_if_needed()
    expect(long.locator('[data-note="long"]')).to_contain_text("20,000")
    expect(long.locator('[data-note="cut"]')).to_have_text("Showing the first 100,000 of 210,000 characters.")
    assert len(long.locator("pre.raw").inner_text()) == 100_000
    page.locator('text-card[data-tag="nested"]').scroll_into_view_if_needed()
    expect(cell(page, "nested", "nested")).to_contain_text("deep")


def test_large_tables_are_truncated(server: StartServer, page: Page, tmp_path: Path) -> None:
    """Of a large table the first rows and columns are shown, and their total numbers."""
    tables = {
        tag: strings(*[b"cell"] * 10_000, dims=dims) for tag, dims in {"wide": [2, 5000], "long": [5000, 2]}.items()
    }
    tensorboard_run(tmp_path / "run", [(0, of_plugin("text", tag, table)) for tag, table in tables.items()])
    page.goto(server(tmp_path).url + "#page=text")
    wide, long = cell(page, "run", "wide"), cell(page, "run", "long")
    expect(wide.locator("tr").first.locator("td")).to_have_count(50)
    expect(wide.locator('[data-note="columns_cut"]')).to_have_text("Showing the first 50 of 5,000 columns.")
    expect(long.locator("tr")).to_have_count(200)
    expect(long.locator('[data-note="rows_cut"]')).to_have_text("Showing the first 200 of 5,000 rows.")


def test_narrow_page_in_chinese(server: StartServer, pages: Pages, tmp_path: Path) -> None:
    """At 400 px even a wide table does not overflow; no English text is left."""
    record_texts(tmp_path / "run", {0: "|" + "wide|" * 40 + "\n|" + "-|" * 40 + "\n" + "x" * 300})
    page = pages.open(width=400, height=720, lang="zh-CN")
    page.goto(server(tmp_path).url + "#page=text")
    expect(cell(page, "run").locator("table")).to_be_visible()

    assert page.evaluate(
        "document.documentElement.scrollWidth <= 400 && document.querySelector('#page').scrollWidth <= 400"
    )
    expect(page.locator('[data-choice="as"]')).to_have_text(re.compile("Markdown\\s*原文"))
