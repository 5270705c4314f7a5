// The environment of a run: facts of its newest process, and the installed packages.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { ICONS } from "../../../controls/icons.js";
import { plainText } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { ListedPart } from "./listed_part.js";
import { runSection } from "./section.js";

/** @typedef {Record<string, import("../../../data/series/difference.js").Plain>} Facts */
/** @typedef {{facts: Record<string, string>, packages: Record<string, string>}} Environment */

class RunEnvironment extends ListedPart {
  #ofLineage = signal(/** @type {Facts} */ ({}));

  /** Facts that are part of the lineage. @param {Facts} facts */
  set ofLineage(facts) {
    this.#ofLineage.value = facts;
  }

  get kind() {
    return /** @type {const} */ ("environment");
  }

  get query() {
    return { limit: 1 };
  }

  /** @param {{recordings: Environment[], problems: string[]}} reply */
  template({ recordings: [newest], problems }) {
    const facts = Object.entries({ ...this.#ofLineage.value, ...newest?.facts });
    const packages = Object.entries(newest?.packages ?? {});
    if (!facts.length && !packages.length && !problems.length) return nothing;
    return runSection(
      "environment",
      t("run.environment"),
      html`${problems.map((problem) => html`<p class="warning">${ICONS.warning}<span>${problem}</span></p>`)}
      ${facts.length ? table(facts) : nothing}
      ${
        packages.length
          ? html`<details><summary>${t("run.packages", { n: packages.length })}</summary>${table(packages)}</details>`
          : nothing
      }`,
    );
  }
}

/** @param {[name: string, value: import("../../../data/series/difference.js").Plain][]} entries */
const table = (entries) =>
  html`<table class="facts"><tbody>${entries.map(
    ([name, value]) =>
      html`<tr data-fact=${name}><th scope="row">${name}</th><td title=${String(value)}>${plainText(value)}</td></tr>`,
  )}</tbody></table>`;

customElements.define("run-environment", RunEnvironment);
