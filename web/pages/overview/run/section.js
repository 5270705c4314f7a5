// A section of a run's page, and the list of sections to jump to.

import { html, nothing } from "lit-html";
import { t } from "../words.js";

/** Sections in their order. */
const SECTIONS = /** @type {const} */ ([
  ["charts", "run.charts"],
  ["parameters", "run.parameters"],
  ["machine", "run.machine"],
  ["data", "run.data"],
  ["console", "run.console"],
  ["environment", "run.environment"],
  ["code", "run.code"],
  ["files", "run.files"],
  ["notes", "notes.title"],
]);
/** @typedef {(typeof SECTIONS)[number][0]} SectionName */

/** @param {SectionName} name @param {unknown} title @param {unknown} content @param {unknown} [tools] beside the title */
export const runSection = (name, title, content, tools = nothing) => html`
  <section class="run-section" id=${idOf(name)} data-section=${name} tabindex="-1">
    <header><h3>${title}</h3>${tools}</header>
    ${content}
  </section>`;

/** @param {SectionName} name */
const idOf = (name) => `run-${name}`;

/** Buttons that scroll to the sections.
 * @param {(name: SectionName) => boolean} has */
export const contentsList = (has) => html`
  <nav class="run-contents" aria-label=${t("run.contents")}>${SECTIONS.filter(([name]) => has(name)).map(
    ([name, title]) => html`<button type="button" class="text" data-goto=${name}
      @click=${() => goTo(name)}>${t(title)}</button>`,
  )}</nav>`;

/** A section that is not fetched yet is an empty element of the same name. @param {SectionName} name */
function goTo(name) {
  const section = document.querySelector(idOf(name)) ?? document.getElementById(idOf(name));
  if (!(section instanceof HTMLElement)) return;
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
  keepAtTop(section);
}

/** How long the sections above a section may load after a jump to it, in milliseconds. */
const LOADING = 2000;
/** What ends the hold on a section: a person scrolls. */
const SCROLLING = /** @type {const} */ (["wheel", "pointerdown", "keydown"]);
let release = () => {};

/** Scrolls to a section, again whenever sections above it are loaded, until a person scrolls.
 * @param {HTMLElement} section */
function keepAtTop(section) {
  release();
  const ended = new AbortController();
  const observer = new ResizeObserver(() => section.scrollIntoView({ block: "start" }));
  const timer = setTimeout(() => release(), LOADING);
  release = () => {
    clearTimeout(timer);
    observer.disconnect();
    ended.abort();
  };
  for (const event of SCROLLING) addEventListener(event, release, { signal: ended.signal, capture: true });
  const page = section.closest(".run-page");
  if (page) observer.observe(page);
}
