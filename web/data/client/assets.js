// Where the files beside the page's script are: workers, and libraries that are loaded when needed.

/** @param {string} name */
let locate = (name) => new URL(`./${name}`, import.meta.url).href;

/** Returns the URL of a file of the build. @param {string} name */
export const assetUrl = (name) => locate(name);

/** Replaces where they are found. @param {(beside: (name: string) => string) => (name: string) => string} wrap */
export function replaceAssets(wrap) {
  locate = wrap(locate);
}
