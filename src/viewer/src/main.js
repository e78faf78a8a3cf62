// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Puts the page together: reads the data block, lays out the cards, ties everything to one clock.
import { h } from "./dom.js";
import { readReport } from "./data.js";
import { Clock } from "./clock.js";
import { transport } from "./transport.js";
import { chartCard } from "./charts.js";
import { numbersCard, tableCard } from "./tables.js";
import { stage } from "./stage.js";
import { options, theme } from "./look.js";
import { live } from "./live.js";

function build(app, report) {
  const ask = options();
  const look = theme(ask.get("theme"));
  const scene = report.scene;
  const clock = scene ? new Clock(scene.time[0], scene.time[scene.time.length - 1]) : null;
  document.title = report.title;
  const kind = scene ? scene.kind : "plain";
  if (scene && ask.get("picture") === "1") document.body.classList.add("picture"); // the picture alone
  const main = h("main", { class: kind });
  const side = h("div", { class: "side" });
  const below = h("div", { class: "below" });
  app.replaceChildren(
    h("header", {}, h("div", {}, h("h1", {}, report.title), report.subtitle ? h("p", {}, report.subtitle) : null), look.button),
    main, below);

  if (scene) main.append(stage(scene, clock, look, transport(clock, scene.time), ask));
  const numbers = numbersCard(report.numbers);
  if (numbers) side.append(numbers);
  for (const chart of report.charts) {
    const made = chartCard(chart, clock);
    if (!made) continue;
    side.append(made.card);
    look.listen(made.redraw);
  }
  const tables = report.tables.map(tableCard);
  if (scene && report.charts.length <= 2 && tables.length) side.append(tables.shift());
  if (side.childElementCount) main.append(side);
  if (!scene || !side.childElementCount) main.className = "plain";
  below.append(...tables);
  if (report.text.length) below.append(h("section", { class: "card text" }, report.text.map((t) => h(t.includes("\n") ? "pre" : "p", {}, t))));
  if (!below.childElementCount) below.remove();

  if (!clock) return;
  const speed = Number.parseFloat(ask.get("speed"));
  if (speed > 0 || scene.speed) clock.speed = speed > 0 ? speed : scene.speed;
  const t = Number.parseFloat(ask.get("t"));
  clock.set(Number.isFinite(t) ? t : clock.start);
  if (ask.get("play") === "1") clock.play();
}

const app = document.getElementById("app");
async function start() {
  try {
    const report = await readReport(document.getElementById("delassus-data").textContent);
    if (report.live) live(app, report); else build(app, report);
  } catch (problem) {
    app.replaceChildren(h("section", { class: "card" }, h("h1", {}, "This page cannot be shown"), h("p", {}, problem.message)));
    throw problem;
  }
}
start();
