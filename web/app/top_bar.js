// The top bar: logo, pages, logdir, number of runs, warnings, connection, language and theme.

import { effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { ICONS, MARK } from "../controls/icons.js";
import { serverWarnings } from "../data/health.js";
import { connection } from "../data/live.js";
import { runs, runsReply } from "../data/runs/catalogue.js";
import { snapshot } from "../data/snapshot/state.js";
import { changed, printView } from "../data/view/address.js";
import { panel } from "../data/view/pointer.js";
import { isEmptyPage, presentPages } from "../data/view/present_pages.js";
import { change, choose, page, railShown, themeChoice, toggleRail, view } from "../data/view/view.js";
import { language } from "../i18n/language.js";
import { grouped } from "../i18n/numbers.js";
import { wallTime } from "../i18n/times.js";
import { isTextKey } from "../i18n/words.js";
import { bell } from "./alerts/bell.js";
import { shownCount } from "./pages.js";
import { copyLink } from "./views/copy_link.js";
import { viewsButton } from "./views/menu.js";
import { t } from "./words.js";

/** @typedef {import("../data/health.js").HealthWarning} HealthWarning */

export const topBar = () => html`
  <button class="quiet rail-switch" aria-expanded=${railShown.value} aria-controls="rail" title=${t("top.rail")}
    aria-label=${t("top.rail")}
    @click=${toggleRail}>${ICONS.rail}</button>
  <a class="brand" href=${snapshot.value ? "#" : "./"} aria-label="Toposcope">${MARK}<span>Toposcope</span></a>
  <nav class="pages" aria-label=${t("page.pages")}>${(snapshot.value?.pages ?? presentPages.value).map(tab)}</nav>
  ${
    runsReply.value
      ? html`<span class="logdir" title=${runsReply.value.logdir}><code>${runsReply.value.logdir}</code></span>`
      : nothing
  }
  <span class="space"></span>
  ${snapshot.value ? nothing : html`${viewsButton()}${copyLink()}`}
  ${
    runs.value.length
      ? html`<span class="meta drawn-runs">${t("top.runs_drawn", {
          shown: grouped(shownCount()),
          n: grouped(runs.value.length),
        })}</span>`
      : nothing
  }
  ${snapshot.value ? nothing : bell()}
  ${serverWarnings.value.map(warningNote)}
  ${connectionStatus()}
  <button class="quiet" title=${t("top.language_hint")} data-key="lang"
    @click=${() => choose("lang", language.peek() === "en" ? "zh" : "en")}>${t("top.language")}</button>
  <button class="quiet" title=${themeHint()} aria-label=${themeHint()} data-key="theme" @click=${nextTheme}>
    ${themeChoice.value === "dark" ? ICONS.moon : themeChoice.value === "light" ? ICONS.sun : ICONS.system}</button>
  <button class="quiet keys-switch" title=${t("top.keys")} aria-label=${t("top.keys")}
    @click=${() => (panel.value = { kind: "keys" })}>?</button>`;

/** A link, so that a page can be opened in another tab. @param {import("../data/view/address.js").PageName} name */
const tab = (name) => html`<a href=${`#${printView(changed(view.value, { page: name }))}`} data-page=${name}
  aria-current=${page.value === name ? "page" : nothing} data-empty=${isEmptyPage(name)}
  title=${isEmptyPage(name) ? t("page.no_data") : nothing}
  @click=${(/** @type {MouseEvent} */ event) => openPage(event, name)}>${t(`page.${name}`)}</a>`;

/** @param {MouseEvent} event @param {import("../data/view/address.js").PageName} name */
function openPage(event, name) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  change({ page: name });
}

/** Pixels beside a tab: the ends of the bar fade out. */
const FADE = 40;

/** Scrolls to the tab of the shown page where not all tabs fit. After scrollIntoView(), the Tab key would go on from
 * there in some versions of Chromium, and skip what is before the tabs. */
export function followTab() {
  const show = () => {
    const tab = document.querySelector(`.pages [data-page="${page.peek()}"]`);
    const tabs = tab?.closest(".pages");
    if (!tab || !tabs) return;
    const [inner, outer] = [tab.getBoundingClientRect(), tabs.getBoundingClientRect()];
    const [left, right] = [inner.left - FADE - outer.left, inner.right + FADE - outer.right];
    tabs.scrollLeft += Math.min(0, left) + Math.max(0, right);
  };
  const resize = new ResizeObserver(show);
  effect(() => {
    page.value;
    presentPages.value;
    // After the bar is drawn. A new observation calls back immediately.
    requestAnimationFrame(() => {
      const tabs = document.querySelector(".pages");
      resize.disconnect();
      if (tabs) resize.observe(tabs);
    });
  });
}

/** A fault that does not stop the server; the title is what the server says of it. @param {HealthWarning} warning */
function warningNote({ kind, message }) {
  const key = `top.warning_${kind}`;
  const text = isTextKey(key) ? t(key) : message;
  return html`<span class="server-warning" role="note" tabindex="0" aria-label=${text} title=${message}
    data-warning=${kind}>${ICONS.warning}<span>${text}</span></span>`;
}

function connectionStatus() {
  if (snapshot.value) return snapshotStatus(snapshot.value);
  const reply = runsReply.value;
  if (connection.value === "live" && reply?.loading) return loadingStatus(reply.progress);
  const state = connection.value === "snapshot" ? "connecting" : connection.value;
  const hint = t(state === "lost" ? "top.lost_hint" : `top.${state}`);
  return html`<span class="live" role="status" data-state=${state}
    title=${hint}><i></i><span>${t(`top.${state}`)}</span></span>`;
}

/** @param {import("../data/snapshot/state.js").SnapshotFacts} facts */
const snapshotStatus = ({ made, logdir }) => html`<span class="live" data-state="snapshot"
  title=${t("snapshot.from", { logdir })}><i></i><span>${t("snapshot.of", { time: wallTime(made) })}</span></span>`;

/** @param {import("../data/client/api_types.js").LoadProgress} progress */
function loadingStatus({ files, waiting_files: waiting, bytes, read_bytes: read }) {
  const percent = bytes ? Math.floor((100 * read) / bytes) : 0;
  const hint = t("top.loading_hint", { read: files - waiting, n: files });
  return html`<span class="live" data-state="loading" title=${hint}>
    <progress max="100" value=${percent}
      aria-label=${t("top.loading")}></progress><span>${t("top.loading_part", { percent })}</span></span>`;
}

const themeHint = () =>
  t(themeChoice.value === "dark" ? "top.theme_dark" : themeChoice.value === "light" ? "top.theme_light" : "top.theme_");

function nextTheme() {
  const order = ["", "light", "dark"];
  choose("theme", order[(order.indexOf(themeChoice.peek()) + 1) % order.length]);
}
