// What the module of a page exports. Types only.

/** Keys, and a function that returns their description. @typedef {[keys: string[], text: () => string]} KeyRow */

/** What a page's module exports.
 * @typedef {object} Page
 * @property {() => unknown} toolbar its settings
 * @property {() => unknown} content
 * @property {() => () => void} [follow] starts what runs while the page is shown; the returned function ends it
 * @property {() => void} [prepare] starts slow work before the page is opened; runs in an effect
 * @property {() => readonly string[]} [listedRuns] the runs of its table, in order
 * @property {Record<string, () => void>} [ACTIONS] its keys
 * @property {KeyRow[]} [KEYS] their descriptions
 */

export {};
