// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Looks at pages as a browser shows them:  node spec/browser/check.mjs [PAGE.html ...]
// Without pages it makes some from spec/support/synthetic_recording.lua. Exit status 1 when any check fails.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Browser, DRAWS, NO_WEBGL, sleep } from "./browser.mjs";
import { live } from "./live.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "delassus-pages-"));
const SLOT = /(<script type="application\/json" id="delassus-data">)([\s\S]*?)(<\/script>)/;
let failed = 0, done = 0;

function check(good, sentence) {
  done += 1;
  if (!good) failed += 1;
  console.log(`${good ? "ok    " : "FAILED"} ${sentence}`);
}

const url = (page, query = "") => `${pathToFileURL(page)}?theme=light${query}`;

function lua(args, env = {}) {
  execFileSync("lua5.4", args, { cwd: root, stdio: "inherit", env: {
    LUA_PATH: "./lua_modules/share/lua/5.4/?.lua;./lua_modules/share/lua/5.4/?/init.lua", LUA_CPATH: "./lua_modules/lib/lua/5.4/?.so;;",
    ...process.env, ...env } });
}

function make(kind, name = kind, env = {}, script = "spec/support/synthetic_recording.lua", ending = "html") {
  const page = join(folder, `${name}.${ending}`);
  lua([script, kind, page], env);
  return page;
}

/** A copy of the page with its data changed. */
function changed(page, name, change) {
  const copy = join(folder, `${name}.html`);
  const text = readFileSync(page, "utf8");
  if (!SLOT.test(text)) throw new Error(`${page} holds no data block`);
  writeFileSync(copy, text.replace(SLOT, (all, open, data, close) => {
    const report = JSON.parse(data);
    change(report);
    return open + JSON.stringify(report).replaceAll("</", "<\\/") + close;
  }));
  return copy;
}

/** Makes one number of the first chart half as large again as the largest. */
function raiseOne(report) {
  const y = report.charts[0].series[0].y;
  if (Array.isArray(y)) y[Math.floor(y.length / 2)] = 1.5 * Math.max(1e-3, ...y.map((v) => Math.abs(v || 0)));
  else {
    const list = new Float32Array(new Uint8Array(Buffer.from(y.f32, "base64")).buffer);
    list[Math.floor(list.length / 2)] = 1.5 * list.reduce((a, b) => Math.max(a, Math.abs(b) || 0), 1e-3);
    y.f32 = Buffer.from(list.buffer).toString("base64");
  }
}

const chart = (tab) => tab.run("document.querySelector('.chart canvas').toDataURL()");
const readout = (tab) => tab.run("Number.parseFloat(document.querySelector('.time').textContent)");

async function look(browser, page, query, action) {
  const tab = await browser.open(url(page, query));
  try {
    return await action(tab);
  } finally {
    await tab.close();
  }
}

async function replay(browser, page) {
  const name = basename(page);
  await look(browser, page, "&play=1&speed=0.1", async (tab) => {
    await sleep(300);
    const first = await tab.picture(".view"), t = await readout(tab);
    await sleep(1000);
    const second = await tab.picture(".view");
    check(first !== second, `${name}: two pictures a second apart differ while it plays`);
    check((await readout(tab)) > t, `${name}: the time goes on while it plays`);
    await tab.key(" ", "Space");
    const still = await readout(tab), third = await tab.picture(".view");
    await sleep(300);
    check((await readout(tab)) === still && (await tab.picture(".view")) === third, `${name}: the space bar stops it`);
    check(tab.problems.length === 0, `${name}: no error in the console ${tab.problems.join("; ")}`);
    check(tab.requests.length === 0, `${name}: nothing asked of the network ${tab.requests.join(" ")}`);
  });
  const [middle, one] = await look(browser, page, "", async (tab) => {
    const start = await readout(tab);
    await tab.key("ArrowRight");
    check((await readout(tab)) > start, `${name}: an arrow goes to the next frame`);
    await tab.key("End");
    const end = await readout(tab);
    return [(start + end) / 2, await chart(tab)];
  });
  const shot = (t) => look(browser, page, `&t=${t}`, async (tab) => [await tab.picture(".view"), await readout(tab)]);
  const [a, time] = await shot(middle), [b] = await shot(middle), [c] = await shot(0);
  check(Math.abs(time - middle) < 2e-3 * Math.max(1, middle), `${name}: ?t= sets the time`);
  check(a === b, `${name}: the same time is the same picture`);
  check(a !== c, `${name}: another time is another picture`);
  const atEnd = (which) => look(browser, which, "", async (tab) => { await tab.key("End"); return chart(tab); });
  const other = changed(page, `changed-${name}`, raiseOne), same = changed(page, `same-${name}`, () => {});
  check((await atEnd(same)) === one, `${name}: the same numbers are the same chart`);
  check((await atEnd(other)) !== one, `${name}: one number changed changes the chart`);
}

