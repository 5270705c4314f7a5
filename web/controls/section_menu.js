// The contents of a page of tags: a list of its sections to jump to, and switches that collapse or expand all.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { ALL_CLOSED, flattened, isClosed, openedUpTo } from "../data/tags/sections.js";
import { change, closedGroups } from "../data/view/view.js";
import { grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";
import { ICONS } from "./icons.js";
import { openAt, popover } from "./popover.js";

/** @typedef {import("../data/tags/sections.js").Section} Section */

const ID = "section-menu";

const isOpen = signal(false);

/** A button that opens the list; none if there is only one section.
 * @param {readonly Section[]} sections */
export function sectionMenu(sections) {
  if (sections.length < 2 && !sections[0]?.sections.length) return nothing;
  return html`<button class="quiet sections-button" data-key="sections" aria-haspopup="dialog" aria-expanded=${isOpen.value}
      title=${t("sections.open")} aria-label=${t("sections.open")}
      @click=${open}>${ICONS.contents}</button>
    ${popover(
      { id: ID, label: t("sections.open"), toggled: (open) => void (isOpen.value = open) },
      isOpen.value ? contents(sections) : nothing,
    )}`;
}

/** The list is rendered before the popover is placed by its size.
 * @param {MouseEvent} event */
function open(event) {
  isOpen.value = true;
  if (!openAt(ID, event)) isOpen.value = false;
}

/** @param {readonly Section[]} sections */
const contents = (sections) => html`
  <div class="section-switches">
    <button class="text" data-key="collapse" @click=${() => change({ closed: ALL_CLOSED })}>${t("sections.collapse")}</button>
    <button class="text" data-key="expand" @click=${() => change({ closed: [] })}>${t("sections.expand")}</button>
  </div>
  <ul class="section-list" @keydown=${moveFocus}>${flattened(sections).map(entry)}</ul>`;

/** @param {{section: Section, depth: number}} entry */
const entry = ({ section: { name, label, count }, depth }) => html`<li>
  <button data-section=${name} title=${name || nothing} style="--depth:${depth}"
    class=${isClosed(closedGroups.value, name) ? "closed" : ""} @click=${() => jumpTo(name)}><span
      class="section-label ${name ? "" : "dimmed"}">${label || t("group.none")}</span><span
      class="meta" aria-label=${t("group.tags", { n: grouped(count) })}>${grouped(count)}</span></button>
</li>`;

/** Opens a section, and those around it, and scrolls to it.
 * @param {string} name */
function jumpTo(name) {
  document.getElementById(ID)?.hidePopover();
  change({ closed: openedUpTo(closedGroups.peek(), name), open: null });
  requestAnimationFrame(() => {
    const section = document.querySelector(`section[data-group="${CSS.escape(name)}"]`);
    section?.scrollIntoView({ block: "start" });
    /** @type {HTMLElement | null | undefined} */ (section?.querySelector(".group-switch"))?.focus({
      preventScroll: true,
    });
  });
}

/** @param {KeyboardEvent} event */
function moveFocus(event) {
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const buttons = [...list.querySelectorAll("button")];
  const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  buttons[Math.max(0, Math.min(to, buttons.length - 1))]?.focus();
}
