// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// The page of a running world (`world:view()`): the scene and its frames come through a socket, what is asked for goes back.
import { h, nice } from "./dom.js";
import { readScene } from "./data.js";
import { SPEEDS } from "./clock.js";
import { PAUSE, PLAY, hearKeys, icon, speedName } from "./transport.js";
import { chartCard } from "./charts.js";
import { stage } from "./stage.js";
import { roundStep } from "./grid.js";
import { options, theme } from "./look.js";

const LONG = 20, MOST = 1500; // s and samples in charts
const OFTEN = 120; // ms between drawings of charts

/** The world's clock, as the program tells it. */
class LiveClock {
  constructor(ask) {
    Object.assign(this, { ask, time: 0, start: 0, end: 0, playing: false, speed: 1, rate: 0, live: true, listeners: [] });
  }
  listen(listener) { this.listeners.push(listener); }
  tell() { for (const listener of this.listeners) listener(this); }
  toggle() { this.ask({ ask: this.playing ? "pause" : "play" }); }
  step() { this.ask({ ask: "step" }); }
  setSpeed(speed) { this.ask({ ask: "speed", speed }); }
}

/** Play, step, speed, how fast it really runs; keys. */
function bar(clock) {
  const [svg, shape] = icon(PLAY), readout = h("output", { class: "time" }), rate = h("span", { class: "rate" });
  const play = h("button", { class: "play", type: "button", onclick: () => clock.toggle() }, svg);
  const step = h("button", { class: "quiet step", type: "button", title: "One step (right arrow)", onclick: () => clock.step() }, "step");
  const speed = h("select", { class: "speed", "aria-label": "speed", title: "Speed, in real time",
    onchange: (e) => { clock.setSpeed(Number(e.target.value)); e.target.blur(); } }, SPEEDS.map((s) => h("option", { value: s }, speedName(s))));
  clock.listen(() => {
    shape.setAttribute("d", clock.playing ? PAUSE : PLAY);
    play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    play.title = clock.playing ? "Pause (space)" : "Play (space)";
    readout.textContent = `${clock.time.toFixed(3)} s`;
    speed.value = SPEEDS.includes(clock.speed) ? clock.speed : "";
    const late = clock.playing && clock.rate < 0.9 * clock.speed;
    rate.textContent = !clock.playing ? "stands still" : late ? `${nice(clock.rate, 2)}\u00d7: as fast as it can` : "";
  });
  const faster = (n) => {
    const k = SPEEDS.findIndex((s) => s >= clock.speed * (1 - 1e-9)) + n;
    if (k >= 0 && k < SPEEDS.length) clock.setSpeed(SPEEDS[k]);
  };
  hearKeys({ " ": () => clock.toggle(), ArrowRight: () => clock.step(), ArrowUp: () => faster(1), ArrowDown: () => faster(-1) });
  return h("div", { class: "transport" }, play, step, readout, rate, h("span", { class: "gap" }), speed);
}

/** The sliders that the script declared. */
function slidersCard(ask) {
  const rows = h("div", { class: "rows" }), card = h("section", { class: "card sliders", hidden: true }, h("h2", {}, "Settings"), rows);
  let inputs = [];
  const show = (one, value) => {
    one.input.value = value;
    one.input.style.setProperty("--share", `${(100 * (value - one.min)) / (one.max - one.min)}%`);
    one.output.textContent = `${nice(value)}${one.unit ? ` ${one.unit}` : ""}`;
  };
  return {
    card,
    declare(list) {
      inputs = list.map((s, k) => {
        const one = { ...s, output: h("output") };
        one.input = h("input", { type: "range", class: "scrub number", min: s.min, max: s.max, step: (s.max - s.min) / 1000, "aria-label": s.name,
          onpointerdown: () => { one.moved = true; }, onpointerup: () => { one.moved = false; }, onpointercancel: () => { one.moved = false; },
          oninput: () => { show(one, Number(one.input.value)); ask({ ask: "slider", index: k + 1, value: Number(one.input.value) }); } });
        show(one, s.value);
        return one;
      });
      rows.replaceChildren(...inputs.map((one) => h("label", {}, h("span", {}, one.name), one.input, one.output)));
      card.hidden = inputs.length === 0;
    },
    set: (values) => inputs.forEach((one, k) => { if (!one.moved && k < values.length) show(one, values[k]); }),
  };
}

