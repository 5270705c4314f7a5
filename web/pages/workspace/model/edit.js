// Edits of a workspace document. Each returns a new document.

import { COLUMNS } from "../../../data/workspaces/workspace_check.js";

/** @typedef {import("../../../data/workspaces/workspace_check.js").WorkspaceDocument} WorkspaceDocument */
/** @typedef {import("../../../data/workspaces/workspace_check.js").Section} Section */
/** @typedef {import("../../../data/workspaces/workspace_check.js").Panel} Panel */
/** @typedef {import("../../../data/workspaces/workspace_check.js").Settings} Settings */
/** @typedef {{x: number, y: number, w: number, h: number}} Box */

/** @param {WorkspaceDocument} document @param {number} at @param {Partial<Section>} patch @returns {WorkspaceDocument} */
export const changeSection = (document, at, patch) => ({
  ...document,
  sections: document.sections.map((each, place) => (place === at ? { ...each, ...patch } : each)),
});

/** @param {WorkspaceDocument} document @param {string} name @returns {WorkspaceDocument} */
export const addSection = (document, name) => ({
  ...document,
  sections: [...document.sections, { name, collapsed: false, panels: [], settings: {} }],
});

/** @param {WorkspaceDocument} document @param {number} at @param {number} to @returns {WorkspaceDocument} */
export function moveSection(document, at, to) {
  const others = document.sections.filter((_, place) => place !== at);
  return { ...document, sections: others.toSpliced(to, 0, document.sections[at]) };
}

/** @param {WorkspaceDocument} document @param {number} at @returns {WorkspaceDocument} */
export const deleteSection = (document, at) => ({
  ...document,
  sections: document.sections.filter((_, place) => place !== at),
});

/** @param {Box} one @param {Box} other */
export const overlap = (one, other) =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;

/** Boxes without overlaps, which gridstack takes minutes to resolve if there are hundreds: one that overlaps an earlier
 * one is below all earlier ones of its columns.
 * @param {readonly Box[]} boxes @returns {Box[]} */
export function apart(boxes) {
  /** @type {Set<number>} */
  const taken = new Set();
  const bottoms = Array(COLUMNS).fill(0);
  return boxes.map((box) => {
    const isFree = !cellsOf(box).some((cell) => taken.has(cell));
    const placed = isFree ? box : { ...box, y: Math.max(...bottoms.slice(box.x, box.x + box.w)) };
    for (const cell of cellsOf(placed)) taken.add(cell);
    for (let x = box.x; x < box.x + box.w; x++) bottoms[x] = Math.max(bottoms[x], placed.y + placed.h);
    return placed;
  });
}

/** @param {Box} box */
const cellsOf = ({ x, y, w, h }) =>
  Array.from({ length: w * h }, (_, at) => (y + Math.floor(at / w)) * COLUMNS + x + (at % w));

/** @param {Box} one @param {Box} other */
const areEqual = (one, other) => one.x === other.x && one.y === other.y && one.w === other.w && one.h === other.h;

/** The first free place for a panel, by rows.
 * @param {readonly Box[]} boxes @param {number} w @param {number} h @returns {Box} */
export function freePlace(boxes, w, h) {
  for (let y = 0; ; y++)
    for (let x = 0; x + w <= COLUMNS; x++) {
      const box = { x, y, w, h };
      if (!boxes.some((each) => overlap(each, box))) return box;
    }
}

/** @param {WorkspaceDocument} document @param {number} section @param {string} kind @param {Settings} settings
 * @param {number} [w] @param {number} [h] @returns {WorkspaceDocument} */
export function addPanel(document, section, kind, settings, w = 4, h = 3) {
  const { panels } = document.sections[section];
  return changeSection(document, section, { panels: [...panels, { kind, ...freePlace(panels, w, h), settings }] });
}

/** @param {WorkspaceDocument} document @param {number} section @param {number} at @param {Partial<Panel>} patch
 * @returns {WorkspaceDocument} */
export const changePanel = (document, section, at, patch) =>
  changeSection(document, section, {
    panels: document.sections[section].panels.map((each, place) => (place === at ? { ...each, ...patch } : each)),
  });

/** @param {WorkspaceDocument} document @param {number} section @param {number} at @returns {WorkspaceDocument} */
export function duplicatePanel(document, section, at) {
  const { kind, settings, w, h } = document.sections[section].panels[at];
  return addPanel(document, section, kind, settings, w, h);
}

/** @param {WorkspaceDocument} document @param {number} section @param {number} at @returns {WorkspaceDocument} */
export const deletePanel = (document, section, at) =>
  changeSection(document, section, {
    panels: document.sections[section].panels.filter((_, place) => place !== at),
  });

/** Moves a panel to another section, where there is room.
 * @param {WorkspaceDocument} document @param {number} section @param {number} at @param {number} to
 * @returns {WorkspaceDocument} */
export function movePanel(document, section, at, to) {
  const panel = document.sections[section].panels[at];
  const { panels } = document.sections[to];
  const moved = { ...panel, ...freePlace(panels, panel.w, panel.h) };
  return changeSection(deletePanel(document, section, at), to, { panels: [...panels, moved] });
}

/** Changes places and sizes of the panels of a section.
 * @param {WorkspaceDocument} document @param {number} section @param {readonly Box[]} boxes one for each panel
 * @returns {WorkspaceDocument} the same if nothing differs */
export function placePanels(document, section, boxes) {
  const { panels } = document.sections[section];
  if (panels.every((panel, at) => areEqual(panel, boxes[at]))) return document;
  return changeSection(document, section, { panels: panels.map((panel, at) => ({ ...panel, ...boxes[at] })) });
}

/** The settings of a level with one more, or without it.
 * @param {Settings} settings @param {string} name @param {unknown} value undefined = inherited or default
 * @returns {Settings} */
export function withSetting(settings, name, value) {
  const { [name]: _, ...others } = settings;
  return value === undefined ? others : { ...others, [name]: value };
}

/** Moves a panel to a place in another section, where others have made room.
 * @param {WorkspaceDocument} document @param {{section: number, at: number}} from @param {number} to @param {Box} box
 * @param {readonly Box[]} boxes of the panels that are there @returns {WorkspaceDocument} */
export function dropPanel(document, { section, at }, to, box, boxes) {
  const panel = document.sections[section].panels[at];
  const moved = placePanels(deletePanel(document, section, at), to, boxes);
  return changeSection(moved, to, { panels: [...moved.sections[to].panels, { ...panel, ...box }] });
}
