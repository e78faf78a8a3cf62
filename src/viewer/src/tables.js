// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT
import { h, nice } from "./dom.js";

const LIMIT = 12;

/** Key numbers: label, value, unit. */
export function numbersCard(list) {
  if (!list.length) return null;
  return h("section", { class: "card numbers" }, h("dl", {}, list.map(([label, value, unit]) =>
    h("div", {}, h("dt", {}, label), h("dd", {}, nice(value), unit ? h("small", {}, ` ${unit}`) : null)))));
}

/** A table; a long one shows its first rows and a button for the rest. */
export function tableCard(table) {
  const numeric = table.columns.map((_, k) => table.rows.some((row) => typeof row[k] === "number"));
  const line = (row) => h("tr", {}, table.columns.map((_, k) =>
    h("td", { class: numeric[k] ? "num" : null }, nice(row[k] === undefined ? null : row[k]))));
  const body = h("tbody", {}, table.rows.slice(0, LIMIT + 3 >= table.rows.length ? undefined : LIMIT).map(line));
  const card = h("section", { class: "card table" }, table.title ? h("h2", {}, table.title) : null,
    h("div", { class: "wide" }, h("table", {},
      h("thead", {}, h("tr", {}, table.columns.map((c, k) => h("th", { class: numeric[k] ? "num" : null }, c)))), body)));
  const hidden = table.rows.length - body.childElementCount;
  if (hidden > 0) {
    card.append(h("button", { type: "button", class: "rest", onclick: (e) => {
      body.append(...table.rows.slice(body.childElementCount).map(line));
      e.target.remove();
    } }, `Show all ${table.rows.length} rows`));
  }
  if (table.note) card.append(h("p", { class: "note" }, table.note));
  return card;
}