/** Charts of the last seconds, and numbers of now, of the picture's columns. */
function series(columns, clock, look) {
  const groups = new Map(), numbers = [], times = [], rows = columns.map(() => []);
  columns.forEach((c, k) => {
    if (!c.chart) numbers.push([k, h("dd"), c.label || c.name]);
    else groups.set(c.chart, [...(groups.get(c.chart) || []), k]);
  });
  const speed = h("dd");
  const card = h("section", { class: "card numbers" }, h("dl", {}, numbers.map(([, dd, label]) => h("div", {}, h("dt", {}, label), dd)),
    h("div", {}, h("dt", {}, "world's time in real time"), speed)));
  const charts = [...groups].map(([title, list]) => {
    const unit = columns[list[0]].unit;
    const chart = { title, x_label: "time (s)", y_label: unit ? `${title.replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase())} (${unit})` : "", linked: true, x: [0],
      series: list.map((k) => ({ name: columns[k].label || columns[k].name, y: [0] })), shown: new Set(list.slice(0, 8).map((k) => columns[k].label || columns[k].name)) };
    return { list, made: chartCard(chart, clock) };
  });
  for (const chart of charts) look.listen(chart.made.redraw);
  let drawn = 0;
  return {
    cards: [card, ...charts.map((chart) => chart.made.card)],
    take(time, values) {
      if (time < times[times.length - 1]) for (const list of [times, ...rows]) list.length = 0;
      if (time === times[times.length - 1]) for (const list of [times, ...rows]) list.pop();
      times.push(time);
      values.forEach((v, k) => rows[k] && rows[k].push(v));
      let old = Math.max(0, times.length - MOST);
      while (times[old] < time - LONG) old++;
      if (old > 200 || times.length > 1.2 * MOST) for (const list of [times, ...rows]) list.splice(0, old);
      if (performance.now() - drawn < OFTEN) return;
      drawn = performance.now();
      for (const { list, made } of charts) made.feed(times.slice(), list.map((k) => rows[k].slice()));
      for (const [k, dd] of numbers) dd.textContent = nice(values[k], 3);
      speed.textContent = clock.playing ? `${nice(clock.rate, 2)}\u00d7` : "\u2013";
    },
  };
}

/** The speeds of the bodies, from two frames; the colour's range is a round number that follows them. */
function speeds(scene) {
  const n = scene.bodies.length, d = scene.planar ? 2 : 3;
  const channel = { name: "speed", unit: "m/s", values: new Float32Array(n), range: [0, 1] };
  let last = null, before = 0;
  return {
    channel,
    /** Answers whether the range is another one. */
    take(time, poses) {
      if (last && time > before) {
        let top = 0;
        for (let i = 0; i < n; i++) {
          let sum = 0;
          for (let k = i * scene.stride; k < i * scene.stride + d; k++) sum += (poses[k] - last[k]) ** 2;
          channel.values[i] = Math.sqrt(sum) / (time - before) || 0;
          top = Math.max(top, channel.values[i]);
        }
        const wide = top > channel.range[1] || top < 0.1 * channel.range[1];
        if (wide && top > 1e-3) channel.range = [0, roundStep(1.2 * top, 1)];
        last.set(poses);
        before = time;
        return wide;
      }
      if (!last || time < before) [last, before] = [poses.slice(), time];
      return false;
    },
  };
}

/** The numbers of a frame (lua/delassus/view_scene.lua). */
function readFrame(buffer, scene) {
  const view = new DataView(buffer), d = scene.planar ? 2 : 3;
  const [n, contacts, joints, count] = [4, 16, 20, 24].map((k) => view.getUint32(k, true));
  const at = 28 + 4 * n * scene.stride, behind = at + 8 * d * contacts, each = scene.planar ? 3 : 6, end = behind + 4 * each * joints;
  return { time: view.getFloat64(8, true), n, poses: new Float32Array(buffer, 28, n * scene.stride), contacts,
    forces: new Float32Array(buffer, at, 2 * d * contacts), reactions: new Float32Array(buffer, behind, each * joints),
    series: Array.from({ length: count }, (_, k) => view.getFloat64(end + 8 * k, true)) };
}

