// Bundles the page into web/built: the first script, the later pages and the chunk they share; workers and libraries apart.
// The snapshot is all of them in one file.

import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { snapshotPage } from "./snapshot_build.js";

const OUT = "built";
const NOTICES = "THIRD_PARTY.txt";
/** The page as one file, into which the page of a server writes data. */
const SNAPSHOT = "snapshot";

/** @satisfies {import("esbuild").BuildOptions} */
const options = {
  outdir: OUT,
  entryNames: "[name]",
  bundle: true,
  format: /** @type {const} */ ("esm"),
  target: "es2022",
  minify: true,
  sourcemap: true,
  metafile: /** @type {const} */ (true),
  logLevel: /** @type {const} */ ("warning"),
};

const { metafile: page } = await build({
  ...options,
  entryPoints: ["app/main.js"],
  splitting: true,
  chunkNames: "[name]",
});
const { metafile: apart } = await build({
  ...options,
  entryPoints: [
    "pages/images/draw/image_worker.js",
    "pages/audio/draw/sound_worker.js",
    "app/spatial.js",
    "app/page.css",
    "node_modules/elkjs/lib/elk-worker.min.js",
    "node_modules/plotly.js-gl3d-dist-min/plotly-gl3d.min.js",
  ],
  loader: { ".min.js": "copy" },
});

const { metafile: alone } = await build({
  ...options,
  entryPoints: ["app/snapshot/main.js"],
  entryNames: SNAPSHOT,
  sourcemap: false,
});
await writeFile(`${OUT}/${SNAPSHOT}.html`, await snapshotPage(`${OUT}/${SNAPSHOT}.js`, `${OUT}/page.css`));

await writeFile(
  `${OUT}/${NOTICES}`,
  await notices([...Object.keys(page.inputs), ...Object.keys(apart.inputs), ...Object.keys(alone.inputs)]),
);
await removeAllBut([
  NOTICES,
  `${SNAPSHOT}.html`,
  ...[page, apart].flatMap(({ outputs }) => Object.keys(outputs).map((path) => path.slice(OUT.length + 1))),
]);

/**
 * Returns the name, version, licence and source of each package that has files among the inputs, with its licence texts.
 * @param {string[]} inputs
 */
async function notices(inputs) {
  const folders = new Set(inputs.flatMap((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []));
  const texts = await Promise.all([...folders].sort().map(notice));
  return [
    "The page of Toposcope contains these packages, each under the licence that follows its name.\n",
    ...texts,
  ].join(`\n${"=".repeat(100)}\n\n`);
}

/** @param {string} folder */
async function notice(folder) {
  const { name, version, license, repository, homepage } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  if (files.length === 0) throw new Error(`${folder} has no licence text, so it cannot be distributed with the page.`);
  const source = String(repository?.url ?? repository ?? homepage).replace(/^git\+/, "");
  const texts = await Promise.all(files.map((file) => readFile(`${folder}/${file}`, "utf8")));
  if (name.startsWith("plotly.js")) texts.push(await licencesInPlotly(version));
  return [
    `${name} ${version}\nLicence: ${license}\nSource: ${source}\n`,
    ...texts.map((text) => `${text.trim()}\n`),
  ].join("\n");
}

/**
 * Returns the licences of what Plotly's bundle is made of, which its package lacks.
 * @param {string} version
 */
async function licencesInPlotly(version) {
  const text = await readFile("licences/plotly.txt", "utf8");
  if (!text.includes(`Plotly ${version} `)) throw new Error("licences/plotly.txt is older: run make plotly-licences.");
  return text;
}

/**
 * Removes the outputs of earlier builds.
 * @param {string[]} names
 */
async function removeAllBut(names) {
  for (const name of await readdir(OUT)) if (!names.includes(name)) await rm(`${OUT}/${name}`, { recursive: true });
}
