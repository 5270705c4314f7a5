// The code of a run: its commit, and what was changed since.

import { html, nothing } from "lit-html";
import { copyButton } from "../../../controls/copy_button.js";
import { ICONS } from "../../../controls/icons.js";
import { t } from "../words.js";
import { ListedPart } from "./listed_part.js";
import { runSection } from "./section.js";

/** @typedef {{commit: string, remote: string, diff: string, is_cut: boolean}} Code */

class RunCode extends ListedPart {
  get kind() {
    return /** @type {const} */ ("code");
  }

  /** @param {{recordings: Code[], problems: string[]}} reply */
  template({ recordings: [newest], problems }) {
    if (!newest && !problems.length) return nothing;
    return runSection(
      "code",
      t("run.code"),
      html`${problems.map((problem) => html`<p class="warning">${ICONS.warning}<span>${problem}</span></p>`)}
      ${newest ? code(newest) : nothing}`,
      newest?.diff ? copyButton(t("run.code_diff"), () => newest.diff) : nothing,
    );
  }
}

/** @param {Code} newest */
const code = ({ commit, remote, diff, is_cut: isCut }) => html`
  <table class="facts"><tbody>
    ${commit ? html`<tr><th scope="row">${t("run.code_commit")}</th><td><code>${commit}</code></td></tr>` : nothing}
    ${remote ? html`<tr><th scope="row">${t("run.code_remote")}</th><td><code>${remote}</code></td></tr>` : nothing}
  </tbody></table>
  ${
    diff
      ? html`<details><summary>${t("run.code_diff")}</summary><pre class="console-lines" tabindex="0">${diff}</pre></details>
        ${isCut ? html`<p class="hint">${t("run.code_cut")}</p>` : nothing}`
      : html`<p class="hint">${t("run.code_clean")}</p>`
  }`;

customElements.define("run-code", RunCode);
