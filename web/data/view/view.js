// The view as a signal, synchronised with the URL. Theme and language are also stored in the browser.

import { batch, computed, effect, signal } from "@preact/signals-core";
import { language } from "../../i18n/language.js";
import { recordingOrder } from "../snapshot/state.js";
import { changed, DEFAULT_VIEW, parseView, printView } from "./address.js";

/** @typedef {import("./address.js").View} View */

/** The view of the URL. Only `change` changes it. */
export const view = signal(DEFAULT_VIEW);

/** @param {Partial<View>} patch */
export function change(patch) {
  view.value = changed(view.peek(), patch);
}

/** One property of the view; changes only when the property does.
 * @template {keyof View} Name
 * @param {Name} name */
const part = (name) => computed(() => view.value[name]);

export const page = part("page");
const own = part("own");

/** Where settings of a page are kept.
 * @typedef {object} Keeper
 * @property {import("@preact/signals-core").ReadonlySignal<Readonly<Record<string, string>>>} values by name
 * @property {(values: Readonly<Record<string, string>>) => void} set empty values are removed */

/** @type {Keeper} */
const URL_KEEPER = {
  values: own,
  set: (values) => change({ own: withValues(own.peek(), values) }),
};
/** Where else they are kept, by the first part of their names: "emb" of "emb.dims".
 * @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Keeper>>} */
const keepers = signal(new Map());

/** @param {string} name */
const prefixOf = (name) => name.slice(0, name.indexOf("."));

/** Keeps the settings of a page elsewhere than in the URL until the returned function is called.
 * @param {string} prefix of their names @param {Keeper} keeper */
export function keepSettings(prefix, keeper) {
  keepers.value = new Map(keepers.peek()).set(prefix, keeper);
  return () => {
    const others = new Map(keepers.peek());
    if (others.get(prefix) !== keeper) return;
    others.delete(prefix);
    keepers.value = others;
  };
}

/** Values without the empty ones. @template Value
 * @param {Readonly<Record<string, Value>>} before @param {Readonly<Record<string, string>>} values by name
 * @returns {Record<string, Value | string>} */
export const withValues = (before, values) =>
  Object.fromEntries(Object.entries({ ...before, ...values }).filter(([, value]) => value !== ""));

/** A setting of one page, stored in the URL unless `keepSettings` says otherwise.
 * @template {string} Value
 * @param {string} name with a dot in it: "image.columns" @param {Value} fallback its value if the URL has none
 * @param {readonly Value[]} [choices] any other value becomes the fallback */
export function setting(name, fallback, choices) {
  return computed(() => {
    const { values } = keepers.value.get(prefixOf(name)) ?? URL_KEEPER;
    const value = /** @type {Value | undefined} */ (values.value[name]);
    return value === undefined || (choices && !choices.includes(value)) ? fallback : value;
  });
}

/** Changes settings of a page; empty ones are removed.
 * @param {Readonly<Record<string, string>>} values by name */
export function set(values) {
  const byKeeper = Map.groupBy(Object.entries(values), ([name]) => keepers.peek().get(prefixOf(name)) ?? URL_KEEPER);
  batch(() => {
    for (const [keeper, entries] of byKeeper) keeper.set(Object.fromEntries(entries));
  });
}

export const runFilter = part("runs");
export const tagFilter = part("tags");
export const selection = part("selection");
export const axis = part("axis");
export const logarithmic = part("log");
export const smooth = part("smooth");
export const zooms = part("zooms");
export const closedGroups = part("closed");
export const opened = part("open");
export const cardSize = part("size");

const narrowMedia = matchMedia("(max-width: 719px)");
/** Below this width the run list is a sheet over the page. */
export const narrow = signal(narrowMedia.matches);
narrowMedia.addEventListener("change", () => (narrow.value = narrowMedia.matches));
/** Is the run list open by default? Tables of runs replace it, and a narrow page has no room. */
const railDefault = computed(() => !narrow.value && page.value !== "overview" && page.value !== "lineage");
export const railShown = computed(() => (view.value.rail ? view.value.rail === "open" : railDefault.value));

/** Opens a closed run list, closes an open one. */
export function toggleRail() {
  const shown = !railShown.peek();
  change({ rail: shown === railDefault.peek() ? "" : shown ? "open" : "closed" });
}

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = signal(darkSystem.matches ? "dark" : "light");
darkSystem.addEventListener("change", () => (systemTheme.value = darkSystem.matches ? "dark" : "light"));

/** The selected theme; "" = the system's. */
export const themeChoice = computed(() => view.value.theme || stored("theme"));
/** "light" or "dark". */
export const theme = computed(() => themeChoice.value || systemTheme.value);
effect(() => {
  const chosen = view.value.lang || stored("lang") || navigator.language;
  language.value = chosen.startsWith("zh") ? "zh" : "en";
});

/** @param {"theme" | "lang"} name */
function stored(name) {
  try {
    return localStorage.getItem(`toposcope.${name}`) ?? "";
  } catch {
    return "";
  }
}

/** Changes theme or language, and stores it for the next visit.
 * @param {"theme" | "lang"} name @param {string} choice */
export function choose(name, choice) {
  try {
    if (choice) localStorage.setItem(`toposcope.${name}`, choice);
    else localStorage.removeItem(`toposcope.${name}`);
  } catch {
    // Without storage, the URL still has the choice.
  }
  change(
    name === "theme"
      ? { theme: /** @type {View["theme"]} */ (choice) }
      : { lang: /** @type {View["lang"]} */ (choice) },
  );
}

/** What the back button undoes: another page, an enlarged card, a zoom, a panel; but not a setting.
 * @param {View} view */
const placeOf = ({
  page,
  open,
  zooms,
  own: { "over.run": run, "app.panel": panel, "scalar.range": range, "scalar.y": heights, "ws.open": large },
}) => JSON.stringify([page, open, zooms, range, heights, run, panel, large]);

/** Is the entry of the history replaced, whatever changes? */
let replacesEntry = false;

/** Shows what the address named. Back does not return to that address, which would only be opened again.
 * @param {View} next */
export function showNamed(next) {
  replacesEntry = true;
  view.value = next;
  replacesEntry = false;
}

/** Follows the URL, and writes every change of the view into it. */
export function followAddress() {
  let seen = "";
  const read = () => {
    seen = location.hash;
    if (location.hash.replace(/^#/, "") !== printView(view.peek())) view.value = parseView(location.hash);
  };
  read();
  addEventListener("hashchange", read);
  effect(() => {
    const hash = printView(view.value);
    // A link was followed whose event is still to come: what the view was is not written over its address.
    if (location.hash !== seen) return read();
    if (hash === location.hash.replace(/^#/, "")) return;
    const url = hash ? `#${hash}` : location.pathname + location.search;
    const isStep = placeOf(parseView(location.hash)) !== placeOf(parseView(hash));
    // The steps of a frame would be steps of the page around it.
    history[isStep && !replacesEntry && !recordingOrder ? "pushState" : "replaceState"](null, "", url);
    seen = location.hash;
  });
}
