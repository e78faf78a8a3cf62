// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Play, pause, scrub, speed, and the keyboard.
import { h } from "./dom.js";
import { SPEEDS } from "./clock.js";
import { below } from "./data.js";

export const PLAY = "M4 2.5v11l9.5-5.5z";
export const PAUSE = "M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z";

export function icon(path) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(space, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return [svg, shape];
}

export const speedName = (s) => (s >= 1 ? `${s}\u00d7` : `1/${Math.round(1 / s)}\u00d7`);

export function transport(clock, frames) {
  const span = clock.end - clock.start;
  const digits = Math.max(2, Math.min(6, Math.ceil(3 - Math.log10(span || 1))));
  const [svg, shape] = icon(PLAY);
  const play = h("button", { class: "play", type: "button", onclick: () => clock.toggle() }, svg);
  const slider = h("input", {
    type: "range", class: "scrub", min: 0, max: 10000, step: 1, value: 0, "aria-label": "time",
    oninput: (e) => clock.set(clock.start + (span * e.target.value) / 10000),
  });
  const readout = h("output", { class: "time" });
  const speeds = SPEEDS.map((s) => h("option", { value: s, selected: s === clock.speed }, speedName(s)));
  const speed = h("select", { class: "speed", "aria-label": "speed", title: "Speed",
    onchange: (e) => { clock.setSpeed(Number(e.target.value)); e.target.blur(); } }, speeds);

  clock.listen(() => {
    shape.setAttribute("d", clock.playing ? PAUSE : PLAY);
    play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    play.title = clock.playing ? "Pause (space)" : "Play (space)";
    const share = span > 0 ? (clock.time - clock.start) / span : 0;
    slider.value = Math.round(10000 * share);
    slider.style.setProperty("--share", `${100 * share}%`);
    readout.textContent = `${clock.time.toFixed(digits)} s`;
    speed.value = clock.speed;
  });

  const stepBy = (n) => {
    clock.pause();
    const k = below(frames, clock.time + 1e-9 * span) + n;
    clock.set(frames[Math.min(frames.length - 1, Math.max(0, k))]);
  };
  const faster = (n) => {
    const k = SPEEDS.indexOf(clock.speed) + n;
    if (k >= 0 && k < SPEEDS.length) clock.setSpeed(SPEEDS[k]);
  };
  const keys = {
    " ": () => clock.toggle(),
    ArrowLeft: (e) => stepBy(e.shiftKey ? -10 : -1),
    ArrowRight: (e) => stepBy(e.shiftKey ? 10 : 1),
    ArrowUp: () => faster(1),
    ArrowDown: () => faster(-1),
    Home: () => clock.set(clock.start),
    End: () => clock.set(clock.end),
  };
  hearKeys(keys);
  return h("div", { class: "transport" }, play, slider, readout, speed);
}

/** Lets the keys do what `keys` says, but where somebody chooses or writes. */
export function hearKeys(keys) {
  document.addEventListener("keydown", (e) => {
    const act = keys[e.key];
    const busy = /^(SELECT|TEXTAREA)$/.test(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey;
    if (!act || busy) return;
    if (e.target.tagName === "BUTTON" && e.key === " ") return;
    if (e.target.classList.contains("number") && e.key.startsWith("Arrow")) return; // a slider's own
    e.preventDefault();
    act(e);
  });
}
