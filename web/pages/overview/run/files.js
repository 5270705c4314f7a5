// The event files of a run, with what is damaged in them.

import { html, nothing } from "lit-html";
import { ICONS } from "../../../controls/icons.js";
import { bytes, grouped } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { ListedPart } from "./listed_part.js";
import { runSection } from "./section.js";

/** @typedef {{file: string, rank: number | null, bytes: number, events: number, damaged_records: number}} EventFile */

class RunFiles extends ListedPart {
  get kind() {
    return /** @type {const} */ ("files");
  }

  /** @param {{files: EventFile[], total: number}} reply */
  template({ files, total }) {
    return runSection(
      "files",
      t("run.files"),
      html`<div class="table-scroll"><table class="facts files"><thead><tr><th scope="col">${t("run.file")}</th><th
        scope="col">${t("run.bytes")}</th><th scope="col">${t("run.events")}</th><th scope="col">${t("panel.ranks", { n: 2 })}</th></tr></thead>
      <tbody>${files.map(fileRow)}</tbody></table></div>
      ${total > files.length ? html`<p class="meta">${t("run.more_files", { n: total - files.length })}</p>` : nothing}`,
    );
  }
}

/** @param {EventFile} file */
const fileRow = ({ file, rank, bytes: size, events, damaged_records: damaged }) => html`<tr data-file=${file}>
  <td><code>${file}</code>${
    damaged ? html`<span class="warning-mark">${ICONS.warning}${t("panel.damaged", { n: damaged })}</span>` : nothing
  }</td>
  <td>${bytes(size)}</td><td>${grouped(events)}</td><td>${rank ?? "–"}</td></tr>`;

customElements.define("run-files", RunFiles);
