// The boxes of a scope: one for each child, one for each group of repeated children, and one for the rest beyond the
// limit.

/** @typedef {import("../../../data/kinds/graphs.js").Child} Child */
/** @typedef {import("../../../data/kinds/graphs.js").ScopeView} ScopeView */
/** @typedef {import("../../../data/kinds/graphs.js").EntryKind} EntryKind */
/** @typedef {import("../../../data/kinds/graphs.js").Flow} Flow */

/** @typedef {object} Box
 * @property {string} id a child's name, "*name" for a group, or "+scope" for the rest
 * @property {string} scope the enclosing scope
 * @property {EntryKind | "rest"} kind "rest" for the children beyond the limit
 * @property {Child[]} members
 * @property {number} count the number of children; larger than the number of members if some are not listed
 */

/** The smallest number of equal children that are drawn as one box. */
const MIN_GROUP = 3;
/** The largest number of boxes in a scope; the others become one box. */
const MAX_BOXES = 200;

/** The id of a group, by its first member. @param {string} name */
const groupId = (name) => `*${name}`;
/** The id of the box for a scope's rest. @param {string} scope */
const restId = (scope) => `+${scope}`;
/** The entry of `open` for a child that is drawn separately from its group or from the rest. @param {string} name */
export const pinnedId = (name) => `!${name}`;

/** Returns whether an id is that of a group or of a rest. @param {string} id */
export const isAggregateId = (id) => /^[*+]/u.test(id);

/** Names of scopes that only training uses, in MindSpore and other frameworks. */
const TRAINING = /^(gradients?|optimizer|training|Gradients|Optimizer)([-_:.\d]|$)/;

/** Returns a scope without the scopes that only training uses. @param {ScopeView} view @returns {ScopeView} */
export function forwardOnly(view) {
  const isTraining = (/** @type {string} */ name) => TRAINING.test(name.slice(name.lastIndexOf("/") + 1));
  const removed = new Set(
    [...view.children, ...view.outside]
      .filter(({ kind, name }) => kind === "scope" && isTraining(name))
      .map(({ name }) => name),
  );
  if (!removed.size) return view;
  const children = view.children.filter(({ name }) => !removed.has(name));
  const edges = view.edges.filter(({ source, target }) => !removed.has(source) && !removed.has(target));
  return {
    ...view,
    total: view.total - view.children.length + children.length,
    children,
    edges,
    edges_total: view.edges_total - view.edges.length + edges.length,
  };
}

/** @param {ScopeView} view @param {ReadonlySet<string>} open expanded scopes, expanded groups and pinned children
 * @param {boolean} isFolded whether equal children are drawn as one box @returns {Box[]} */
export function boxesOf(view, open, isFolded) {
  const groups = isFolded ? groupsOf(view, open) : new Map();
  /** @type {Box[]} */
  const boxes = [];
  for (const child of view.children) {
    const group = groups.get(child.name);
    if (!group) boxes.push({ id: child.name, scope: view.name, kind: child.kind, members: [child], count: 1 });
    else if (group[0] === child)
      boxes.push({ id: groupId(child.name), scope: view.name, kind: child.kind, members: group, count: group.length });
  }
  return addRestBox(view, boxes, open);
}

/** @param {ScopeView} view @param {Box[]} boxes @param {ReadonlySet<string>} open @returns {Box[]} */
function addRestBox(view, boxes, open) {
  const unlisted = view.total - view.children.length;
  if (boxes.length <= MAX_BOXES && !unlisted) return boxes;
  const isPinned = (/** @type {Box} */ { members }) =>
    members.some(({ name }) => open.has(name) || open.has(pinnedId(name)));
  const kept = boxes.filter((box, place) => place < MAX_BOXES || isPinned(box));
  const drawn = new Set(kept);
  const members = boxes.filter((box) => !drawn.has(box)).flatMap((box) => box.members);
  return [
    ...kept,
    { id: restId(view.name), scope: view.name, kind: "rest", members, count: members.length + unlisted },
  ];
}

/** Groups of equal children by the name of each member. Expanded and pinned children are in no group.
 * @param {ScopeView} view @param {ReadonlySet<string>} open @returns {Map<string, Child[]>} */
function groupsOf(view, open) {
  const ends = endsOf(view.edges);
  const separateNames = new Set([...open].flatMap((name) => selfAndScopes(name)));
  const isSeparate = (/** @type {Child} */ { name }) => separateNames.has(name) || open.has(pinnedId(name));
  /** @type {Map<string, Child[]>} */
  const groups = new Map();
  for (const [signature, members] of Map.groupBy(view.children, (child) => signatureOf(child, ends.get(child.name)))) {
    if (signature === "" || members.length < MIN_GROUP || members.some(({ name }) => open.has(groupId(name)))) continue;
    const folded = members.filter((child) => !isSeparate(child));
    const canBeOneBox = members[0].kind !== "scope" || !createsCycle(folded, view.edges);
    const parts = canBeOneBox
      ? [folded]
      : splitAtSeparate(members, isSeparate).filter((part) => !createsCycle(part, view.edges));
    for (const part of parts) if (part.length >= MIN_GROUP) for (const { name } of part) groups.set(name, part);
  }
  return groups;
}

/** Splits members at those that are drawn separately.
 * @param {Child[]} members @param {(child: Child) => boolean} isSeparate */
function splitAtSeparate(members, isSeparate) {
  /** @type {Child[][]} */
  const parts = [[]];
  for (const child of members) {
    if (isSeparate(child)) parts.push([]);
    else parts[parts.length - 1].push(child);
  }
  return parts;
}

/** A name and the names of all enclosing scopes. @param {string} name */
function selfAndScopes(name) {
  const names = [name];
  for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) names.push(name.slice(0, at));
  return names;
}

/** @param {Flow[]} edges @returns {Map<string, string[]>} the other ends of each child's edges */
function endsOf(edges) {
  /** @type {Map<string, string[]>} */
  const ends = new Map();
  const add = (/** @type {string} */ of, /** @type {string} */ end) => {
    const names = ends.get(of);
    if (names) names.push(end);
    else ends.set(of, [end]);
  };
  for (const { source, target, control } of edges) {
    add(source, `${control ? "then" : "to"} ${target}`);
    add(target, `${control ? "after" : "from"} ${source}`);
  }
  return ends;
}

/** Equal for scopes of the same structure, and for nodes with the same operator, inputs and consumers; "" = unique.
 * @param {Child} child @param {string[]} ends */
function signatureOf(child, ends = []) {
  if (child.kind === "scope") return child.repeats === null ? "" : `scope ${child.repeats}`;
  if (child.is_result) return "";
  return [child.kind, child.op, ...[...ends].sort()].join("\n");
}

/** Returns whether a path leaves the group and enters it again: one box for the group would then be in a cycle.
 * @param {Child[]} members @param {Flow[]} edges */
function createsCycle(members, edges) {
  const inside = new Set(members.map(({ name }) => name));
  const bySource = Map.groupBy(edges, ({ source }) => source);
  const pending = members
    .flatMap(({ name }) => (bySource.get(name) ?? []).map(({ target }) => target))
    .filter((name) => !inside.has(name));
  const seen = new Set(pending);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    for (const { target } of bySource.get(name) ?? []) {
      if (inside.has(target)) return true;
      if (!seen.has(target)) {
        seen.add(target);
        pending.push(target);
      }
    }
  }
  return false;
}

/** The label of a group: the labels of its first and last members.
 * @param {Child[]} members */
export function groupLabel(members) {
  const [first, last] = [members[0].label, members[members.length - 1].label];
  return first === last ? first : `${first} … ${last}`;
}
