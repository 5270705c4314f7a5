// Bars of runs: a list with a name, a bar and a value each.

import { html, nothing } from "lit-html";
import { baseline } from "../../data/runs/baseline.js";
import { styles } from "../../data/runs/runs.js";
import { hoveredRun, panel } from "../../data/view/pointer.js";
import { grouped, plainText, shortNumber } from "../../i18n/numbers.js";
import { t } from "../../i18n/words.js";
import { nameOf, runName } from "../run_name.js";

/** Bars that are drawn; more are counted. */
const MOST = 200;

/** @param {readonly import("./bars.js").Bar[]} bars @param {string} label for screen readers */
export const runBars = (bars, label) => html`<ol class="run-bars" tabindex="0" aria-label=${label}>
  ${bars.slice(0, MOST).map(bar)}
  ${bars.length > MOST ? html`<li class="meta">${t("read.more", { n: grouped(bars.length - MOST) })}</li>` : nothing}
</ol>`;

/** @param {import("./bars.js").Bar} bar */
const bar = ({ run, value, from, to }) => html`<li data-run=${run} class=${hoveredRun.value === run ? "pointed" : ""}
  @mouseenter=${() => (hoveredRun.value = run)} @mouseleave=${() => (hoveredRun.value = null)}
  @click=${() => (panel.value = { kind: "run", run })} title=${nameOf(run)}>
  <span class="bar-name">${runName(run)}${baseline.value === run ? html` <small class="meta">${t("run.baseline")}</small>` : nothing}</span>
  <span class="bar-room"><i style="left:${100 * from}%;width:max(1px,${100 * (to - from)}%);background:var(--run-${
    (styles.value.get(run)?.colour ?? 0) + 1
  })"></i></span>
  <span class="bar-value" title=${plainText(value)}>${shortNumber(value, 6)}</span></li>`;
