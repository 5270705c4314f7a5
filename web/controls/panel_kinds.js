// The kinds of panels that pages offer to workspaces: each page defines its own, as pages import no other pages.

/** Cards of tags. All panels of a kind share the settings of the page, as its cards do.
 * @typedef {object} TagKind
 * @property {string} prefix of the names of the settings
 * @property {import("../data/tags/plugin_tags.js").PluginTags} tags
 * @property {(tag: string, rows: import("../data/tags/plugin_tags.js").SeriesRow[]) => unknown} card
 * @property {() => unknown} settings the controls of the settings
 */

/** A page, or a part of it. Each panel has settings of its own, and one panel of a kind is drawn at a time.
 * @typedef {object} PageKind
 * @property {string} prefix of the names of the settings
 * @property {() => unknown} toolbar
 * @property {() => unknown} content
 * @property {() => () => void} follow starts what runs while the panel is drawn; the returned function ends it
 */

/** @type {Map<string, TagKind>} */
export const tagKinds = new Map();
/** @type {Map<string, PageKind>} */
export const pageKinds = new Map();
