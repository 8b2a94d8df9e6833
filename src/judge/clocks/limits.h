/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From where on the judge of clocks says that something is wrong. All of it is ours, and
 * docs/clocks.md repeats it. */
#pragma once

/* An interval is wrong when it is off by more than its bound and this share of its length. */
#define CLOCKS_INTERVAL_PPM 500.0
/* A rate is wrong beyond this, on either side of the claim. */
#define CLOCKS_RATE_PPM 100.0
/* What the operating system may add to a clock that it steers. */
#define CLOCKS_MOST_STEERING_PPM 500.0
/* A clock is coarse when it does not tell this long an interval to 1 %. */
#define CLOCKS_COARSE_NS (20e6 * 0.01)
/* CPUs disagree from here on. Smaller ones can come from readings that a CPU takes early. */
#define CLOCKS_OFFSET_NS 250.0
/* A clock that shows less than this part of a sleep stops during it. */
#define CLOCKS_STOPPED_RATIO 0.98
/* A machine was suspended where the clock that counts suspension gained so much on one that does
 * not. */
#define CLOCKS_SUSPENDED_NS 1e6
/* When more of all readings than this went back, the clock scatters rather than steps. */
#define CLOCKS_SCATTERED_SHARE 0.1
/* CPU time and cycles are right over computation within this part. */
#define CLOCKS_CPU_TIME_SHARE 0.01
/* Two clocks are one counter only where two oscillators would have had to agree to this, ppb. */
#define CLOCKS_SAME_PPB 100.0
