// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
// One scale of colours, from pale wood to dark red, and the colours of charts and of things without a channel.

const STOPS = [[238, 222, 190], [229, 182, 118], [212, 126, 66], [178, 66, 52], [112, 28, 58]];

/** Colour at share 0..1 of the scale, as three numbers 0..1 (sRGB). */
export function scale(share, out = [0, 0, 0]) {
  const s = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0)) * (STOPS.length - 1);
  const k = Math.min(STOPS.length - 2, Math.floor(s));
  for (let c = 0; c < 3; c++) out[c] = (STOPS[k][c] + (s - k) * (STOPS[k + 1][c] - STOPS[k][c])) / 255;
  return out;
}

export const gradient = `linear-gradient(to right, ${STOPS.map((c) => `rgb(${c})`).join(", ")})`;

/** Wood: the same shade each time for the same index. */
export function wood(index, out = [0, 0, 0]) {
  const h = ((index * 2654435761) >>> 0) / 4294967296;
  const k = ((index * 40503 + 7) % 97) / 97;
  out[0] = 0.80 + 0.10 * h - 0.05 * k;
  out[1] = 0.62 + 0.11 * h - 0.04 * k;
  out[2] = 0.42 + 0.11 * h;
  return out;
}

/** Colours of chart lines; readable on light and on dark. */
export const LINES = ["#c8643c", "#3f7fb5", "#5b9a57", "#a05fa8", "#c79a2b", "#3fa39b", "#b8556f", "#7a7f88"];
export const lineColour = (k) => LINES[k % LINES.length];

/** The range of a channel: as given, else 0 (or the least value below it) to the 99.5th percentile. */
export function rangeOf(channel, quantile) {
  if (channel.range) return channel.range;
  const low = Math.min(0, quantile(channel.values, 0));
  let high = quantile(channel.values, 0.995);
  if (!(high > low)) high = quantile(channel.values, 1);
  return [low, high > low ? high : low + 1];
}