export function live(app, report) {
  const ask = options(), look = theme(ask.get("theme"));
  const socket = new WebSocket(`ws://${location.host}/live?token=${ask.get("token")}`);
  const send = (message) => { if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); };
  socket.binaryType = "arraybuffer";
  const clock = new LiveClock(send), sliders = slidersCard(send), transport = bar(clock);
  const main = h("main", { class: "world live" }), side = h("div", { class: "side" }), problem = h("div", { class: "problem", role: "alert", hidden: true });
  const subtitle = h("p", {}, "a running world");
  document.title = report.title;
  app.replaceChildren(h("header", {}, h("div", {}, h("h1", {}, report.title), subtitle), look.button), main);
  let scene = null, serial = -1, card = null, told = null, shown = null, ended = false;

  function complain(text) {
    problem.textContent = text || "";
    problem.hidden = !text;
  }
  const pull = { grab: (body, point) => send({ ask: "grab", serial, body: body + 1, point }), drag: (to) => send({ ask: "drag", to }), release: () => send({ ask: "release" }) };

  async function take(message) {
    const next = await readScene(message.scene), colours = speeds(next);
    Object.assign(next, { live: true, channels: [colours.channel], contacts: { offsets: new Uint32Array(2), values: new Float32Array(0), every: 1 } });
    next.colours = colours;
    const columns = JSON.stringify(message.columns);
    [scene, serial, clock.time] = [next, message.serial, next.time[0]];
    if (!card) {
      card = stage(next, clock, look, transport, ask, pull);
      card.prepend(problem);
      main.append(card, side);
    } else {
      if (!card.drawn) await new Promise(requestAnimationFrame); // the first picture is not drawn yet
      if (card.drawn) card.drawn.swap(next);
    }
    if (columns !== shown) {
      told = series(message.columns, clock, look);
      side.replaceChildren(sliders.card, ...told.cards);
      shown = columns;
    }
    const moving = next.bodies.filter((b) => b.type !== "static").length, joints = next.connections.length;
    subtitle.textContent = `a running world of ${moving} ${moving === 1 ? "body" : "bodies"}${joints ? `, ${joints} connection${joints === 1 ? "" : "s"}` : ""}`;
  }

  function draw(buffer) {
    if (!scene || new DataView(buffer).getUint32(0, true) !== serial) return;
    const frame = readFrame(buffer, scene);
    if (frame.poses.length !== scene.poses.length) return;
    scene.poses.set(frame.poses);
    scene.time[0] = clock.time = frame.time;
    scene.contacts.offsets[1] = frame.contacts;
    scene.contacts.values = frame.forces;
    scene.reactions = frame.reactions;
    if (scene.colours.take(frame.time, frame.poses) && card.drawn) card.drawn.rerange();
    told.take(frame.time, frame.series);
    clock.tell();
  }

  function stand(state) {
    Object.assign(clock, { playing: state.playing, speed: state.speed, rate: state.rate || 0 });
    sliders.set(state.sliders);
    complain(state.problem);
    clock.tell();
  }

  let queue = Promise.resolve(); // scenes take their time; what comes behind them waits
  socket.addEventListener("message", ({ data }) => {
    queue = queue.then(() => {
      if (typeof data !== "string") return draw(data);
      const message = JSON.parse(data);
      return { scene: take, sliders: (m) => sliders.declare(m.list), state: stand }[message.kind](message);
    }).catch((error) => { complain(error.message); throw error; });
  });
  socket.addEventListener("close", ({ code }) => {
    if (ended) return;
    ended = true;
    clock.playing = false;
    document.body.classList.add("ended");
    complain(code === 1001 ? "The view was closed." : "The program has ended.");
    if (!card) app.append(problem);
    clock.tell();
  });
}
