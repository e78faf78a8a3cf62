// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Over the picture: colour, what is shown, the camera, the keys of colours and arrows, values under the pointer.
import { Raycaster, Vector2 } from "three";
import { h, nice } from "./dom.js";
import { gradient } from "./colour.js";
import { VIEWS } from "./camera.js";

const choice = (label, title, options, act) => h("select", { "aria-label": label, title, onchange: (e) => { act(e.target.value); e.target.blur(); } },
  options.map(([value, text, selected]) => h("option", { value, selected }, text)));

/** A menu of what is drawn: a button that opens a list of switches { name, on }. */
function menu(switches, act) {
  const list = h("div", { class: "switches", hidden: true }, switches.map((s) => h("label", {},
    h("input", { type: "checkbox", checked: s.on, onchange: (e) => act(s, e.target.checked) }), s.name)));
  const button = h("button", { type: "button", class: "quiet", "aria-expanded": "false", onclick: () => {
    list.hidden = !list.hidden;
    button.setAttribute("aria-expanded", !list.hidden);
  } }, "show");
  document.addEventListener("pointerdown", (e) => {
    if (!list.hidden && !list.contains(e.target) && e.target !== button) button.click();
  });
  return h("div", { class: "menu" }, button, list);
}

/** Selects and buttons. `sight`: the camera; `follow(i)`: body i or -1. */
export function tools(model, sight, { changed, recolour, follow, toggle, followed }) {
  const bar = h("div", { class: "tools" });
  if (model.channels.length) {
    bar.append(choice("colour", "Colour", [...model.channels.map((c, i) => [i, c.label || c.name, i === model.chosen()]), [-1, "by body", model.chosen && model.chosen() < 0]], (v) => {
      model.choose(model.channels[v] || null);
      recolour();
    }));
  }
  if (model.exaggerations && model.exaggerations.length > 1) {
    bar.append(choice("compression", "Compression, drawn larger", model.exaggerations.map((x) => [x, `compression ${nice(x)}\u00d7`, x === model.exaggeration()]), (v) => {
      model.exaggerate(Number(v));
      changed();
    }));
  }
  if (model.switches && model.switches.length) bar.append(menu(model.switches, toggle));
  bar.append(h("span", { class: "gap" }));
  if (model.names && model.names.length > 1 && model.names.length <= 400) {
    bar.append(choice("follow", "Follow a body", [[-1, "follow nothing"], ...model.names.map((name, i) => [i, name, i === followed]).filter(([i]) => model.moves(i))], (v) => follow(Number(v))));
  }
  if (sight.canTurn) {
    bar.append(choice("view", "View", Object.keys(VIEWS).map((name) => [name, name]), (name) => { sight.look(name); changed(); }));
    bar.append(choice("lens", "Lens", [["round", "perspective"], ["straight", "orthographic"]], (v) => { sight.setRound(v === "round"); changed(); }));
  }
  bar.append(h("button", { type: "button", class: "quiet", onclick: () => { sight.reset(); changed(); } }, "reset view"));
  return bar;
}

export function colourKey(model) {
  const key = model.key();
  if (!key) return null;
  return h("div", { class: "key" }, h("b", {}, key.label), key.unit ? ` (${key.unit})` : null, h("i", { style: `background:${gradient}` }),
    h("span", {}, h("span", {}, nice(key.range[0], 3)), h("span", {}, nice(key.range[1], 3))));
}

/** The scales of the arrows that are drawn: a length on the screen and the force or moment it stands for. */
export function arrowKey(view) {
  const key = h("div", { class: "arrows", hidden: true });
  view.append(key);
  let rows = [];
  return (list, scale) => {
    const drawn = list.filter((one) => one.mesh.visible);
    key.hidden = drawn.length === 0;
    if (rows.length !== drawn.length) {
      rows = drawn.map(() => ({ line: h("i"), text: h("span") }));
      key.replaceChildren(...rows.map(({ line, text }) => h("div", {}, line, text)));
    }
    drawn.forEach((one, k) => {
      const want = (90 * scale) / one.perNewton, power = 10 ** Math.floor(Math.log10(want));
      const round = power * [5, 2, 1].find((m) => m * power <= want);
      rows[k].line.style.width = `${((round * one.perNewton) / scale).toFixed(1)}px`;
      rows[k].line.style.background = `var(${one.colour})`;
      rows[k].text.textContent = `${nice(round)} ${one.unit}`;
    });
  };
}

export function tips(view, canvas, modelNow, sight, clock) {
  const ray = new Raycaster(), at = new Vector2(), tip = h("div", { class: "tip", hidden: true });
  view.append(tip);
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("pointermove", (e) => {
    tip.hidden = true;
    if (e.buttons || e.pointerType === "touch") return;
    const r = canvas.getBoundingClientRect();
    at.set(((e.clientX - r.left) / r.width) * 2 - 1, 1 - ((e.clientY - r.top) / r.height) * 2);
    ray.setFromCamera(at, sight.camera);
    const model = modelNow();
    const hit = ray.intersectObjects(model.meshes, false).find((x) => model.tell(x, clock.time));
    if (!hit) return;
    const told = model.tell(hit, clock.time);
    tip.textContent = [told.name, ...told.values.map(([k, v, u]) => `${k}  ${nice(v)}${u ? ` ${u}` : ""}`)].join("\n");
    tip.hidden = false;
    tip.style.left = `${Math.min(e.clientX - r.left + 14, r.width - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(e.clientY - r.top + 14, r.height - tip.offsetHeight - 8)}px`;
  });
}
