// The sections of a page of tags: groups at any depth of their paths, and which of them are collapsed.

import { pathsOf, sharedPaths } from "./tag_paths.js";

/** @typedef {import("./names.js").TagGroup} TagGroup */

/** `name` is the path of the section, "" for tags without one; `label` the part of it that its parent lacks; `tags`
 * those outside its sections; `count` all of its tags.
 * @typedef {{name: string, label: string, tags: string[], sections: Section[], count: number}} Section */

/** In the list of collapsed sections: all but the others in the list. No section has this name. */
const ALL = "/";

/** Keeps the order of groups and tags.
 * @param {readonly TagGroup[]} groups @returns {Section[]} */
export const sectionsOf = (groups) =>
  groups.map(({ name, tags }) =>
    name ? section(name, tags, 0) : { name, label: "", tags: [...tags], sections: [], count: tags.length },
  );

/** @param {string} name @param {readonly string[]} tags @param {number} start of the label in the name
 * @returns {Section} */
function section(name, tags, start) {
  const shared = sharedPaths(tags);
  const childOf = (/** @type {string} */ tag) =>
    pathsOf(tag).find((path) => path.length > name.length && shared.has(path)) ?? "";
  const byChild = Map.groupBy(tags, childOf);
  const own = byChild.get("") ?? [];
  const inner = [...byChild].filter(([child]) => child);
  if (inner.length === 1 && !own.length) return section(inner[0][0], tags, start);
  return {
    name,
    label: name.slice(start),
    tags: own,
    sections: inner.map(([child, members]) => section(child, members, name.length + 1)),
    count: tags.length,
  };
}

/** Every section, each before those in it.
 * @param {readonly Section[]} sections @param {number} [depth]
 * @returns {Array<{section: Section, depth: number}>} */
export const flattened = (sections, depth = 0) =>
  sections.flatMap((section) => [{ section, depth }, ...flattened(section.sections, depth + 1)]);

/** @param {readonly string[]} closed @param {string} name */
export const isClosed = (closed, name) => closed.includes(ALL) !== closed.includes(name);

/** @param {readonly string[]} closed @param {string} name */
export const toggled = (closed, name) =>
  closed.includes(name) ? closed.filter((other) => other !== name) : [...closed, name];

/** The list in which a section and those around it are open.
 * @param {readonly string[]} closed @param {string} name */
export const openedUpTo = (closed, name) =>
  [...pathsOf(name), name].reduce((list, path) => (isClosed(list, path) ? toggled(list, path) : list), closed);

/** All sections are collapsed. */
export const ALL_CLOSED = [ALL];
