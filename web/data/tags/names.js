// Tag and run names: their groups and their last segments.

import { compareNatural, sortedNaturally } from "../text/natural_order.js";
import { isOfMachine } from "./machine_tags.js";
import { pathsOf, sharedPaths } from "./tag_paths.js";

/** Tags that share their first segment. The name is "" for tags without one.
 * @typedef {{name: string, tags: string[]}} TagGroup */

const MANY_SINGLES = 3;

/** "train/loss" -> ["train/", "loss"]: split after the first slash.
 * @param {string} tag @returns {[string, string]} */
export function cutGroup(tag) {
  const slash = tag.indexOf("/");
  return slash <= 0 || slash === tag.length - 1 ? ["", tag] : [tag.slice(0, slash + 1), tag.slice(slash + 1)];
}

/** Returns short labels of tags: their names without the group, or whole where others would have the same label.
 * @param {readonly string[]} tags @returns {string[]} */
export function tagLabels(tags) {
  const leaves = tags.map((tag) => cutGroup(tag)[1]);
  return tags.map((tag, place) => (leaves.filter((leaf) => leaf === leaves[place]).length > 1 ? tag : leaves[place]));
}

/** "a/b/train" -> ["a/b/", "train"]: split after the last slash.
 * @param {string} name @returns {[string, string]} */
export function cutLeaf(name) {
  const slash = name.lastIndexOf("/", name.length - 2);
  return [name.slice(0, slash + 1), name.slice(slash + 1)];
}

/** Groups in natural order, then the tags without a group, then what was measured of the machine.
 * @param {string[]} tags @returns {TagGroup[]} */
export function groupTags(tags) {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  const shared = sharedPaths(tags);
  for (const tag of sortedNaturally(tags)) {
    const name = pathsOf(tag).find((path) => tag[path.length] === "/" || shared.has(path)) ?? "";
    const members = groups.get(name);
    if (members) members.push(tag);
    else groups.set(name, [tag]);
  }
  const named = withoutSingles([...groups].map(([name, members]) => ({ name, tags: members })));
  return named.sort((a, b) => placeOf(a) - placeOf(b) || compareNatural(a.name, b.name));
}

/** @param {TagGroup} group */
const placeOf = ({ name }) => (isOfMachine(`${name}/`) ? 2 : Number(!name));

/** If many groups would contain a single tag, such as "conv1.weight/auto", these tags stay ungrouped.
 * @param {TagGroup[]} groups @returns {TagGroup[]} */
function withoutSingles(groups) {
  const single = groups.filter(({ name, tags }) => name && tags.length === 1);
  if (single.length < MANY_SINGLES) return groups;
  const others = groups.filter((group) => group.name && !single.includes(group));
  const loose = groups.filter((group) => !group.name || single.includes(group)).flatMap((group) => group.tags);
  return [...others, { name: "", tags: sortedNaturally(loose) }];
}
