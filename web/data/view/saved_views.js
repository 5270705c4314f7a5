// Saved views: their list, the one that is opened, and whether the page has changed since.

import { computed, signal } from "@preact/signals-core";
import { t } from "../../i18n/words.js";
import { RequestError } from "../client/client.js";
import { Query } from "../client/query.js";
import { areAlike, contentOf, withContent } from "./stored_address.js";
import { showNamed, view } from "./view.js";
import { deleteView, listViews, readLink, readView, writeDefaultView, writeView } from "./views_client.js";

/** @typedef {import("./views_client.js").SavedView} SavedView */
/** @typedef {import("./views_client.js").ViewContent} ViewContent */

const list = new Query((_key, signal) => listViews(signal));
list.select("views");
export const viewList = list.value;
export const viewListError = list.error;
/** Fetches the list until the returned function is called. */
export const followViews = () => list.observe();
/** The server announced changed views. */
export const viewsChanged = () => list.invalidate();

/** The version of the opened view that this page has; null = no view is opened.
 * @type {import("@preact/signals-core").Signal<SavedView | null>} */
const known = signal(null);
export const openedView = computed(() => (known.value?.name === view.value.saved ? known.value : null));
/** Does the page show something else than the opened view? */
export const isChanged = computed(
  () => openedView.value !== null && !areAlike(openedView.value, contentOf(view.value)),
);
/** Why the view or the link of the address could not be opened; "" = it could. */
export const openError = signal("");

/** @param {SavedView} saved */
export function show(saved) {
  known.value = saved;
  view.value = withContent(view.peek(), saved, saved.name);
}

/** @param {string} name */
export const openView = async (name) => show(await readView(name));

/** Opens what the address names: a short link, a view without further state, or the default view if it has no state.
 * @param {string} hash of the address before the page changed it */
export async function openAddressed(hash) {
  openError.value = "";
  try {
    const link = new URLSearchParams(hash.replace(/^#/, "")).get("link");
    if (link) {
      showNamed(withContent(view.peek(), await readLink(link), ""));
      return;
    }
    const hasState = contentOf(view.peek()).address !== "";
    const name = view.peek().saved || (hasState ? null : await defaultName());
    if (!name) return;
    const saved = await readView(name);
    known.value = saved;
    // Otherwise the address has the state.
    if (!hasState) showNamed(withContent(view.peek(), saved, saved.name));
  } catch (error) {
    openError.value = /** @type {Error} */ (error).message;
  }
}

async function defaultName() {
  const { default: name } = await listViews(new AbortController().signal);
  return name;
}

/** Someone else has changed the view meanwhile. */
export class ViewConflict extends Error {
  /** @param {SavedView} current what is stored @param {ViewContent} yours @param {string} name */
  constructor(current, yours, name) {
    super(name);
    this.current = current;
    this.yours = yours;
  }
}

/** @param {string} name */
function checkName(name) {
  // Browsers leave out such parts of an address.
  if (name === "." || name === "..") throw new TypeError(t("views.bad_name", { name }));
}

/** Saves what the page shows. @param {string} name @param {string | null} base @param {ViewContent} [content] */
export async function saveView(name, base, content = contentOf(view.peek())) {
  try {
    checkName(name);
    const saved = await writeView(name, content, base);
    known.value = saved;
    view.value = { ...view.peek(), saved: name };
  } catch (error) {
    if (error instanceof RequestError && error.status === 409 && error.reply?.current)
      throw new ViewConflict(error.reply.current, content, name);
    throw error;
  } finally {
    viewsChanged();
  }
}

/** @param {import("./views_client.js").ViewRow} row */
export async function removeView({ name, version }) {
  try {
    await deleteView(name, version);
    if (view.peek().saved === name) view.value = { ...view.peek(), saved: "" };
  } finally {
    viewsChanged();
  }
}

/** The view under its new name first, so that a failure loses nothing.
 * @param {import("./views_client.js").ViewRow} row @param {string} name */
export async function renameView(row, name) {
  try {
    checkName(name);
    const { page, address, workspace } = await readView(row.name);
    const renamed = await writeView(name, { page, address, workspace }, null);
    if (viewList.peek()?.default === row.name) await writeDefaultView(name);
    await deleteView(row.name, row.version);
    if (view.peek().saved !== row.name) return;
    known.value = renamed;
    view.value = { ...view.peek(), saved: name };
  } finally {
    viewsChanged();
  }
}

/** @param {string | null} name */
export async function chooseDefault(name) {
  try {
    await writeDefaultView(name);
  } finally {
    viewsChanged();
  }
}

/** Returns all views as JSON. */
export async function exportViews() {
  const rows = viewList.peek()?.views ?? [];
  const views = await Promise.all(rows.map(({ name }) => readView(name)));
  const contents = views.map(({ name, page, address, workspace }) => ({ name, page, address, workspace }));
  return `${JSON.stringify({ views: contents }, null, 2)}\n`;
}

/** Adds the views of a JSON text. Returns the names that exist already, whose views stay.
 * @param {string} text @returns {Promise<{added: string[], existing: string[]}>} */
export async function importViews(text) {
  /** @type {{added: string[], existing: string[]}} */
  const { added, existing } = { added: [], existing: [] };
  try {
    for (const { name, page, address, workspace = null } of viewsOf(text)) {
      checkName(name);
      try {
        await writeView(name, { page, address, workspace }, null);
        added.push(name);
      } catch (error) {
        if (!(error instanceof RequestError && error.status === 409)) throw error;
        existing.push(name);
      }
    }
  } finally {
    viewsChanged();
  }
  return { added, existing };
}

/** @param {string} text @returns {SavedView[]} */
function viewsOf(text) {
  const views = JSON.parse(text)?.views;
  const areViews =
    Array.isArray(views) &&
    views.every((each) => ["name", "page", "address"].every((field) => typeof each?.[field] === "string"));
  if (!areViews) throw new TypeError('expected {"views": [{"name", "page", "address", "workspace"}]}');
  return views;
}
