// Copyright (c) 2026 the delassus authors.
// SPDX-License-Identifier: MIT

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** The replay's one clock. Everything that shows a time listens to it. */
export class Clock {
  constructor(start, end) {
    this.start = start;
    this.end = end;
    this.time = start;
    this.playing = false;
    this.speed = Clock.fit(end - start);
    this.listeners = [];
    this.last = null;
  }

  /** Real time where that lasts three seconds or more; else the slow motion that lasts at least eight. */
  static fit(duration) {
    if (!(duration > 0) || duration >= 3) return 1;
    return SPEEDS.filter((s) => s <= duration / 8).pop() || SPEEDS[0];
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  tell() {
    for (const listener of this.listeners) listener(this);
  }

  set(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.tell();
  }

  play() {
    if (this.time >= this.end) this.time = this.start;
    this.playing = this.end > this.start;
    this.last = null;
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
    this.tell();
  }

  pause() {
    this.playing = false;
    this.tell();
  }

  toggle() {
    if (this.playing) this.pause(); else this.play();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.tell();
  }

  tick(now) {
    if (!this.playing) return;
    const elapsed = this.last === null ? 0 : Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    this.time += elapsed * this.speed;
    if (this.time >= this.end) {
      this.time = this.end;
      this.playing = false;
    }
    this.tell();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }
}
