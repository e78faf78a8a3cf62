// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// Reads the page's data block. The format is described in ../README.md.

const KINDS = { f32: Float32Array, f64: Float64Array, u32: Uint32Array };

/** A list of numbers: a plain list (null: no value), or {"f32" | "f64" | "u32": base64, little-endian}. */
export function numbers(value) {
  if (value == null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return Float64Array.from(value, (x) => (x == null ? NaN : x));
  for (const [kind, Type] of Object.entries(KINDS)) {
    if (typeof value[kind] === "string") return new Type(bytes(value[kind]).buffer);
  }
  throw new Error("the page's data holds a list of an unknown kind");
}

function bytes(base64) {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
  return out;
}

/** Rows of numbers that were rounded, told as differences and compressed (src/bind/squeeze.c). */
async function unsqueezed({ squeezed, columns, steps }) {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old for a recording as long as this one");
  const stream = new Blob([bytes(squeezed)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const told = new Uint8Array(await new Response(stream).arrayBuffer());
  let rows = 0, at = 0; // rows: numbers end where the eighth bit is not set; a column begins with one byte more
  for (let i = 0; i < told.length; i++) if (told[i] < 128) rows++;
  rows = rows / columns - 1;
  demand(Number.isInteger(rows) && rows >= 0, "compressed numbers are no whole columns");
  const out = new Float32Array(rows * columns);
  for (let c = 0; c < columns; c++) {
    const order = told[at++], step = steps[c % steps.length];
    let a = 0, b = 0, d = 0; // the three numbers before
    for (let k = 0; k < rows; k++) {
      let x = told[at++];
      if (x > 127) {
        x &= 127;
        for (let weight = 128, more = true; more; weight *= 128) {
          more = told[at] > 127;
          x += (told[at++] & 127) * weight;
        }
      }
      let now = 0;
      if (x === 0) out[k * columns + c] = NaN;
      else {
        const expected = order === 0 ? 0 : order === 1 ? a : order === 2 ? 2 * a - b : 3 * a - 3 * b + d;
        now = expected + (x % 2 === 1 ? (x - 1) / 2 : -x / 2);
        out[k * columns + c] = now * step;
      }
      d = b;
      b = a;
      a = now;
    }
  }
  return out;
}

/** Puts the numbers in place of what is compressed, wherever it is. */
async function unpack(value) {
  if (value === null || typeof value !== "object") return value;
  if (typeof value.squeezed === "string") return unsqueezed(value);
  for (const key of Object.keys(value)) {
    const part = value[key];
    if (part && typeof part === "object" && key !== "bodies") value[key] = await unpack(part);
  }
  return value;
}

function demand(condition, sentence) {
  if (!condition) throw new Error(`the page's data is not whole: ${sentence}`);
}

function readChart(chart, k) {
  const x = numbers(chart.x);
  const series = (chart.series || []).map((s) => ({ name: s.name, y: numbers(s.y) }));
  for (const s of series) {
    demand(s.y && x && s.y.length === x.length, `chart ${k + 1}, series "${s.name}" and its x differ in length`);
  }
  const shown = new Set(chart.shown || series.slice(0, 8).map((s) => s.name));
  return { ...chart, x, series, shown };
}

function readBars(scene, frames) {
  const n = scene.bars.length;
  const heights = numbers(scene.heights);
  demand(heights.length === frames * n, "heights do not match the frames and bars");
  const forces = numbers(scene.forces);
  const contacts = forces ? forces.length / frames : 0;
  demand(!forces || contacts === n || contacts === n + 1, "forces do not match the frames and bars");
  return { ...scene, heights, forces, contacts };
}

function readWorld(scene, frames) {
  const n = scene.bodies.length;
  const stride = scene.planar ? 3 : 7;
  const poses = numbers(scene.poses);
  demand(poses.length === frames * n * stride, "poses do not match the frames and bodies");
  const channels = (scene.channels || []).map((c) => {
    const values = numbers(c.values);
    demand(values.length === n || values.length === n * frames, `channel "${c.name}" does not match the bodies`);
    return { ...c, values, moving: frames > 1 && values.length === n * frames };
  });
  const contacts = scene.contacts
    ? { ...scene.contacts, offsets: numbers(scene.contacts.offsets), values: numbers(scene.contacts.values), every: scene.contacts.every || 1 } : null;
  const connections = scene.connections || [];
  for (const c of connections) demand(c.a >= 0 && c.a <= n && c.b >= 0 && c.b <= n, `a ${c.kind} joins bodies that are not there`);
  return { ...scene, poses, stride, channels, contacts, connections };
}

/** A scene, its lists decoded. */
export async function readScene(scene) {
  for (const key of ["poses", "channels", "contacts"]) scene[key] = await unpack(scene[key]);
  const time = numbers(scene.time);
  demand(time && time.length > 0, "the scene has no frames");
  return { ...(scene.kind === "bars" ? readBars : readWorld)(scene, time.length), time };
}

/** The report of a page, its lists decoded; throws with a sentence where it cannot be read. */
export async function readReport(text) {
  const report = JSON.parse(text);
  demand(report && report.format === "delassus.report", "no report was written into it");
  demand(report.version === 1, `its version is ${report.version}, this page reads 1`);
  let scene = null;
  if (report.scene) {
    scene = await readScene(report.scene);
  }
  return {
    live: Boolean(report.live), title: report.title || "delassus", subtitle: report.subtitle || "", text: report.text || [],
    numbers: report.numbers || [], tables: report.tables || [],
    charts: (report.charts || []).map(readChart), scene,
  };
}

/** Index of the last entry of rising `list` that is <= value, at least 0. */
export function below(list, value) {
  let low = 0, high = list.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list[middle] <= value) low = middle; else high = middle - 1;
  }
  return low;
}

/** The frame at or before t and the way to the next one, 0..1. */
export function frameAt(time, t) {
  const k = below(time, t);
  if (k >= time.length - 1) return [time.length - 1, 0];
  const span = time[k + 1] - time[k];
  return [k, span > 0 ? Math.min(1, Math.max(0, (t - time[k]) / span)) : 0];
}

/** The p-quantile (0..1) of the finite entries, by rank; 0 where there is none. */
export function quantile(list, p) {
  const step = Math.max(1, Math.floor(list.length / 200000));
  const finite = [];
  for (let i = 0; i < list.length; i += step) if (Number.isFinite(list[i])) finite.push(list[i]);
  finite.sort((a, b) => a - b);
  return finite.length ? finite[Math.min(finite.length - 1, Math.ceil(p * finite.length))] : 0;
}
