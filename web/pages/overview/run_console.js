// The console of a run: the last lines that its training wrote, live, or the lines that contain a text.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { grouped } from "../../i18n/numbers.js";
import { ListedTile } from "./lazy_tile.js";
import { t } from "./words.js";

/** @typedef {{number: number, stream: string, text: string}} Line */
/** @typedef {{lines: Line[], total: number, dropped: number, damaged: number, next: number | null}} Reply */

/** Lines that are shown at first, and the most that the server sends. */
const FIRST = 500;
const MOST = 10_000;

class RunConsole extends ListedTile {
  #search = signal("");
  #limit = signal(FIRST);
  #follows = signal(true);

  get kind() {
    return /** @type {const} */ ("console");
  }

  get query() {
    const limit = this.#limit.value;
    const search = this.#search.value;
    return search ? { after: 0, limit, search } : { after: -limit, limit };
  }

  /** @param {Reply} reply */
  template({ lines, total, dropped, damaged, next }) {
    if (!total && !damaged) return nothing;
    const hasMore = this.#search.value ? next !== null : lines.length < total;
    if (this.#follows.value) requestAnimationFrame(() => this.#scrollToEnd());
    return html`<section class="run-section" data-section="console">
      <header><h3>${t("run.console")}</h3>
        <input type="search" placeholder=${t("run.console_search")} aria-label=${t("run.console_search")}
          maxlength="1000" .value=${this.#search.value}
          @input=${(/** @type {InputEvent} */ event) => this.#find(/** @type {HTMLInputElement} */ (event.target).value)}>
        <label><input type="checkbox" .checked=${this.#follows.value}
          @change=${() => (this.#follows.value = !this.#follows.value)}> ${t("run.console_follow")}</label>
        <span class="meta">${t("run.console_lines", { shown: grouped(lines.length), n: total })}</span>
        ${
          hasMore && this.#limit.value < MOST
            ? html`<button class="text" @click=${() => (this.#limit.value = Math.min(MOST, this.#limit.value * 4))}>${t(
                "run.console_earlier",
              )}</button>`
            : nothing
        }
      </header>
      ${dropped ? warning(t("run.console_dropped", { n: dropped })) : nothing}
      ${damaged ? warning(t("run.console_damaged", { n: damaged })) : nothing}
      ${
        lines.length
          ? html`<pre class="console-lines" tabindex="0" role="log" aria-live="off" aria-label=${t("run.console")}>${lines.map(
              ({ number, stream, text }) => html`<span data-line=${number} data-stream=${stream}>${text}\n</span>`,
            )}</pre>`
          : html`<p class="hint">${t("run.console_none")}</p>`
      }
    </section>`;
  }

  /** @param {string} text */
  #find(text) {
    this.#limit.value = FIRST;
    this.#search.value = text;
  }

  #scrollToEnd() {
    const lines = this.querySelector(".console-lines");
    if (lines) lines.scrollTop = lines.scrollHeight;
  }
}

/** @param {string} text */
const warning = (text) => html`<p class="warning">${ICONS.warning}<span>${text}</span></p>`;

customElements.define("run-console", RunConsole);
