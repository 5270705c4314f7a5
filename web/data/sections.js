// The sections of a page of tags: groups at any depth of "/", and which of them are collapsed.

/** @typedef {import("./names.js").TagGroup} TagGroup */

/** `name` is the path of the section, "" for tags without one; `label` the part of it that its parent lacks; `tags`
 * those outside its sections; `count` all of its tags.
 * @typedef {{name: string, label: string, tags: string[], sections: Section[], count: number}} Section */

/** A section of one tag would only add a header. */
const FEWEST_TAGS = 2;
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
  const byName = Map.groupBy(tags, (tag) => childOf(name, tag));
  const isSection = (/** @type {string} */ child) => child !== "" && (byName.get(child)?.length ?? 0) >= FEWEST_TAGS;
  const inner = [...byName].filter(([child]) => isSection(child));
  const own = tags.filter((tag) => !isSection(childOf(name, tag)));
  if (inner.length === 1 && !own.length) return section(inner[0][0], tags, start);
  return {
    name,
    label: name.slice(start),
    tags: own,
    sections: inner.map(([child, members]) => section(child, members, name.length + 1)),
    count: tags.length,
  };
}

/** The path that is one segment longer, "" if the tag has none.
 * @param {string} name @param {string} tag */
function childOf(name, tag) {
  const end = tag.indexOf("/", name.length + 1);
  return end <= name.length + 1 || end === tag.length - 1 ? "" : tag.slice(0, end);
}

/** Every section, each before those in it.
 * @param {readonly Section[]} sections @param {number} [depth]
 * @returns {Array<{section: Section, depth: number}>} */
export const flattened = (sections, depth = 0) =>
  sections.flatMap((section) => [{ section, depth }, ...flattened(section.sections, depth + 1)]);

/** The paths of the sections that may contain a tag, or another section.
 * @param {string} name @returns {string[]} */
export const pathsOf = (name) =>
  [...name.matchAll(/\//g)].flatMap(({ index }) => (index > 0 ? [name.slice(0, index)] : []));

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
