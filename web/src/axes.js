// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Axes: from what a figure asks for and what its values are to a scale that can show all of them.
import { number } from "./words.js";

const TICK_WIDTH = 64;
const CLOSEST = 0.65; // of that, between neighbours on a logarithmic axis
const STEPS = [
  [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 2, 3, 5, 7],
  [1, 2, 5],
  [1, 3],
];

/**
 * Options of Plot for an axis over these values. A log axis that meets a zero or less becomes symlog: nothing is left out.
 * @param {{scale: string, zero: boolean}} axis
 * @param {number[]} values
 * @param {number} length in pixels, for the number of ticks
 */
export function axisOf(axis, values, length) {
  let least = Infinity;
  let most = -Infinity;
  let smallest = Infinity; // but zero
  let whole = true; // counts, between which there is nothing
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > most) most = value;
    whole &&= Number.isInteger(value);
    if (value !== 0 && Math.abs(value) < smallest) smallest = Math.abs(value);
  }
  if (least > most) [least, most] = [0, 1];
  if (axis.zero && axis.scale !== "log") [least, most] = [Math.min(0, least), Math.max(0, most)];
  const type = axis.scale === "log" && least <= 0 ? "symlog" : axis.scale;
  const room = Math.max(2, Math.floor(length / TICK_WIDTH));
  if (type === "log") return logarithmic(least, most, room);
  if (type === "symlog") return symmetric(least, most, room, smallest);
  return linear(least, most, room, whole);
}

/** Never beyond zero where no value is: there are no −200 bytes. Few whole values have a tick each, and none between. */
function linear(least, most, room, whole) {
  const gap = most - least || Math.abs(most) || 1;
  const margin = most > least ? gap * 0.04 : gap / 2;
  const low = least >= 0 ? Math.max(0, least - margin) : least - margin;
  const high = most <= 0 && least < 0 ? Math.min(0, most + margin) : most + margin;
  if (!whole || gap >= room) return { type: "linear", domain: [low, high], nice: true, ticks: room, words: tick };
  const domain = [low, least === 0 && most === 0 ? 1 : high];
  const first = Math.ceil(domain[0]);
  return { type: "linear", domain, ticks: Array.from({ length: Math.floor(domain[1]) - first + 1 }, (_, step) => first + step), words: tick };
}

function logarithmic(least, most, room) {
  const low = least === most ? least / 2 : least * Math.pow(least / most, 0.04);
  const high = least === most ? most * 2 : most * Math.pow(most / least, 0.04);
  return { type: "log", domain: [low, high], ticks: decades(low, high, room), words: tick };
}

/** Powers of ten in reach, with steps between where there are few, and some left out where there are many. */
function decades(low, high, room) {
  if (!(low < high)) return [];
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const steps = (multiples) => {
    const found = [];
    for (let power = first; power <= last; power++)
      for (const multiple of multiples) {
        const value = Number(`${multiple}e${power}`);
        if (value >= low && value <= high) found.push(value);
      }
    return found;
  };
  const apart = (value, at, all) => !at || Math.log(value / all[at - 1]) / Math.log(high / low) >= CLOSEST / room;
  for (const multiples of STEPS) {
    const found = steps(multiples);
    if (found.length <= room && found.every(apart)) return found;
  }
  const powers = steps([1]);
  const stride = Math.ceil(powers.length / room);
  return powers.filter((_, at) => at % stride === 0);
}

/** Linear up to a unit, logarithmic beyond; the unit is one, or less where all values are small. */
function symmetric(least, most, room, smallest) {
  const largest = Math.max(-least, most);
  const unit = smallest < 1 ? Math.max(10 ** Math.floor(Math.log10(smallest)), largest / 1e8) : 1;
  const low = least < 0 ? least * 1.2 : least > unit * 10 ? least / 1.2 : 0;
  const high = most > 0 ? most * 1.2 : most < -unit * 10 ? most / 1.2 : 0;
  if (!(low < high)) return { type: "symlog", domain: [-1, 1], constant: 1, ticks: [-1, 0, 1], words: tick };
  const sides = [decades(Math.max(unit, low), high, room), decades(Math.max(unit, -high), -low, room).map((value) => -value)];
  const zero = low <= 0 && high >= 0;
  // Where both sides share the room, every second step goes.
  const thinned = (steps) => (sides[0].length + sides[1].length < room ? steps : steps.filter((_, at) => (steps.length - at) % 2 === 1));
  const place = (value) => Math.sign(value) * Math.log1p(Math.abs(value) / unit);
  const closest = ((place(high) - place(low)) * CLOSEST) / room;
  const nearZero = (value) => zero && Math.abs(place(value)) < closest;
  const ticks = [...sides.flatMap(thinned).filter((value) => !nearZero(value)), ...(zero ? [0] : [])];
  return { type: "symlog", domain: [low, high], constant: unit, ticks, words: tick };
}

const PREFIXES = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** A number beside an axis, short. */
export function tick(value) {
  const size = Math.abs(value);
  if (size >= 10000 && size < 1e15) {
    const [unit, prefix] = PREFIXES.find(([least]) => size >= least);
    return number(value / unit) + prefix;
  }
  return number(value);
}
