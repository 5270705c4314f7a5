"""A report as one HTML file, which needs no network and runs no script but its own."""

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from typing import Any

import orjson
from markdown_it import MarkdownIt
from plotly.offline import get_plotlyjs

from toposcope.server.commands.report_file.charts import figure_of
from toposcope.server.commands.report_file.directives import answers_to
from toposcope.server.commands.report_file.template import Markdown, parts_of
from toposcope.server.questions.answers import Answer, BestRuns, Check, RunList, SeriesList, Texts
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.questions.words import lines_of, number_text, total_text, value_text
from toposcope.server.text.escaped import escaped
from toposcope.server.text.text_table import text_or_blank

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c1e21; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 0.25rem 0.75rem; border-bottom: 1px solid #d8dadf; }
pre { overflow-x: auto; background: #f5f6f8; padding: 0.75rem; }
.chart, tr { break-inside: avoid; }
.failed { color: #b3261e; }
"""
_DRAW = """
for (const [id, { data, layout }] of Object.entries(JSON.parse(document.getElementById("figures").textContent)))
  Plotly.newPlot(id, data, layout, { responsive: true, displaylogo: false });
addEventListener("beforeprint", () => document.querySelectorAll(".chart").forEach((each) => Plotly.Plots.resize(each)));
"""


def report_html(opened: Opened, template: str, check: Check | None) -> str:
    """Return a report.

    Args:
        opened: the logdir.
        template: Markdown with directives; HTML in it is shown as text.
        check: the condition on which the report fails, and the runs; None: it does not fail.

    Raises:
        ValueError: a directive is invalid; the message has its name and line.
        OSError: a text cannot be read at present.
    """
    figures: dict[str, Any] = {}
    blocks = [] if check is None else [_check_html(check)]
    for part in parts_of(template):
        if isinstance(part, Markdown):
            blocks.append(_markdown_html(part.text))
        else:
            blocks += [_answer_html(answer, figures) for answer in answers_to(opened, part)]
    return "\n".join(_document("\n".join(blocks), figures))


def _document(body: str, figures: dict[str, Any]) -> Iterator[str]:
    script = get_plotlyjs() + _DRAW if figures else ""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src 'sha256-{digest}'"
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Report</title>'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}"><style>{_STYLE}</style></head><body>'
    yield body
    if figures:
        data = orjson.dumps(figures).decode().replace("<", "\\u003c")
        yield f'<script type="application/json" id="figures">{data}</script><script>{script}</script>'
    yield "</body></html>"


def _answer_html(answer: Answer, figures: dict[str, Any]) -> str:
    match answer:
        case SeriesList():
            name = f"chart-{len(figures) + 1}"
            figures[name] = figure_of(answer)
            return f'<div class="chart" id="{name}"></div>'
        case Texts():
            return "\n".join(_markdown_html(each.text) for each in answer.texts)
        case RunList():
            columns = list(answer.runs[0].values) if answer.runs else []
            rows = [[each.run, *(value_text(name, each.values[name]) for name in columns)] for each in answer.runs]
            return _table(["run", *columns], rows, total_text(len(rows), answer.total, "run"))
        case BestRuns():
            rows = [
                [each.run, number_text(each.value), text_or_blank(each.step), each.group or ""] for each in answer.runs
            ]
            noun = "group" if any(each.group is not None for each in answer.runs) else "run"
            head = ["run", f"{answer.statistic}({answer.metric})", "step", "group"]
            return _table(head, rows, total_text(len(rows), answer.total, noun))
    return _lines_html(answer)


def _check_html(check: Check) -> str:
    kind = "failed" if check.failed or check.lacking else "passed"
    return f'<section class="{kind}"><h2>Check {kind}</h2>{_lines_html(check)}</section>'


def _lines_html(answer: Answer) -> str:
    return f"<pre>{escape(chr(10).join(map(escaped, lines_of(answer))))}</pre>"


def _table(head: list[str], rows: list[list[str]], total: str) -> str:
    lines = ["".join(f"<td>{escape(escaped(cell))}</td>" for cell in row) for row in rows]
    names = "".join(f"<th>{escape(escaped(name))}</th>" for name in head)
    return f"<table><tr>{names}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table><p>{total}</p>"


def _markdown_html(text: str) -> str:
    html: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    return html
