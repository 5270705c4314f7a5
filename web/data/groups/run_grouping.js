// Groups of runs by one or several properties. Pure.

/** A property: "all", "state", "labels", "name", "regex:PATTERN" or "param:NAME". @typedef {string} GroupKey */
/** Returns the names of the groups that a run belongs to by one property; only by labels there may be several.
 * @typedef {(run: string) => readonly string[]} GroupsOf */

/** Between the values of several properties. */
const JOINT = ", ";
/** What differs between repetitions of one experiment: seeds, and the times at which they began. */
const REPETITIONS = [
  /(^|[_\-./ ])+(random_?)?seed[_=:-]?\d+/gi,
  /__\d+(?=__\d{9,10}$)/g,
  /[_\-./ ]+1\d{9}(?!\d)/g,
  /[_\-./ ]+20\d\d-?[01]\d-?[0-3]\d([_\-T ]?\d\d[-:]?\d\d([-:]?\d\d)?)?(?!\d)/g,
];

/** "sft_lr1e-4_seed42" is "sft_lr1e-4"; the whole name where nothing else is left. @param {string} name */
export function nameWithoutSeed(name) {
  const rest = REPETITIONS.reduce((text, pattern) => text.replace(pattern, ""), name).replace(/^[_\-./ ]+/, "");
  return rest || name;
}

/** Joins properties: a run is in the groups of all combinations of what it has.
 * @param {readonly GroupsOf[]} properties @returns {GroupsOf} */
export const joinedGroups = (properties) => (run) =>
  properties.reduce((/** @type {readonly string[] | null} */ names, groupsOf) => {
    const own = groupsOf(run);
    return names ? names.flatMap((name) => own.map((each) => name + JOINT + each)) : own;
  }, null) ?? [];

/** Groups in the order in which their first members appear, and what is in none.
 * @template Member
 * @param {readonly Member[]} runs or their rows @param {(member: Member) => readonly string[]} groupsOf
 * @returns {{groups: Map<string, Member[]>, ungrouped: Member[]}} */
export function gathered(runs, groupsOf) {
  /** @type {Map<string, Member[]>} */
  const groups = new Map();
  /** @type {Member[]} */
  const ungrouped = [];
  for (const run of runs) {
    const names = groupsOf(run);
    if (!names.length) ungrouped.push(run);
    for (const name of names) {
      const members = groups.get(name);
      if (members) members.push(run);
      else groups.set(name, [run]);
    }
  }
  return { groups, ungrouped };
}

/** How useful it is to group by a property with so many values: best if there are a few groups of several runs.
 * @param {number} values @param {number} runs @param {number} importance of the property, 0 to 1 */
export function usefulness(values, runs, importance) {
  if (values < 2 || 2 * values > runs) return -values;
  return 1 + importance + 1 / (1 + Math.max(0, values - MANY_GROUPS));
}
/** Of more groups, lines cover each other. */
const MANY_GROUPS = 12;
