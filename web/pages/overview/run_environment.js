// The environment of a run: facts of its newest process, and the installed packages.

import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { ListedTile } from "./lazy_tile.js";
import { t } from "./words.js";

/** @typedef {{facts: Record<string, string>, packages: Record<string, string>}} Environment */

class RunEnvironment extends ListedTile {
  get kind() {
    return /** @type {const} */ ("environment");
  }

  get query() {
    return { limit: 1 };
  }

  /** @param {{recordings: Environment[], problems: string[]}} reply */
  template({ recordings: [newest], problems }) {
    if (!newest && !problems.length) return nothing;
    const packages = Object.entries(newest?.packages ?? {});
    return html`<section class="run-section" data-section="environment">
      <header><h3>${t("run.where")}</h3></header>
      ${problems.map((problem) => html`<p class="warning">${ICONS.warning}<span>${problem}</span></p>`)}
      ${newest ? table(Object.entries(newest.facts)) : nothing}
      ${
        packages.length
          ? html`<details><summary>${t("run.packages", { n: packages.length })}</summary>${table(packages)}</details>`
          : nothing
      }
    </section>`;
  }
}

/** @param {[name: string, value: string][]} entries */
const table = (entries) =>
  html`<table class="facts"><tbody>${entries.map(
    ([name, value]) => html`<tr data-fact=${name}><th scope="row">${name}</th><td title=${value}>${value}</td></tr>`,
  )}</tbody></table>`;

customElements.define("run-environment", RunEnvironment);
