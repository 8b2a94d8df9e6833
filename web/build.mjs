// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Bundles src/page.js with what it imports into one script for pages: node build.mjs SOURCE OUTPUT
// The same sources and lockfile give the same bytes. The licences of everything that was bundled
// stand at its head, because the page carries copies of it.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const [source, output] = process.argv.slice(2).map((name) => path.resolve(name));
// NODE_PATH names the folder of packages where they are not beside the sources; only require() obeys it.
const { build } = createRequire(path.join(source, "build.mjs"))("esbuild");

/** The folder of the package that an input of the bundle belongs to; undefined for our own. */
function packageOf(input) {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  return found?.[1];
}

/** Which packages share which licence text, as lines of a comment. */
function licences(inputs) {
  const namesByText = new Map();
  const folders = new Set(inputs.map(packageOf).filter(Boolean));
  for (const folder of [...folders].sort((a, b) => (path.basename(a) < path.basename(b) ? -1 : 1))) {
    const about = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((name) => /^licen[cs]e(\.|$)/i.test(name));
    const text = file ? readFileSync(path.join(folder, file), "utf8").trim() : `Licence: ${about.license}`;
    if (!about.license) throw new Error(`${about.name} names no licence`);
    namesByText.set(text, [...(namesByText.get(text) ?? []), `${about.name} ${about.version} (${about.license})`]);
  }
  return [...namesByText].map(([text, names]) => `${names.join(", ")}\n\n${text}`).join("\n\n----\n\n");
}

function banner(text) {
  if (text.includes("*/") || /<\/script|<!--/i.test(text)) throw new Error("a licence text would end the comment");
  return [
    "/*! The script of a page by assay. Copyright 2026 the assay authors, GPL-3.0-or-later.",
    "It holds copies of the packages below, under their own licences.",
    "",
    text,
    "*/",
  ].join("\n");
}

const result = await build({
  entryPoints: [path.join(source, "src/page.js")],
  absWorkingDir: source,
  nodePaths: process.env.NODE_PATH ? [process.env.NODE_PATH] : [],
  bundle: true,
  format: "iife",
  minify: true,
  legalComments: "none", // all of it is in the banner
  target: "es2020",
  charset: "ascii",
  metafile: true,
  write: false,
  logLevel: "warning",
});
const [bundled] = Object.values(result.metafile.outputs);
const used = Object.entries(bundled.inputs)
  .filter(([, input]) => input.bytesInOutput > 0)
  .map(([name]) => path.resolve(source, name));
const script = result.outputFiles[0].text;
if (/<\/script|<!--/i.test(script)) throw new Error("the bundle would end the element that holds it");
mkdirSync(path.dirname(output), { recursive: true });
writeFileSync(output, `${banner(licences(used))}\n${script}`);
