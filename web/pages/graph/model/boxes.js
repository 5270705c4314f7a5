// What is drawn of a scope: a box for each child, one for several that are alike, and one for those there is no room for.

/** @typedef {import("../../../data/graphs.js").Child} Child */
/** @typedef {import("../../../data/graphs.js").ScopeView} ScopeView */
/** @typedef {import("../../../data/graphs.js").EntryKind} EntryKind */
/** @typedef {import("../../../data/graphs.js").Flow} Flow */

/** @typedef {object} Box
 * @property {string} id a child's name; for several, what `open` calls them
 * @property {string} scope that it is in
 * @property {EntryKind | "rest"} kind of what it stands for; rest: whatever there is no room for
 * @property {Child[]} members
 * @property {number} count how many it stands for; more than members where not all are known
 */

/** So many that are alike become one. */
const FEWEST_ALIKE = 3;
/** Boxes of one scope: a larger scope is laid out in part. */
const MOST_BOXES = 200;

/** How several that are alike are called: by the first of them. @param {string} name */
const groupId = (name) => `*${name}`;
/** How a scope's rest is called. @param {string} scope */
const restId = (scope) => `+${scope}`;
/** How it is said that a child stands apart: out of a group, and where there would be no room. @param {string} name */
export const keptId = (name) => `!${name}`;

/** Is this the name of a box that stands for several? @param {string} id */
export const isOfSeveral = (id) => /^[*+]/u.test(id);

/** Scopes of what only training needs: MindSpore's names, and those of others. */
const TRAINING = /^(gradients?|optimizer|training|Gradients|Optimizer)([-_:.\d]|$)/;

/** A scope without what only training needs. @param {ScopeView} view @returns {ScopeView} */
export function forwardOnly(view) {
  const isTraining = (/** @type {string} */ name) => TRAINING.test(name.slice(name.lastIndexOf("/") + 1));
  const away = new Set(
    [...view.children, ...view.outside]
      .filter(({ kind, name }) => kind === "scope" && isTraining(name))
      .map(({ name }) => name),
  );
  if (!away.size) return view;
  const children = view.children.filter(({ name }) => !away.has(name));
  const edges = view.edges.filter(({ source, target }) => !away.has(source) && !away.has(target));
  return {
    ...view,
    total: view.total - view.children.length + children.length,
    children,
    edges,
    edges_total: view.edges_total - view.edges.length + edges.length,
  };
}

/** @param {ScopeView} view @param {ReadonlySet<string>} open scopes that are opened, groups drawn one by one, children that stand apart
 * @param {boolean} isFolded are those that are alike one box? @returns {Box[]} */
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
  return withRest(view, boxes, open);
}

/** @param {ScopeView} view @param {Box[]} boxes @param {ReadonlySet<string>} open @returns {Box[]} */
function withRest(view, boxes, open) {
  const unknown = view.total - view.children.length;
  if (boxes.length <= MOST_BOXES && !unknown) return boxes;
  const isKept = (/** @type {Box} */ { members }) =>
    members.some(({ name }) => open.has(name) || open.has(keptId(name)));
  const kept = boxes.filter((box, place) => place < MOST_BOXES || isKept(box));
  const drawn = new Set(kept);
  const members = boxes.filter((box) => !drawn.has(box)).flatMap((box) => box.members);
  return [...kept, { id: restId(view.name), scope: view.name, kind: "rest", members, count: members.length + unknown }];
}

/** The groups of children that are alike, by the name of each member. Whatever is opened stands apart.
 * @param {ScopeView} view @param {ReadonlySet<string>} open @returns {Map<string, Child[]>} */
function groupsOf(view, open) {
  const ends = endsOf(view.edges);
  const apart = new Set([...open].flatMap((name) => parts(name)));
  const isApart = (/** @type {Child} */ { name }) => apart.has(name) || open.has(keptId(name));
  /** @type {Map<string, Child[]>} */
  const groups = new Map();
  for (const [like, members] of Map.groupBy(view.children, (child) => likeness(child, ends.get(child.name)))) {
    if (like === "" || members.length < FEWEST_ALIKE || members.some(({ name }) => open.has(groupId(name)))) continue;
    const folded = members.filter((child) => !isApart(child));
    const isOne = members[0].kind !== "scope" || !closesCircle(folded, view.edges);
    for (const group of isOne
      ? [folded]
      : stretches(members, isApart).filter((one) => !closesCircle(one, view.edges))) {
      if (group.length >= FEWEST_ALIKE) for (const { name } of group) groups.set(name, group);
    }
  }
  return groups;
}

/** Members with none between them that stands apart.
 * @param {Child[]} members @param {(child: Child) => boolean} isApart */
function stretches(members, isApart) {
  /** @type {Child[][]} */
  const found = [[]];
  for (const child of members) {
    if (isApart(child)) found.push([]);
    else found[found.length - 1].push(child);
  }
  return found;
}

/** A name and those of all scopes around it. @param {string} name */
function parts(name) {
  const found = [name];
  for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) found.push(name.slice(0, at));
  return found;
}

/** @param {Flow[]} edges @returns {Map<string, string[]>} what is at the other ends of each child's edges */
function endsOf(edges) {
  /** @type {Map<string, string[]>} */
  const ends = new Map();
  const add = (/** @type {string} */ of, /** @type {string} */ end) => {
    const known = ends.get(of);
    if (known) known.push(end);
    else ends.set(of, [end]);
  };
  for (const { source, target, control } of edges) {
    add(source, `${control ? "then" : "to"} ${target}`);
    add(target, `${control ? "after" : "from"} ${source}`);
  }
  return ends;
}

/** Scopes are alike when they are built alike, nodes when they compute the same from the same for the same; "" = like nothing.
 * @param {Child} child @param {string[]} ends */
function likeness(child, ends = []) {
  if (child.kind === "scope") return child.repeats === null ? "" : `scope ${child.repeats}`;
  if (child.is_result) return "";
  return [child.kind, child.op, ...[...ends].sort()].join("\n");
}

/** Does a way lead out of the group and back into it? Then one box for it would hide what comes first.
 * @param {Child[]} members @param {Flow[]} edges */
function closesCircle(members, edges) {
  const inside = new Set(members.map(({ name }) => name));
  const bySource = Map.groupBy(edges, ({ source }) => source);
  const waiting = members
    .flatMap(({ name }) => (bySource.get(name) ?? []).map(({ target }) => target))
    .filter((name) => !inside.has(name));
  const seen = new Set(waiting);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const { target } of bySource.get(name) ?? []) {
      if (inside.has(target)) return true;
      if (!seen.has(target)) {
        seen.add(target);
        waiting.push(target);
      }
    }
  }
  return false;
}

/** What several are called together: what their labels begin with, and the first and last of what follows.
 * @param {Child[]} members */
export function groupLabel(members) {
  const [first, last] = [members[0].label, members[members.length - 1].label];
  return first === last ? first : `${first} … ${last}`;
}
