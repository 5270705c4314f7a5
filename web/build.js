// Bundles the page into web/built: the first script, the later pages and the chunk they share; workers and libraries apart.

import { build } from "esbuild";

/** @type {import("esbuild").BuildOptions} */
const options = {
  outdir: "built",
  entryNames: "[name]",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  sourcemap: true,
  logLevel: "warning",
};

await build({ ...options, entryPoints: ["app/main.js"], splitting: true, chunkNames: "[name]" });
await build({
  ...options,
  entryPoints: [
    "pages/images/draw/image_worker.js",
    "app/page.css",
    "node_modules/elkjs/lib/elk-worker.min.js",
    "node_modules/plotly.js-gl3d-dist-min/plotly-gl3d.min.js",
  ],
  loader: { ".min.js": "copy" },
});
