// What the module of a page exports. Types only.

/** Keys, and a function that returns what they do. @typedef {[keys: string[], text: () => string]} KeyRow */

/** What a page's module exports.
 * @typedef {object} Page
 * @property {() => unknown} toolbar its settings
 * @property {() => unknown} content
 * @property {() => () => void} [follow] begins what goes on while the page is shown, returns what ends it
 * @property {() => void} [prepare] begins what takes long, before anybody asks for the page; called again when what it looked at changes
 * @property {Record<string, () => void>} [ACTIONS] its keys
 * @property {KeyRow[]} [KEYS] what the list of keys says of them
 */

export {};