/** The page of a stack of bodies without thickness: bars that are drawn with one, all of them beside the ruler, whose numbers are not cut off. */
async function thinBars(browser) {
  const page = join(folder, "thin.html");
  lua(["-e", `local stack = require "delassus.stack"
    local bodies = {}
    for i = 1, 3 do bodies[i] = { mass = 1, stiffness = 1e5, position = 0.1 + 0.2 * i } end
    assert(stack{ bodies = bodies, dt = 1e-4 }:record{ time = 0.2 }:report{ title = "Points" }:save "${page}")`]);
  await look(browser, page, "", async (tab) => {
    const { texts, inside } = await tab.run(`(() => { const view = document.querySelector(".view").getBoundingClientRect();
      const marks = [...document.querySelectorAll(".view .mark")];
      return { texts: marks.map((m) => m.textContent).join(), inside: marks.every((m) => { const r = m.getBoundingClientRect();
        return r.left >= view.left && r.right <= view.right && r.top >= view.top && r.bottom <= view.bottom; }) }; })()`);
    check(texts === "0 m,0.2 m,0.4 m,0.6 m,0.8 m,1 m", `thin bars: the ruler goes up to the highest of them (${texts})`);
    check(inside, "thin bars: the ruler's numbers are in the view");
  });
}

/** Pages of mechanisms: what joins bodies is there, can be switched off, and the camera's choices do what they say. */
async function mechanism(browser, kind, drawn) {
  const page = make(kind, kind, {}, "spec/support/mechanism_pages.lua");
  await look(browser, page, "&t=0.6", async (tab) => {
    const found = await tab.run("(({ joints, springs, ropes }) => [joints, springs, ropes].map(Number).join())(document.querySelector('.view canvas:not(.grid)').dataset)");
    check(found === drawn.join(), `${kind}: ${drawn[0]} joints, ${drawn[1]} springs, ${drawn[2]} ropes are drawn (${found})`);
    const shown = await tab.picture(".view");
    const names = await tab.run("[...document.querySelectorAll('.switches label')].map((l) => l.textContent).join()");
    for (const name of names.split(",").filter((n) => n !== "trails" || kind !== "arm")) {
      const press = () => tab.run(`[...document.querySelectorAll('.switches label')].find((l) => l.textContent === ${JSON.stringify(name)}).click()`);
      await press();
      await tab.settle();
      const other = await tab.picture(".view");
      check(other !== shown, `${kind}: the switch "${name}" changes the picture`);
      await press();
      await tab.settle();
      check((await tab.picture(".view")) === shown, `${kind}: and back`);
    }
    const choose = (label, value) => tab.run(`(() => { const s = document.querySelector("select[aria-label='${label}']"); if (!s) return false;
      s.value = ${JSON.stringify(value)}; s.dispatchEvent(new Event("change")); return true; })()`);
    for (const [label, value, back] of [["view", "from above", "three quarters"], ["lens", "straight", "round"]]) {
      if (!(await choose(label, value))) continue;
      await tab.settle();
      check((await tab.picture(".view")) !== shown, `${kind}: ${value} is another picture`);
      await choose(label, back);
      await tab.settle();
    }
    check((await tab.run("document.querySelectorAll('.chart').length")) >= 2, `${kind}: charts of energy and of joints or contacts`);
    check(tab.problems.length === 0, `${kind}: no error in the console ${tab.problems.join("; ")}`);
  });
}

