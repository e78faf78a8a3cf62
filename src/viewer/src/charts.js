// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Charts by uPlot: cards with a legend that reads the values at the replay's time.
import uPlot from "uplot";
import { h, nice, token } from "./dom.js";
import { below } from "./data.js";
import { lineColour } from "./colour.js";

const HEIGHT = 190;

/** Room for the widest number beside the axis, in pixels. */
const besides = (u, values) => Math.max(34, 14 + 6.6 * Math.max(0, ...(values || []).map((v) => v.length)));

function axis(label, size) {
  return {
    label, labelSize: label ? 18 : 0, labelGap: 2, size, gap: 4, font: "11px system-ui, sans-serif",
    labelFont: "11px system-ui, sans-serif", stroke: () => token("--muted"),
    grid: { stroke: () => token("--grid"), width: 1 }, ticks: { stroke: () => token("--grid"), width: 1, size: 4 },
    values: (u, list) => list.map((v) => (v == null ? "" : nice(v))),
  };
}

/** Colours in the order of what is drawn at first, then of the rest: neighbours on the chart differ. */
function colours(chart) {
  const first = chart.series.filter((s) => chart.shown.has(s.name)), rest = chart.series.filter((s) => !chart.shown.has(s.name));
  return new Map([...first, ...rest].map((s, k) => [s.name, lineColour(k)]));
}

/** Whether x falls somewhere: a phase portrait, a path. uPlot finds what is in sight by halves of a rising x. */
const turns = (x) => x.some((v, i) => i > 0 && v < x[i - 1]);

