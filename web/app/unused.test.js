import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path/posix";
import { test } from "node:test";

/** @param {string} ending */
async function filesOf(ending) {
  const cwd = new URL("..", import.meta.url);
  const files = /** @type {[path: string, text: string][]} */ ([]);
  for await (const path of glob(`{app,charts,controls,data,i18n,pages}/**/*${ending}`, { cwd }))
    files.push([path, await readFile(new URL(path, cwd), "utf8")]);
  return files;
}
const scripts = await filesOf(".js");

test("what a script exports is imported by another", () => {
  const imported = new Set();
  for (const [path, text] of scripts) {
    for (const [, names, from] of text.matchAll(/^(?:import|export) ([^;"]*?) ?from "(\.[^"]+)"/gm))
      for (const [name] of names.matchAll(/[\w*]+/g)) imported.add(`${join(path, "..", from)} ${name}`);
    // Types, and scripts that are loaded later.
    for (const [, from, name = "*"] of text.matchAll(/import\("(\.[^"]+)"\)(?:\.(\w+))?/g))
      imported.add(`${join(path, "..", from)} ${name}`);
  }
  const unused = scripts.flatMap(([path, text]) =>
    [...text.matchAll(/^export (?:async )?(?:const|let|class|function\*?) (\w+)/gm)]
      .map(([, name]) => `${path} ${name}`)
      .filter((each) => !imported.has(each) && !imported.has(`${path} *`) && !/words\.js/.test(path)),
  );
  assert.deepEqual(unused, []);
});

test("a class that has a style is one that scripts or libraries name", async () => {
  const named = new Set(scripts.flatMap(([, text]) => text.match(/[\w-]+/g) ?? []));
  const ofLibraries = /^(u-|grid-stack|placeholder-content|ui-resizable)/;
  const unused = (await filesOf(".css")).flatMap(([path, text]) => {
    const names = [...text.replace(/\/\*.*?\*\/|\{[^{}]*\}/gs, " ").matchAll(/\.([a-z][\w-]*)/g)].map(
      ([, name]) => name,
    );
    return names.filter((name) => !named.has(name) && !ofLibraries.test(name)).map((name) => `${path} .${name}`);
  });
  assert.deepEqual(unused, []);
});
