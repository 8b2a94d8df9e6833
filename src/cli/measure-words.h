/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The summary of a cell in words. */
#pragma once

#include "base/text.h"
#include "study/measure.h"

/* "1,000 in 100 of 100 runs" or "2,431 ns [2,381 … 2,990]"; class may be NULL. */
void measure_counted(const struct summary *summary, const char *class, struct text *out);
/* Further counters of the same event in the same cell, taken together. */
struct copies {
    uint32_t counters;
    size_t runs, unscheduled; /* of all of them */
    uint64_t min, max;        /* of the runs that got a counter */
};
void copies_add(struct copies *copies, const struct summary *summary);
/* Appends what they read, where that is not what `first` says too. */
void copies_sentence(const struct copies *copies, const struct summary *first, struct text *out);

/* What to make of it, in a sentence without a full stop: "exact in every run". event is the name,
 * for remarks about its mode; why_no_truth explains an unknown truth. */
void measure_sentence(const struct summary *summary, const char *event, const char *why_no_truth,
                      struct text *out);