/** 500 bodies and 1,800 frames: below 8 MB; how fast it is there is told, not judged. */
async function long(browser) {
  const page = make("long", "long", {}, "spec/support/mechanism_pages.lua"), size = statSync(page).size / 1e6;
  await look(browser, page, "&t=20", async (tab) => {
    const there = await tab.run("performance.now()"), first = await tab.picture(".view");
    check(size < 8, `500 bodies, 1,800 frames: ${size.toFixed(1)} MB, there after ${(there / 1000).toFixed(1)} s`);
    await tab.key("End");
    check((await tab.picture(".view")) !== first && Math.abs((await readout(tab)) - 30) < 0.02, "the long recording ends at 30 s with another picture");
    check(tab.problems.length === 0, `the long recording: no error in the console ${tab.problems.join("; ")}`);
  });
}

/** Recordings as .glb, by the validator of the Khronos group. */
async function exchange() {
  const { default: validator } = await import(pathToFileURL(join(root, "src/viewer/node_modules/gltf-validator/index.js")));
  for (const kind of ["four_bar", "springs", "rope", "arm"]) {
    const path = make(kind, kind, {}, "spec/support/mechanism_pages.lua", "glb");
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(path)));
    check(issues.numErrors === 0 && issues.numWarnings === 0, `${kind}.glb: valid glTF ${issues.messages.map((m) => m.message).join("; ")}`);
    check(info.animationCount === 1 && info.totalTriangleCount > 0, `${kind}.glb: one animation, ${info.totalTriangleCount} triangles`);
  }
  const broken = readFileSync(join(folder, "four_bar.glb"));
  broken.writeUInt32LE(3, 4);
  check((await validator.validateBytes(new Uint8Array(broken)).catch(() => ({ issues: { numErrors: 1 } }))).issues.numErrors > 0, "a .glb broken on purpose is noticed");
}

/** One instant as a picture, by the command. */
function pictures() {
  const rec = make("rope", "rope", {}, "spec/support/mechanism_pages.lua", "rec");
  const shot = (name, at) => {
    lua(["bin/delassus", "replay", rec, "--png", join(folder, name), "--at", at]);
    return readFileSync(join(folder, name));
  };
  const a = shot("a.png", "0.5"), b = shot("b.png", "0.5"), c = shot("c.png", "1");
  check(a.readUInt32BE(16) === 1280 && a.readUInt32BE(20) === 800, "delassus replay --png draws 1280 by 800 pixels");
  check(a.equals(b) && !a.equals(c), "the same instant is the same picture, another one another");
}

/** On a phone's screen, in the dark: nothing sticks out, the picture is there. */
async function onAPhone(browser, page) {
  await look(browser, page, "&theme=dark", async (tab) => {
    await tab.send("Emulation.setDeviceMetricsOverride", { width: 390, height: 844, deviceScaleFactor: 2, mobile: true });
    await tab.settle();
    const [wide, view] = await tab.run("[document.scrollingElement.scrollWidth, document.querySelector('.view').clientWidth]");
    check(wide <= 390 && view > 300, `on a phone nothing sticks out (${wide} and ${view} pixels wide)`);
    const out = await tab.run("[...document.querySelectorAll('.tools > *')].filter((e) => e.getBoundingClientRect().right > 391).length");
    check(out === 0, "on a phone the tools are within the picture");
    check(tab.problems.length === 0, `on a phone no error in the console ${tab.problems.join("; ")}`);
  });
}

/** The manual on a phone: nothing sticks out, and its text is not behind screens of contents. */
async function manualOnAPhone(browser) {
  const page = join(folder, "manual.html");
  lua(["docs/make.lua", page]);
  await look(browser, page, "", async (tab) => {
    await tab.send("Emulation.setDeviceMetricsOverride", { width: 390, height: 844, deviceScaleFactor: 2, mobile: false });
    await tab.settle();
    const [wide, start] = await tab.run("[document.scrollingElement.scrollWidth, document.querySelector('main').getBoundingClientRect().top]");
    check(wide <= 390 && start < 844, `the manual on a phone: ${wide} pixels wide, its text begins at ${Math.round(start)}`);
  });
}

async function withoutWebGL(page) {
  const browser = new Browser(NO_WEBGL);
  try {
    await look(browser, page, "", async (tab) => {
      check(/needs WebGL/.test(await tab.run("document.querySelector('.view').textContent")), "without WebGL the page says so");
      check((await tab.run("document.querySelectorAll('.chart canvas').length")) > 0, "without WebGL the charts are there");
      check(tab.problems.length === 0, `without WebGL no error in the console ${tab.problems.join("; ")}`);
    });
  } finally {
    await browser.close();
  }
}

