// Details of the selection: a node, a scope or an aggregate box.

import { html, nothing } from "lit-html";
import { copyButton } from "../../controls/copy_button.js";
import { ICONS } from "../../controls/icons.js";
import { set, setting } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { toggleTrace } from "./actions.js";
import { goTo, toggle } from "./expansion.js";
import { groupLabel, isAggregateId } from "./model/boxes.js";
import { typeText } from "./model/edge_types.js";
import { open, openAlso, select, trace } from "./settings.js";
import { detailsError, scene } from "./state.js";
import { tracedBoxes } from "./viewport.js";
import { t } from "./words.js";

/** @typedef {import("../../data/kinds/graphs.js").Child} Child */
/** @typedef {import("../../data/kinds/graphs.js").NodeView} NodeView */
/** @typedef {import("../../data/kinds/graphs.js").Link} Link */
/** @typedef {import("../../data/kinds/graphs.js").Attribute} Attribute */

/** Rows on a page of a list. */
const PAGE_SIZE = 50;
/** The list and number of the page that is not the first, as "list:number". */
const listPage = setting("graph.list", "");

/** @param {Child | NodeView} entry */
export function entryDetails(entry) {
  const isScope = entry.kind === "scope";
  const [controlInputs, data] = [
    entry.inputs.filter((link) => link.control),
    entry.inputs.filter((link) => !link.control),
  ];
  const [controlOutputs, outputs] = [
    entry.outputs.filter((link) => link.control),
    entry.outputs.filter((link) => !link.control),
  ];
  return html`<section class="graph-details" data-name=${entry.name} data-kind=${entry.kind}
    data-complete=${String(isScope || "scope" in entry)}>
    ${head(entry.label, entry.name, entry.kind)}
    ${
      detailsError.value
        ? html`<p class="warning">${ICONS.warning}<span>${detailsError.value.message}</span></p>`
        : nothing
    }
    <dl>
      ${
        entry.op
          ? fact(
              "op",
              t("graph.op"),
              html`<button class="text" title=${t("graph.find_op")}
                @click=${() => set({ "graph.find": entry.op ?? "" })}>${entry.op}</button>`,
            )
          : nothing
      }
      ${
        isScope
          ? fact("nodes", t("graph.size"), t("graph.nodes", { n: entry.nodes === 1 ? 1 : grouped(entry.nodes) }))
          : nothing
      }
      ${
        "id" in entry && entry.id !== entry.label && entry.id !== entry.name
          ? fact("id", t("graph.id"), html`<code>${entry.id}</code>`)
          : nothing
      }
      ${
        entry.types.length
          ? fact(
              "types",
              t("graph.output_types"),
              html`${entry.types.map(
                (type, place) =>
                  html`<code class="graph-type">${
                    entry.types.length > 1 ? `${place}: ` : ""
                  }${typeText(type) || "?"}</code>`,
              )}`,
            )
          : nothing
      }
      ${entry.is_result ? fact("result", t("graph.result"), t("graph.result_yes")) : nothing}
      ${entry.repeats ? fact("repeats", t("graph.repeated"), t("graph.repeated_yes")) : nothing}
    </dl>
    ${actions(entry.name, isScope)}
    ${links(
      "inputs",
      isScope ? t("graph.external_inputs") : t("graph.inputs"),
      data,
      entry.inputs_total - controlInputs.length,
    )}
    ${links(
      "outputs",
      isScope ? t("graph.external_consumers") : t("graph.consumers"),
      outputs,
      entry.outputs_total - controlOutputs.length,
    )}
    ${controlInputs.length ? links("after", t("graph.control_inputs"), controlInputs, controlInputs.length) : nothing}
    ${
      controlOutputs.length
        ? links("before", t("graph.control_outputs"), controlOutputs, controlOutputs.length)
        : nothing
    }
    ${attributes(entry.attributes, entry.attributes_total)}
  </section>`;
}

/** Details of an aggregate box; null for any other.
 * @param {string} name */
export function groupDetails(name) {
  const box = isAggregateId(name) ? scene.value?.byId.get(name)?.box : undefined;
  if (!box || (box.count === 1 && box.kind !== "rest")) return null;
  const isRest = box.kind === "rest";
  const [first] = box.members;
  const page = pageNumber("members", box.members.length);
  return html`<section class="graph-details" data-name=${name} data-kind=${box.kind} data-count=${box.count}>
    ${head(
      isRest ? t("graph.more", { n: grouped(box.count) }) : `${groupLabel(box.members)} ×${box.count}`,
      isRest ? box.scope : first.name,
      box.kind,
    )}
    <p class="graph-say">${
      isRest ? t("graph.rest_hint") : first.kind === "scope" ? t("graph.repeated_scopes") : t("graph.repeated_nodes")
    }</p>
    ${
      isRest
        ? nothing
        : html`<p class="graph-acts"><button class="plain" data-key="one-by-one"
          @click=${() => openAlso([name])}>${t("graph.ungroup")}</button></p>`
    }
    <h3>${t("graph.members")} <span class="meta">${grouped(box.count)}</span></h3>
    <ul class="graph-links" data-list="members">${box.members.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE).map(
      ({ name: member, label, op }) => html`
      <li><button class="text" data-name=${member} title=${member} @click=${() => goTo(member)}>${label}</button><span
        class="meta">${op ?? ""}</span></li>`,
    )}</ul>
    ${pager("members", page, box.members.length)}
    ${
      box.count > box.members.length
        ? html`<p class="meta">${t("graph.members_unlisted", { n: grouped(box.count - box.members.length) })}</p>`
        : nothing
    }
  </section>`;
}

