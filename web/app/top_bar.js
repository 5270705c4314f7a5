// The top bar: mark, pages, where the runs come from, how many are drawn, whether the server is there.

import { effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { ICONS, MARK } from "../controls/icons.js";
import { changed, PAGES, printView } from "../data/address.js";
import { listed, runs } from "../data/catalogue.js";
import { connection } from "../data/live.js";
import { panel } from "../data/pointer.js";
import { drawnRuns } from "../data/runs.js";
import { change, choose, page, railShown, themeChoice, toggleRail, view } from "../data/view.js";
import { language } from "../i18n/language.js";
import { grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";

export const topBar = () => html`
  <button class="quiet rail-switch" aria-expanded=${railShown.value} aria-controls="rail" title=${t("top.rail")} aria-label=${t("top.rail")}
    @click=${toggleRail}>${ICONS.rail}</button>
  <a class="brand" href="./" aria-label="Toposcope">${MARK}<span>Toposcope</span></a>
  <nav class="pages" aria-label=${t("page.pages")}>${PAGES.map(tab)}</nav>
  ${listed.value ? html`<code class="logdir" title=${listed.value.logdir}>${listed.value.logdir}</code>` : nothing}
  <span class="space"></span>
  ${runs.value.length ? html`<span class="meta drawn-runs">${t("top.runs_drawn", { shown: grouped(drawnRuns.value.length), n: grouped(runs.value.length) })}</span>` : nothing}
  ${liveSign()}
  <button class="quiet" title=${t("top.language_hint")} data-key="lang" @click=${() => choose("lang", language.peek() === "en" ? "zh" : "en")}>${t("top.language")}</button>
  <button class="quiet" title=${themeHint()} aria-label=${themeHint()} data-key="theme" @click=${nextTheme}>
    ${themeChoice.value === "dark" ? ICONS.moon : themeChoice.value === "light" ? ICONS.sun : ICONS.system}</button>
  <button class="quiet keys-switch" title=${t("top.keys")} aria-label=${t("top.keys")} @click=${() => (panel.value = { kind: "keys" })}>?</button>`;

/** A tab is a link, so that it can be opened beside this one. @param {import("../data/address.js").PageName} name */
const tab = (
  name,
) => html`<a href=${`#${printView(changed(view.value, { page: name }))}`} data-page=${name} aria-current=${page.value === name ? "page" : nothing}
  @click=${(/** @type {MouseEvent} */ event) => turnTo(event, name)}>${t(`page.${name}`)}</a>`;

/** @param {MouseEvent} event @param {import("../data/address.js").PageName} name */
function turnTo(event, name) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  change({ page: name });
}

/** Keeps the tab of the shown page in sight where there is no room for all tabs. */
export function followTab() {
  const show = () =>
    document
      .querySelector(`.pages [data-page="${page.peek()}"]`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  const room = new ResizeObserver(show);
  effect(() => {
    page.value;
    // Behind the drawing of the bar. To observe it anew calls back at once.
    requestAnimationFrame(() => {
      const tabs = document.querySelector(".pages");
      room.disconnect();
      if (tabs) room.observe(tabs);
    });
  });
}

function liveSign() {
  const reply = listed.value;
  if (connection.value === "live" && reply?.loading) return loadingSign(reply.progress);
  const state = connection.value;
  const hint = state === "lost" ? t("top.lost_hint") : "";
  return html`<span class="live" role="status" data-state=${state} title=${hint}><i></i><span>${t(`top.${state}`)}</span></span>`;
}

/** @param {import("../data/replies.js").LoadProgress} progress */
function loadingSign({ files, waiting_files: waiting, bytes, read_bytes: read }) {
  const percent = bytes ? Math.floor((100 * read) / bytes) : 0;
  const hint = t("top.loading_hint", { read: files - waiting, n: files });
  return html`<span class="live" data-state="loading" title=${hint}>
    <progress max="100" value=${percent} aria-label=${t("top.loading")}></progress><span>${t("top.loading_part", { percent })}</span></span>`;
}

const themeHint = () =>
  t(themeChoice.value === "dark" ? "top.theme_dark" : themeChoice.value === "light" ? "top.theme_light" : "top.theme_");

function nextTheme() {
  const order = ["", "light", "dark"];
  choose("theme", order[(order.indexOf(themeChoice.peek()) + 1) % order.length]);
}
