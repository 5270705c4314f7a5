// Provenance of a landscape and its training, and a table of its checkpoints.

import { html, nothing } from "lit-html";
import { shortNumber } from "../../i18n/numbers.js";
import { coordinate, lowest, momentText, percent } from "./captions.js";
import { lineageOf } from "./model/landscapes.js";
import { t } from "./words.js";

/** @typedef {import("./model/landscape.js").Landscape} Landscape */

/** @param {Landscape} landscape */
export function facts(landscape) {
  const { metadata, convergence, x, y } = landscape;
  const lineage = lineageOf(landscape.run);
  const low = lowest(landscape);
  const at = (/** @type {number} */ loss, /** @type {number} */ left, /** @type {number} */ top) =>
    t("land.loss_at", { loss: shortNumber(loss, 4), x: coordinate(left), y: coordinate(top) });
  /** @type {Array<[key: string, text: string, value: unknown]>} */
  const rows = [
    ["network", t("land.network"), lineage?.model.network],
    ["optimizer", t("land.optimizer"), lineage?.hyper_parameters.optimizer],
    ["learning_rate", t("land.learning_rate"), lineage?.hyper_parameters.learning_rate],
    ["loss", t("land.last_loss"), lineage?.model.loss],
    ["decomposition", t("land.decomposition"), metadata.decomposition],
    ["resolution", t("land.resolution"), `${x.length} × ${y.length}`],
    [
      "unit",
      t("land.unit"),
      metadata.unit &&
        t(
          metadata.unit === "epoch"
            ? "land.unit_epoch"
            : metadata.unit === "step"
              ? "land.unit_step"
              : "land.unit_other",
          { unit: metadata.unit },
        ),
    ],
    ["step_per_epoch", t("land.step_per_epoch"), metadata.step_per_epoch],
    ["lowest", t("land.lowest"), low && at(low.loss, low.x, low.y)],
    ["convergence", t("land.convergence"), convergence && at(convergence[2], convergence[0], convergence[1])],
    ...Object.entries(lineage?.metrics ?? {}).map(
      ([name, value]) =>
        /** @type {[string, string, unknown]} */ ([`metric.${name}`, t("land.metric", { name }), value]),
    ),
  ];
  return html`<dl class="land-facts">${rows.map(([key, text, value]) =>
    value === null || value === undefined || value === ""
      ? nothing
      : html`<dt>${text}</dt><dd data-fact=${key}>${plain(value)}</dd>`,
  )}</dl>`;
}

/** @param {unknown} value */
const plain = (value) =>
  typeof value === "number" ? shortNumber(value, 4) : typeof value === "string" ? value : JSON.stringify(value);

/** More rows are left to the download. */
const MAX_ROWS = 200;

/** @param {Landscape} landscape */
export function checkpoints(landscape) {
  const { path, truth } = landscape;
  if (!path?.x.length) return nothing;
  const cells = (/** @type {number} */ at) =>
    truth
      ? [
          shortNumber(truth.real[at], 4),
          shortNumber(truth.plane[at], 4),
          shortNumber(truth.real[at] - truth.plane[at]),
          Number.isNaN(truth.residual[at]) ? "–" : percent(truth.residual[at]),
        ]
      : [shortNumber(path.z[at], 4)];
  const heads = truth
    ? [t("land.real"), t("land.plane"), t("land.read_gap"), t("land.read_residual")]
    : [t("land.loss")];
  const row = (/** @type {number} */ at) =>
    html`<tr><th scope="row">${momentText(landscape, at)}</th>${[
      ...cells(at),
      coordinate(path.x[at]),
      coordinate(path.y[at]),
    ].map((cell) => html`<td>${cell}</td>`)}</tr>`;
  return html`<details class="land-checkpoints"><summary>${t("land.checkpoints", { n: path.x.length })}</summary>
    <div tabindex="0" role="region" aria-label=${t("land.checkpoints", {
      n: path.x.length,
    })}><table><thead><tr><th></th>${heads.map(
      (head) => html`<th scope="col">${head}</th>`,
    )}<th scope="col">x</th><th scope="col">y</th></tr></thead>
    <tbody>${Array.from({ length: Math.min(path.x.length, MAX_ROWS) }, (_, at) =>
      row(at),
    )}</tbody></table></div></details>`;
}
