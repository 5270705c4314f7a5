// What differs between two workspaces: sections and panels, by their names.

/** `theirs` and `mine` say what each version has; "" = it has not this section or panel.
 * @typedef {{name: string, theirs: string, mine: string}} Difference */
/** @typedef {import("./workspace_check.js").WorkspaceDocument} WorkspaceDocument */

/** Valid documents. @param {WorkspaceDocument} theirs @param {WorkspaceDocument} mine @returns {Difference[]} */
export function workspaceDifferences(theirs, mine) {
  const [a, b] = [partsOf(theirs), partsOf(mine)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((name) => ({ name, theirs: a.get(name) ?? "", mine: b.get(name) ?? "" }))
    .filter((row) => row.theirs !== row.mine);
}

/** Settings and panels by name, as text; equal names are numbered. @param {WorkspaceDocument} document */
function partsOf({ settings, sections }) {
  const parts = new Map([["", JSON.stringify(settings)]]);
  const add = (/** @type {string} */ name, /** @type {unknown} */ value) => {
    let unique = name;
    for (let count = 2; parts.has(unique); count++) unique = `${name} (${count})`;
    parts.set(unique, JSON.stringify(value));
  };
  for (const { name, panels, ...section } of sections) {
    add(name, section);
    for (const { kind, settings: own, ...box } of panels)
      add(`${name} › ${nameOf(kind, own)}`, { kind, ...own, ...box });
  }
  return parts;
}

/** @param {string} kind @param {import("./workspace_check.js").Settings} settings */
function nameOf(kind, settings) {
  const { title, tags, patterns, expressions, metric, tag } = settings;
  const shown = [title || [tags, patterns, expressions].flat().filter(Boolean).join(", "), metric, tag].find(Boolean);
  return `${kind}${shown ? ` ${String(shown)}` : ""}`;
}
