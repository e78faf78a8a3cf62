// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Bundles the page's modules and style into one HTML file:  node build.mjs OUTPUT.html
import { build } from "esbuild";
import { readFileSync, writeFileSync, renameSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const output = process.argv[2] || here("../../lua/delassus/viewer.html");

async function bundle(entry, extra) {
  const result = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, legalComments: "inline",
    charset: "ascii", target: "es2020", logLevel: "warning", ...extra,
  });
  return result.outputFiles[0].text.trim();
}

// Inside <script> and <style> only the closing tag (and a comment's start) can end the text early.
const safe = (text, tag) =>
  text.replaceAll(`</${tag}`, `<\\/${tag}`).replaceAll("<!--", "<\\!--");

const script = safe(await bundle("src/main.js", { format: "iife" }), "script");
const style = safe(await bundle("src/style.css"), "style");
const notice = "three.js (MIT, three.js authors) and uPlot (MIT, Leon Sorokin) are part of this page.";
const page = readFileSync(here("src/template.html"), "utf8")
  .replace("<!--style-->", () => `<style>${style}</style>`)
  .replace("<!--script-->", () => `<!-- ${notice} -->\n<script>${script}</script>`);
if (/\b(?:src|href)\s*=\s*["']?https?:/i.test(page.replace(script, ""))) throw new Error("the page loads something from the network");
writeFileSync(output + ".part", page);
renameSync(output + ".part", output);
console.log(`${output}: ${(page.length / 1024).toFixed(0)} KiB`);
