// The console of a run: lines that its training wrote, page by page, live at the end, or those that contain a text.

import { computed, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { select } from "../../../controls/choice.js";
import { ICONS } from "../../../controls/icons.js";
import { pageKinds } from "../../../controls/panel_kinds.js";
import { nameOf } from "../../../controls/run_name.js";
import { runsByName } from "../../../data/runs/catalogue.js";
import { drawnRuns } from "../../../data/runs/runs.js";
import { set } from "../../../data/view/view.js";
import { grouped } from "../../../i18n/numbers.js";
import { consoleRun as chosenRun, consoleSearch, followsConsole } from "../settings.js";
import { t } from "../words.js";
import { ListedPart } from "./listed_part.js";
import { runSection } from "./section.js";

/** @typedef {{number: number, stream: string, text: string}} Line */
/** @typedef {{lines: Line[], total: number, dropped: number, damaged: number, next: number | null}} Reply */

/** Lines of a page. */
const LIMIT = 1000;

class RunConsole extends ListedPart {
  /** The line before the first one of the page; null = the last page. @type {import("@preact/signals-core").Signal<number | null>} */
  #after = signal(null);

  get kind() {
    return /** @type {const} */ ("console");
  }

  get query() {
    const search = consoleSearch.value;
    const after = this.#after.value ?? (search ? 0 : -LIMIT);
    return { after, limit: LIMIT, ...(search && { search }) };
  }

  /** @param {Reply} reply */
  template(reply) {
    const { lines, total, dropped, damaged } = reply;
    if (!total && !damaged) return nothing;
    if (followsConsole.value && this.#after.value === null && !consoleSearch.value)
      requestAnimationFrame(() => this.#scrollToEnd());
    return runSection(
      "console",
      t("run.console"),
      html`${dropped ? warning(t("run.console_dropped", { n: dropped })) : nothing}
      ${damaged ? warning(t("run.console_damaged", { n: damaged })) : nothing}
      ${
        lines.length
          ? html`<pre class="console-lines" tabindex="0" role="log" aria-live="off" aria-label=${t("run.console")}>${lines.map(
              ({ number, stream, text }) => html`<span data-line=${number} data-stream=${stream}>${text}\n</span>`,
            )}</pre>`
          : html`<p class="hint">${t("run.console_none")}</p>`
      }`,
      this.#tools(reply),
    );
  }

  /** @param {Reply} reply */
  #tools({ lines, total, next }) {
    const search = consoleSearch.value;
    const first = lines[0]?.number ?? 1;
    const last = lines.at(-1)?.number ?? 0;
    return html`
      <input type="search" placeholder=${t("run.console_search")} aria-label=${t("run.console_search")}
        maxlength="1000" .value=${search}
        @input=${(/** @type {InputEvent} */ event) => this.#find(/** @type {HTMLInputElement} */ (event.target).value)}>
      <label><input type="checkbox" .checked=${followsConsole.value}
        @change=${() => this.#follow(!followsConsole.peek())}> ${t("run.console_follow")}</label>
      <span class="meta">${
        lines.length
          ? t("run.console_lines", { first: grouped(first), last: grouped(last), n: grouped(total) })
          : t("run.console_total", { n: total })
      }</span>
      ${search ? nothing : this.#pageButton("earlier", first > 1, Math.max(0, first - 1 - LIMIT))}
      ${this.#pageButton("later", search ? next !== null : last < total, search ? next : pageAfter(last, total))}`;
  }

  /** @param {"earlier" | "later"} name @param {boolean} isPossible @param {number | null} after */
  #pageButton(name, isPossible, after) {
    return isPossible || this.#after.value !== null
      ? html`<button type="button" class="text" data-key=${name} ?disabled=${!isPossible}
          @click=${() => (this.#after.value = after)}>${t(`run.console_${name}`)}</button>`
      : nothing;
  }

  /** @param {string} text */
  #find(text) {
    this.#after.value = null;
    set({ "console.find": text });
  }

  /** @param {boolean} follows */
  #follow(follows) {
    if (follows) this.#after.value = null;
    set({ "console.follow": follows ? "" : "off" });
  }

  #scrollToEnd() {
    const lines = this.querySelector(".console-lines");
    if (lines) lines.scrollTop = lines.scrollHeight;
  }
}

/** The page that follows a line; null = the last one. @param {number} last @param {number} total */
const pageAfter = (last, total) => (last + LIMIT >= total ? null : last);

/** @param {string} text */
const warning = (text) => html`<p class="warning">${ICONS.warning}<span>${text}</span></p>`;

customElements.define("run-console", RunConsole);

/** The visible runs that have recorded their output. */
const runsWithConsole = computed(() => drawnRuns.value.filter((run) => runsByName.value.get(run)?.plugins.console));
const shownRun = computed(() =>
  runsWithConsole.value.includes(chosenRun.value) ? chosenRun.value : (runsWithConsole.value[0] ?? ""),
);

pageKinds.set("console", {
  prefix: "console",
  toolbar: () =>
    select(
      "console-run",
      t("run.console_run"),
      runsWithConsole.value.map((run) => [run, nameOf(run)]),
      shownRun.value,
      (run) => set({ "console.run": run }),
    ),
  content: () =>
    shownRun.value
      ? html`<run-console .run=${shownRun.value}></run-console>`
      : html`<p class="hint">${t("run.console_nowhere")}</p>`,
  follow: () => () => {},
});
