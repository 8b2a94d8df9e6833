/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the judge of repetition draws its lines; docs/repeat-judging.md says why each lies there.
 */
#pragma once

/* --- rows: which runs belong together --- */

/* An event that perf_event counted for a smaller share of the time was extrapolated by nobody, and
 * is set apart. The two times are taken one after the other, hence not 1. */
#define REPEAT_SCHEDULED 0.999
/* An output is the usual one when at least this share of the runs wrote it; where no output is, all
 * of them are kept: then what it writes differs by nature. */
#define REPEAT_USUAL_OUTPUT (2.0 / 3)

/* --- controls --- */

/* Chance that any control is named where none does anything, over all controls of one program. */
#define CONTROLS_LEVEL 0.02
/* Chance that a level is said to have moved where it has not, of one program. */
#define SHIFT_LEVEL 0.01
/* Chance that as-is is said to vary more where it does not. */
#define VARIES_LEVEL 0.01
/* Draws of the permutation tests; the least p they can give is the inverse. */
#define PERMUTATIONS 20000u
/* Draws of resampled intervals, used beside the F distribution from this many runs. */
#define RATIO_DRAWS     1000u
#define RATIO_RESAMPLED 7u
/* A control brings most when it alone takes away this share of what all of them together do. */
#define BRINGS_SHARE 0.5
/* It is needed when without it this share of that comes back: a third of the standard deviation. */
#define NEEDED_SHARE 0.1
/* Shares are also taken without the runs that lie farthest off, one in so many: a stray one must
 * not hide what all others show. */
#define KEPT_TRIMMED 6u
/* Fewer runs than this allow no statement about a control. */
#define CONTROLS_RUNS 4u
/* What is left is said to follow interrupts or faults when they explain this share of it … */
#define FOLLOWS_SHARE 0.5
/* … and chance would not, by this. */
#define FOLLOWS_LEVEL 0.001

/* --- sweeps --- */

/* Points differ when chance within points would hardly do it. */
#define SWEEP_LEVEL 0.001
/* Medians that lie closer than this many standard deviations within points are one level. */
#define SWEEP_SAME_LEVEL 3.0
/* A period is said when points that lie it apart explain this share of the variance … */
#define PERIOD_SHARE 0.9
/* … and there are at least this many of them. */
#define PERIOD_TIMES 2u
/* Powers of two that are tried, bytes. */
#define PERIOD_LEAST 4u
#define PERIOD_MOST  8192u

/* --- findings --- */

/* What the paper reports, in percent. */
#define PAPER_AS_IS      1.07
#define PAPER_CONTROLLED 0.002
/* Machines count the same when their usual counts lie within this of each other, in percent. */
#define PAPER_BETWEEN 0.002