/** Smallest and largest of the numbers of some lists, or null. */
function extent(lists) {
  let low = Infinity, high = -Infinity;
  for (const list of lists) {
    for (const v of list) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  return low <= high ? [low, high] : null;
}

/** The line through the points of series k in their order, with holes where there is no value; or its dots. */
function trace(chart, dots) {
  return (u, k) => {
    const path = new Path2D(), y = u.data[k], size = 2.5 * devicePixelRatio;
    let drawn = false;
    chart.x.forEach((v, i) => {
      if (y[i] == null || Number.isNaN(v)) { drawn = false; return; }
      const px = u.valToPos(v, "x", true), py = u.valToPos(y[i], "y", true);
      if (dots) {
        path.moveTo(px + size, py);
        path.arc(px, py, size, 0, 2 * Math.PI);
      } else if (drawn) path.lineTo(px, py);
      else path.moveTo(px, py);
      drawn = true;
    });
    return dots ? { fill: path } : { stroke: path };
  };
}

function seriesOptions(chart) {
  return chart.series.map((s) => {
    const colour = chart.colours.get(s.name);
    const options = { label: s.name, show: chart.shown.has(s.name), stroke: colour, width: 1.5, points: { show: false },
      pxAlign: chart.style === "bars" ? 1 : 0 };
    if (chart.free) {
      const dots = chart.style === "points";
      options.paths = trace(chart, dots);
      if (dots) {
        options.fill = colour;
        options.width = 0;
      }
    } else if (chart.style === "bars") {
      options.paths = uPlot.paths.bars({ size: [0.85, 60], gap: 1 });
      options.fill = `${colour}b0`;
      options.width = 0;
    } else if (chart.style === "steps") options.paths = uPlot.paths.stepped({ align: 1 });
    else if (chart.style === "points") {
      options.paths = () => null;
      options.points = { show: true, size: 5, fill: colour, width: 0 };
    }
    return options;
  });
}

/** Chips that switch series on and off; series beyond the shown ones wait in a list. */
function legend(chart, plot, linked) {
  const values = chart.series.map(() => h("span", { class: "value" }));
  const single = chart.series.length === 1;
  const chips = chart.series.map((s, k) => {
    const chip = h("button", { class: "chip", type: "button", title: single ? s.name : "Show or hide",
      onclick: () => { if (!single) show(k, !chart.shown.has(s.name)); } },
      h("i", { style: `background:${chart.colours.get(s.name)}` }), h("span", {}, s.name), linked ? values[k] : null);
    chip.hidden = !chart.shown.has(s.name) && chart.series.length > 8;
    chip.classList.toggle("off", !chart.shown.has(s.name));
    return chip;
  });
  function show(k, on) {
    const name = chart.series[k].name;
    if (on) chart.shown.add(name); else chart.shown.delete(name);
    chips[k].classList.toggle("off", !on);
    if (on) chips[k].hidden = false;
    plot.setSeries(k + 1, { show: on });
  }
  const bar = h("div", { class: "legend" }, chips);
  if (chart.series.length > 8) {
    const rest = chart.series.map((s, k) => h("option", { value: k }, s.name));
    bar.append(h("select", { class: "more", "aria-label": "show another series",
      onchange: (e) => { show(Number(e.target.value), true); e.target.value = ""; e.target.blur(); } },
      h("option", { value: "" }, "add\u2026"), rest));
  }
  return { bar, read: (i) => chart.series.forEach((s, k) => { values[k].textContent = nice(s.y[i], 3); }) };
}

function scrubbing(plot, clock) {
  const over = plot.over;
  const move = (e) => clock.set(plot.posToVal(e.clientX - over.getBoundingClientRect().left, "x"));
  over.addEventListener("pointerdown", (e) => {
    if (e.shiftKey || e.button !== 0) return;
    over.setPointerCapture(e.pointerId);
    clock.pause();
    move(e);
    over.addEventListener("pointermove", move);
    over.addEventListener("pointerup", () => over.removeEventListener("pointermove", move), { once: true });
  });
}

function xRange(chart, clock) {
  const x = chart.x;
  const linked = chart.linked && clock;
  let [low, high] = chart.free ? extent([x]) : [x[0], x[x.length - 1]];
  if (chart.free) {
    const margin = 0.04 * (high - low);
    low -= margin;
    high += margin;
  }
  if (chart.style === "bars") {
    const half = x.length > 1 ? (x[1] - x[0]) / 2 : 0.5;
    low -= half;
    high += half;
  }
  if (linked) [low, high] = [Math.min(low, clock.start), Math.max(high, clock.end)];
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

/** How y is scaled: by what is in sight, or, where x turns, by all that is shown. */
function yScale(chart) {
  if (!chart.free) return {};
  return { range: () => {
    const both = extent(chart.series.filter((s) => chart.shown.has(s.name)).map((s) => s.y));
    return both ? uPlot.rangeNum(both[0], both[1], 0.1, true) : [null, null];
  } };
}

/** One card with a chart; null without points. */
export function chartCard(chart, clock) {
  if (!chart.x || chart.x.length === 0 || chart.series.length === 0) return null;
  const linked = Boolean(clock && chart.linked);
  chart.colours = colours(chart);
  chart.free = chart.style !== "bars" && turns(chart.x);
  const holder = h("div", { class: "plot" });
  const card = h("section", { class: "card chart" }, h("h2", {}, chart.title || ""));
  let range = xRange(chart, clock);
  const wide = axis(chart.y_label, besides);
  const data = [chart.x, ...chart.series.map((s) => Array.from(s.y, (v) => (Number.isNaN(v) ? null : v)))];
  const line = h("div", { class: "now" });
  let keys = null;
  const plot = new uPlot({
    width: 400, height: HEIGHT, legend: { show: false }, padding: [8, 8, 0, 0],
    scales: { x: { time: false, range: (u, lo, hi) => (u.zoomed ? [lo, hi] : range) }, y: yScale(chart) },
    axes: [axis(chart.x_label, chart.x_label ? 26 : 30), wide], series: [{}, ...seriesOptions(chart)],
    cursor: { y: false, points: { show: !chart.free, size: 6 }, drag: { x: true, y: false, setScale: false },
      bind: { mousedown: (u, t, handle) => (e) => { if (e.shiftKey) handle(e); return null; }, dblclick: () => () => null } },
    hooks: { setSelect: [(u) => { if (u.select.width > 4) zoom(u); }], draw: [() => place()] },
  }, data, holder);
  function zoom(u) {
    const a = u.posToVal(u.select.left, "x"), b = u.posToVal(u.select.left + u.select.width, "x");
    u.zoomed = true;
    u.setScale("x", { min: a, max: b });
    u.setSelect({ width: 0, height: 0 }, false);
  }
  plot.over.addEventListener("dblclick", () => { plot.zoomed = false; plot.setScale("x", { min: range[0], max: range[1] }); });
  plot.over.title = linked && !clock.live ? "Drag: time. Shift and drag: zoom. Double click: all." : "Shift and drag: zoom. Double click: all.";
  keys = legend(chart, plot, linked);
  function place() {
    if (!linked || !keys) return;
    const left = plot.valToPos(clock.time, "x");
    line.style.transform = `translateX(${left}px)`;
    line.hidden = !(left >= -1 && left <= plot.over.clientWidth + 1);
    keys.read(below(chart.x, clock.time));
  }
  if (linked) {
    if (!clock.live) {
      plot.over.append(line);
      scrubbing(plot, clock);
    }
    clock.listen(place);
  }
  card.append(keys.bar, holder);
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.floor(holder.clientWidth);
    if (now < 40 || now === width) return;
    width = now;
    plot.setSize({ width, height: HEIGHT });
    place();
  }).observe(holder);
  /** Other numbers: x, and a list a series. */
  function feed(x, lists) {
    chart.x = x;
    chart.series.forEach((s, k) => { s.y = lists[k]; });
    range = xRange(chart, null);
    plot.setData([x, ...lists.map((list) => list.map((v) => (Number.isNaN(v) ? null : v)))]);
    place();
  }
  return { card, feed, redraw: () => plot.redraw(false) };
}
