// The entry point: every region of the page follows the state.

import { effect } from "@preact/signals-core";
import { render } from "lit-html";
import { followWidth } from "../controls/grid_columns.js";
import { followRunSet } from "../controls/run_set/run_set_bar.js";
import { followCompletion } from "../controls/search/completion.js";
import { revision, startLiveUpdates } from "../data/live.js";
import { followAlerts } from "../data/notes/alerts.js";
import { followLastValues } from "../data/runs/last_values.js";
import { followSearch } from "../data/runs/run_search.js";
import { followDrawnRuns } from "../data/series/series_requests.js";
import { followsServer, recordingOrder, snapshot } from "../data/snapshot/state.js";
import { followDrawnTags } from "../data/tags/visible_tags.js";
import { isReference } from "../data/view/address.js";
import { panel } from "../data/view/pointer.js";
import { followViews, openAddressed } from "../data/view/saved_views.js";
import { followAddress, page, railShown, theme } from "../data/view/view.js";
import { language } from "../i18n/language.js";
import { t } from "../i18n/words.js";
import { actionBar, actionTitle } from "./action_bar/action_bar.js";
import { openRun } from "./alerts/bell.js";
import { followNotifications } from "./alerts/notifications.js";
import { hint } from "./hints/hints.js";
import { content, followPages, loadLater, shownPage, toolbar } from "./pages.js";
import { detailsPanel, followDetails } from "./panel.js";
import { followPanel } from "./panel_address.js";
import { followPointedRun, followRailHeight, rail, runsInRail } from "./rail.js";
import { restoreRailWidth } from "./rail_width.js";
import { followKeys } from "./shortcuts.js";
import { followTab, topBar } from "./top_bar.js";

/** @param {string} id */
const region = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} id @param {() => unknown} template */
const follow = (id, template) => effect(() => void render(template(), region(id)));

/** Starts all effects. */
function start() {
  region("no-scripts").remove();
  startLiveUpdates(); // The server replies while the page is drawn.
  const { documentElement: root, body } = document;
  // A separate effect: every write of `lang`, even of the same value, makes the browser style all elements again.
  effect(() => void (root.lang = language.value === "zh" ? "zh-CN" : "en"));
  effect(() => {
    root.dataset.theme = theme.value;
    body.dataset.rail = railShown.value ? "open" : "closed";
    body.dataset.revision = String(revision.value);
    body.dataset.page = page.value;
    if (snapshot.value) body.dataset.snapshot = "true";
  });
  effect(() => {
    const title = t(`page.${page.value}`);
    region("rail").setAttribute("aria-label", t("rail.title"));
    region("skip").textContent = t("top.skip");
    region("title").textContent = title;
    region("toolbar").setAttribute("aria-label", title);
    document.title = `${title} · Toposcope`;
  });
  effect(() => void (region("panel").hidden = panel.value === null));

  effect(() => region("actions").setAttribute("aria-label", actionTitle()));
  region("skip").onclick = () => region("content").focus();

  follow("top", topBar);
  follow("rail", rail);
  follow("toolbar", toolbar);
  follow("content", content);
  follow("panel", detailsPanel);
  follow("actions", actionBar);
  if (followsServer()) {
    void openAddressed(openedHash);
    addEventListener("hashchange", openPasted);
    followViews();
    followAlerts();
    followNotifications(openRun);
    follow("hint", hint);
  }

  followWidth(region("content"));
  followPages();
  followTab();
  followRailHeight(region("rail"));
  followPointedRun(region("rail"));
  followSearch();
  followRunSet();
  followCompletion();
  followDrawnRuns();
  followDrawnTags();
  followDetails();
  followLastValues(runsInRail);
}

/** Opens the link or view that an address names which is entered while the page is open.
 * @param {HashChangeEvent} event */
function openPasted({ newURL }) {
  const { hash } = new URL(newURL);
  if (isReference(hash)) void openAddressed(hash);
}

const openedHash = location.hash;
// Keys that are pressed during startup are not lost.
restoreRailWidth();
followAddress();
followPanel();
followKeys();
// Evaluating the scripts takes as long as the first rendering: as one task they would block the browser.
if (recordingOrder) void startRecording(recordingOrder);
else setTimeout(start);

/** @param {import("../data/snapshot/state.js").RecordingOrder} order */
async function startRecording(order) {
  const { snapshots } = await loadLater();
  snapshots.record(order, { start, isShown: () => shownPage.value !== null });
}