async function plain(browser) {
  const page = make("pile", "plain", { DELASSUS_VIEWER: join(folder, "nothing") });
  await look(browser, page, "", async (tab) => {
    check((await tab.run("document.querySelectorAll('svg path').length")) > 4, "without the viewer the page has SVG charts");
    check(/make viewer/.test(await tab.run("document.body.textContent")), "without the viewer the page says how to get the replay");
    check(tab.problems.length === 0, `without the viewer no error in the console ${tab.problems.join("; ")}`);
  });
}

/** Where x turns back the chart shows all of the line: an oscillator's phase portrait is a circle, whole and empty within. */
async function portrait(browser) {
  const page = join(folder, "oscillator.html");
  lua(["-e", `local s = require "delassus".system{ q = {1}, u = {0}, mass = {{1}}, forces = function(q) return {-q[1]} end }
    local rec = s:record{ every = 0.01 } s:run(2 * math.pi) assert(rec:save(${JSON.stringify(page)}))`]);
  await look(browser, page, "", async (tab) => {
    const [left, right, up, down, within] = await tab.run(`(() => {
      const card = [...document.querySelectorAll(".chart")].find((c) => /^Phase portrait/.test(c.textContent));
      const canvas = card.querySelector("canvas"), { width, height } = canvas, { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
      const drawn = (x, y) => { const at = 4 * (y * width + x); return data[at + 3] > 60 && data[at] > data[at + 2] + 60; };
      let ends = [width, 0, height, 0], within = 0;
      const all = [];
      for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (drawn(x, y)) all.push([x, y]);
      for (const [x, y] of all) ends = [Math.min(ends[0], x), Math.max(ends[1], x), Math.min(ends[2], y), Math.max(ends[3], y)];
      const [a, b, c, d] = ends, u = (x) => (2 * x - a - b) / (b - a), v = (y) => (2 * y - c - d) / (d - c);
      for (const [x, y] of all) if (Math.abs(Math.hypot(u(x), v(y)) - 1) > 0.1) within++;
      return [a / width, b / width, c / height, d / height, within];
    })()`);
    check(right - left > 0.6 && down - up > 0.5 && within === 0,
      `an oscillator's phase portrait is a circle (${[left, right, up, down].map((v) => v.toFixed(2)).join(" ")}, ${within} pixels off it)`);
    check(tab.problems.length === 0, `a page with portraits: no error in the console ${tab.problems.join("; ")}`);
  });
}

/** The checks themselves: pages broken on purpose have to be noticed. */
async function notices(browser, page) {
  const torn = changed(page, "torn", (report) => { report.scene.time.pop(); });
  check(await look(browser, torn, "", (tab) => tab.problems.length > 0), "a page whose data is torn is noticed");
  const broken = join(folder, "broken.html");
  writeFileSync(broken, readFileSync(page, "utf8").replace("requestAnimationFrame", "requestAnimationFrames"));
  check(await look(browser, broken, "&play=1", async (tab) => { await sleep(200); return tab.problems.length > 0; }).catch(() => true), "a page whose script is broken is noticed");
}

const given = process.argv.slice(2).map((page) => resolve(page));
const missing = given.filter((page) => !existsSync(page));
if (missing.length) throw new Error(`no such page: ${missing.join(" ")}`);
const patience = setTimeout(() => { console.error("FAILED the browser took longer than ten minutes"); process.exit(1); }, 600000);
const browser = new Browser(DRAWS);
try {
  const made = ["pile", "drum", "capsules"].map((kind) => make(kind));
  for (const page of [...made, ...given]) await replay(browser, page);
  for (const [kind, drawn] of Object.entries({ four_bar: [4, 0, 0], springs: [2, 2, 0], rope: [0, 1, 1], arm: [2, 0, 0] })) await mechanism(browser, kind, drawn);
  await thinBars(browser);
  await long(browser);
  await exchange();
  pictures();
  await portrait(browser);
  await onAPhone(browser, join(folder, "springs.html"));
  await manualOnAPhone(browser);
  for (const kind of ["space", "plane"]) await live(browser, check, kind);
  await notices(browser, made[0]);
  await plain(browser);
  await withoutWebGL(made[0]);
} finally {
  clearTimeout(patience);
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${done - failed} of ${done} checks of the pages hold`);
process.exitCode = failed ? 1 : 0;
