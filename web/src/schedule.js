// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// When pictures are drawn: those in sight first, the rest a few milliseconds at a time, so that the page answers meanwhile.

const SLICE = 24; // milliseconds of drawing before the page gets its turn

function distance({ place }) {
  const { top, bottom } = place.getBoundingClientRect();
  return bottom < 0 ? -bottom : Math.max(0, top - window.innerHeight);
}

export class Schedule {
  constructor(pictures) {
    this.pictures = pictures;
    this.waiting = null;
    this.finished = [];
  }

  /** Resolves when nothing is left to draw. */
  all() {
    return new Promise((resolve) => {
      this.finished.push(resolve);
      this.start();
    });
  }

  start() {
    if (this.waiting !== null) return;
    this.waiting = requestAnimationFrame(() => this.slice());
  }

  slice() {
    const begun = performance.now();
    const left = this.pictures.filter((picture) => picture.isStale());
    const nearest = left.map((picture) => ({ picture, away: distance(picture) })).sort((a, b) => a.away - b.away);
    let done = 0;
    for (const { picture } of nearest) {
      picture.draw();
      done++;
      if (performance.now() - begun > SLICE) break;
    }
    this.waiting = null;
    if (done < nearest.length) {
      this.waiting = setTimeout(() => this.slice());
      return;
    }
    for (const resolve of this.finished.splice(0)) resolve();
  }
}