/** @param {string} title @param {string} name @param {string} kind */
const head = (title, name, kind) => html`
  <header><h2 title=${name}>${title}</h2>
    ${copyButton(t("graph.copy"), () => name)}
    <button class="quiet" data-key="deselect" title=${t("panel.close")} aria-label=${t("panel.close")}
      @click=${() => select("")}>${ICONS.close}</button>
  </header>
  <p class="graph-path"><span class="graph-badge"
    data-kind=${kind}>${t(`graph.kind_${/** @type {"scope"} */ (kind)}`)}</span> ${crumbs(name)}</p>`;

/** Links to the enclosing scopes. @param {string} name */
function crumbs(name) {
  const parts = name.split("/");
  return parts.map((part, place) => {
    const scope = parts.slice(0, place + 1).join("/");
    return place === parts.length - 1
      ? html`<b>${part}</b>`
      : html`<button class="text" @click=${() => goTo(scope)}>${part}</button><span class="path">/</span>`;
  });
}

/** @param {string} name @param {string} title @param {unknown} value */
const fact = (name, title, value) => html`<dt>${title}</dt><dd data-fact=${name}>${value}</dd>`;

/** @param {string} name @param {boolean} isScope */
function actions(name, isScope) {
  const reached = tracedBoxes.value;
  const isPressed = (/** @type {string} */ side) => trace.value === side || trace.value === "both";
  return html`<p class="graph-acts">
    ${
      isScope
        ? html`<button class="plain" data-key="open"
          @click=${() => toggle(name)}>${open.value.has(name) ? t("graph.collapse") : t("graph.expand")}</button>`
        : nothing
    }
    <button class="plain" data-key="trace-in" aria-pressed=${isPressed("in")} title=${t("graph.trace_in_hint")}
      @click=${() => toggleTrace("in")}>${t("graph.trace_in")}</button>
    <button class="plain" data-key="trace-out" aria-pressed=${isPressed("out")} title=${t("graph.trace_out_hint")}
      @click=${() => toggleTrace("out")}>${t("graph.trace_out")}</button>
  </p>
  ${
    reached
      ? html`<p class="meta" role="status"
        data-traced=${reached.size}>${t("graph.traced", { n: reached.size === 1 ? 1 : grouped(reached.size) })}</p>`
      : nothing
  }`;
}

/** @param {string} list @param {string} title @param {Link[]} all @param {number} total */
function links(list, title, all, total) {
  if (!total) return nothing;
  const page = pageNumber(list, all.length);
  return html`<h3>${title} <span class="meta">${grouped(total)}</span></h3>
    <ul class="graph-links" data-list=${list}>${all.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE).map(
      ({ name, type, missing }) => html`
      <li ?data-missing=${missing}>
        ${
          missing
            ? html`<span class="graph-missing" title=${t("graph.missing_input")}>${name}</span>`
            : html`<button class="text" data-name=${name} title=${name}
              @click=${() => goTo(name)}>${shortName(name)}</button>`
        }
        <code>${typeText(type)}</code>
      </li>`,
    )}</ul>
    ${pager(list, page, all.length)}
    ${
      all.length < total
        ? html`<p class="meta">${t("graph.listed", { shown: grouped(all.length), total: grouped(total) })}</p>`
        : nothing
    }`;
}

/** The last two parts of a name. @param {string} name */
const shortName = (name) => name.split("/").slice(-2).join("/");

/** @param {Attribute[]} all @param {number} total */
function attributes(all, total) {
  if (!total) return nothing;
  return html`<h3>${t("graph.attributes")} <span class="meta">${grouped(total)}</span></h3>
    <table class="facts graph-attributes"><tbody>${all.map(
      ({ name, value, length, unit }) => html`
      <tr data-attribute=${name}><th scope="row">${name}</th><td><code>${value}</code>${
        length !== null && unit
          ? html` <span class="meta">${t(`graph.length_${unit}`, { n: grouped(length) })}</span>`
          : nothing
      }</td></tr>`,
    )}</tbody></table>
    ${
      all.length < total
        ? html`<p class="meta">${t("graph.listed", { shown: grouped(all.length), total: grouped(total) })}</p>`
        : nothing
    }`;
}

/** @param {string} list @param {number} rows */
function pageNumber(list, rows) {
  const [name, number] = listPage.value.split(":");
  return name === list ? Math.max(0, Math.min(Number(number) || 0, Math.ceil(rows / PAGE_SIZE) - 1)) : 0;
}

/** @param {string} list @param {number} page @param {number} rows */
function pager(list, page, rows) {
  const pages = Math.ceil(rows / PAGE_SIZE);
  if (pages < 2) return nothing;
  const to = (/** @type {number} */ number) => set({ "graph.list": number ? `${list}:${number}` : "" });
  return html`<p class="graph-pager"><button class="plain" aria-label=${t("graph.page_back")} ?disabled=${page === 0}
    @click=${() => to(page - 1)}>‹</button>
    <span class="meta">${t("graph.page_of", { page: page + 1, pages })}</span>
    <button class="plain" aria-label=${t("graph.page_next")} ?disabled=${page === pages - 1}
      @click=${() => to(page + 1)}>›</button></p>`;
}
