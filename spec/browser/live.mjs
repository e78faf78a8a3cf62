// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Looks at the live view as a browser shows it: spec/support/live_world.lua runs beside it. A part of check.mjs; alone:
// node spec/browser/live.mjs [FOLDER for pictures]
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Browser, DRAWS, sleep } from "./browser.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const CANVAS = "document.querySelector('.view canvas:not(.grid)')";

/** Waits until `is` answers something true; false where it does not within 30 s. */
async function until(is) {
  for (let k = 0; k < 600; k++) {
    const answer = await is();
    if (answer) return answer;
    await sleep(50);
  }
  return false;
}

function program(kind, env) {
  const child = spawn("lua5.4", ["spec/support/live_world.lua", kind], { cwd: root, stdio: ["ignore", "pipe", "pipe"],
    env: { LUA_PATH: "./lua_modules/share/lua/5.4/?.lua;./lua_modules/share/lua/5.4/?/init.lua;./spec/?.lua", LUA_CPATH: "./lua_modules/lib/lua/5.4/?.so;;",
      ...process.env, DELASSUS_BROWSER: "", ...env } });
  const out = { child, text: "", said: "", done: false };
  child.stdout.on("data", (data) => { out.text += data; });
  child.stderr.on("data", (data) => { out.said += data; });
  child.on("close", () => { out.done = true; });
  return out;
}

/** A point of the picture with something to take hold of: [x, y], from below. */
const graspable = (tab) => tab.run(`(() => {
  const c = ${CANVAS}, r = c.getBoundingClientRect();
  for (let j = 20; j > 2; j--) for (let i = 1; i < 40; i++) {
    const x = r.x + (r.width * i) / 40, y = r.y + (r.height * j) / 22;
    c.dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, pointerType: "mouse", bubbles: true }));
    if (c.style.cursor === "grab") return [x, y];
  }
  return null;
})()`);

export async function live(browser, check, kind, folder, env = {}) {
  const name = `live view (${kind})`, world = program(kind, env);
  try {
    await until(() => world.text.includes("\n") || world.done);
    const address = world.text.split("\n")[0];
    const tab = await browser.open(`${address}#theme=light`);
    const mouse = (type, x, y, buttons) => tab.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" && !buttons ? "none" : "left", buttons, clickCount: 1 });
    const time = () => tab.run("Number.parseFloat((document.querySelector('.time') || {}).textContent)");
    const slide = (k, value) => tab.run(`(() => { const s = document.querySelectorAll('.sliders input')[${k}]; s.value = ${value}; s.dispatchEvent(new Event('input')); })()`);
    const shoot = async (what) => { if (folder) writeFileSync(`${folder}/live-${kind}-${what}.png`, Buffer.from((await tab.send("Page.captureScreenshot", { format: "png" })).data, "base64")); };
    const press = (selector) => tab.run(`document.querySelector(${JSON.stringify(selector)}).click()`);

    check(await until(async () => (await time()) > 0.2), `${name}: it runs once the page is there`);
    await until(() => tab.run(`Boolean(${CANVAS})`));
    const drawn = await until(() => tab.run(`(({ joints, springs }) => joints && [joints, springs].map(Number).join())(${CANVAS}.dataset)`));
    check(drawn === "1,1", `${name}: one joint and one spring are drawn (${drawn})`);
    const first = await tab.picture(".view");
    check(await until(async () => (await tab.picture(".view")) !== first), `${name}: the picture moves`);
    check((await tab.run("document.querySelectorAll('.chart').length")) === 2, `${name}: charts of energies and of the joint`);
    await shoot("runs");

    for (const what of ["joint forces", "trails"]) {
      await tab.run(`[...document.querySelectorAll('.switches label')].find((l) => l.textContent === '${what}').click()`);
    }
    check(await until(() => tab.run("/\\d N$/.test(document.querySelector('.arrows').textContent)")), `${name}: joint forces have a scale in N`);

    await tab.key(" ", "Space");
    await until(() => tab.run("document.querySelector('.play').getAttribute('aria-label') === 'Play'"));
    await sleep(200);
    const still = await time();
    await sleep(300);
    check((await time()) === still, `${name}: the space bar stops it`);
    await press(".step");
    check(await until(async () => Math.abs((await time()) - still - 0.002) < 1e-6), `${name}: one step is one step`);
    const at = await graspable(tab);
    check(at, `${name}: there is something to take hold of`);
    await press(".play");

    await mouse("mousePressed", ...at, 1);
    for (let k = 1; k <= 10; k++) await mouse("mouseMoved", at[0] + 4 * k, at[1] - 16 * k, 1);
    const begun = await time();
    await until(async () => (await time()) > begun + 1);
    await shoot("pulled");
    await mouse("mouseReleased", at[0] + 40, at[1] - 160, 0);
    check((await tab.run(`${CANVAS}.style.cursor`)) === "", `${name}: it lets go`);

    await slide(0, 3);
    await slide(1, 0.25);
    await slide(2, 7);
    await slide(3, 2);
    check(await until(() => tab.run("/5 bodies/.test(document.querySelector('header p').textContent)")), `${name}: bodies made meanwhile are in the page`);
    await slide(2, 10);
    check(await until(() => tab.run("/more than it can bear/.test(document.querySelector('.problem').textContent)")), `${name}: an error of a slider is shown`);
    check(await until(() => tab.run("document.querySelectorAll('.sliders input')[2].value === '7'")), `${name}: and the slider stands where it was`);
    await shoot("problem");
    await press(".play");
    check(await until(() => tab.run("document.querySelector('.problem').hidden")), `${name}: and it goes on from there`);
    await tab.send("Emulation.setDeviceMetricsOverride", { width: 390, height: 844, deviceScaleFactor: 2, mobile: true });
    await tab.run("document.querySelector('header button').click()");
    await tab.settle();
    check((await tab.run("document.scrollingElement.scrollWidth")) <= 390, `${name}: on a phone nothing sticks out`);
    await shoot("phone");
    check(tab.problems.length === 0, `${name}: no error in the console ${tab.problems.join("; ")}`);
    check(tab.requests.every((url) => url.startsWith(address.split("?")[0])), `${name}: nothing asked of others ${tab.requests.join(" ")}`);
    await tab.close();

    check(await until(() => world.done), `${name}: the program ends when the page is closed`);
    const end = JSON.parse(world.text.trim().split("\n")[1] || "{}");
    check(end.why === "closed" && end.time > 1, `${name}: by being closed (${world.said.trim()})`);
    check(end.far > 0.15, `${name}: the body that was pulled has moved (${end.far} m)`);
    check(Math.abs(end.error) < 1e-7, `${name}: the ledger closes (${end.error})`);
    check(end.set === 7 && Math.abs(end.motor - 3) < 1e-9 && end.friction === 0.25, `${name}: sliders set what they are for`);
    check(end.connections === 2 && end.bodies === 6, `${name}: the hand is gone`);
    check(/view: .*more than it can bear/.test(world.said), `${name}: the terminal was told of the error, too`);
  } finally {
    world.child.kill("SIGKILL");
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const browser = new Browser(DRAWS);
  let failed = 0;
  const check = (good, sentence) => {
    if (!good) failed += 1;
    console.log(`${good ? "ok    " : "FAILED"} ${sentence}`);
  };
  try {
    for (const kind of ["space", "plane"]) await live(browser, check, kind, process.argv[2]);
  } finally {
    await browser.close();
  }
  process.exitCode = failed ? 1 : 0;
}
