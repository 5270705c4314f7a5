// Prints the licences of the packages in Plotly's bundle, which its own package does not name; see make plotly-licences.
//
// The first folder has plotly.js, built here to see what the bundle is made of. Part of it, stackgl_modules, is a bundle
// already: all its dependencies, in the second folder, are listed, but for glslify, which puts its shaders together.

import { readdir, readFile } from "node:fs/promises";
import { build } from "esbuild";

const [plotly, stackgl] = process.argv.slice(2).map((folder) => `${folder}/node_modules/`);

const folders = new Set([...(await bundled()), ...(await dependencies())]);
const packages = await Promise.all([...folders].map(licence));
const { version } = JSON.parse(await readFile(`${plotly}plotly.js/package.json`, "utf8"));
console.log(`The bundle of Plotly ${version} contains these packages too.`);
for (const [text, names] of Object.entries(Object.groupBy(packages, ({ text }) => text)).sort())
  console.log(`\n${names?.map(({ title }) => title).join("\n")}\n\n${text}`);

/** Returns the folders of the packages whose code is in the bundle. */
async function bundled() {
  const { metafile } = await build({
    absWorkingDir: `${plotly}..`,
    entryPoints: [`${plotly}plotly.js/lib/index-gl3d.js`],
    bundle: true,
    write: false,
    metafile: true,
    outdir: "out",
    loader: { ".glsl": "text", ".css": "empty", ".svg": "text" },
    external: ["stream"],
    define: { global: "window" },
  });
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0),
  );
  const names = inputs.flatMap((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []);
  return names.filter((name) => name !== "plotly.js").map((name) => plotly + name);
}

/** Returns the folders of the packages from which stackgl_modules was made. */
async function dependencies() {
  const names = new Set(Object.keys(JSON.parse(await readFile(`${stackgl}../package.json`, "utf8")).dependencies));
  names.delete("glslify");
  for (const name of names) {
    const { dependencies = {} } = JSON.parse(await readFile(`${stackgl}${name}/package.json`, "utf8"));
    for (const dependency of Object.keys(dependencies)) if (dependency !== "glslify") names.add(dependency);
  }
  return [...names].map((name) => stackgl + name);
}

/** @param {string} folder */
async function licence(folder) {
  const { name, version, license, licenses, author } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
  const declared = [license ?? licenses ?? "MIT"].flat().map((one) => one.type ?? one);
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(`${folder}/${file}`, "utf8")));
  const text = texts.map((text) => text.replaceAll("\r", "").trim()).join("\n\n");
  return { title: `${name} ${version} (${declared})`, text: text || `Author: ${author.name ?? author}` };
}
