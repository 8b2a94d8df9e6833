/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Predictions: what the probe's catalogue says a specimen makes of an event. The controller knows
 * no specimen by itself. */
#pragma once

#include "engine/session.h"
#include "study/measure.h"

/* An event that opens here. */
struct counted_event {
    char *name, *kind;
    char *class; /* NULL: none known */
};

/* The truth of an event's class for a specimen and N. Unknown: why says the reason. grade is a
 * string of the catalogue. */
struct maybe predict(const struct catalogue *catalogue, const struct counted_event *event,
                     const char *specimen, uint64_t n, const char **grade);
/* The class's count whatever the event: for what the operating system accounts. */
struct maybe predict_class(const struct catalogue *catalogue, const char *class,
                           const char *specimen, uint64_t n, const char **grade);
/* The limits of a bounded truth for an event; *why says why no more is known (a string of the
 * catalogue). */
struct limits predict_limits(const struct catalogue *catalogue, const struct counted_event *event,
                             const char *specimen, uint64_t n, const char **why);
/* The specimen that exercises an event: the first whose count of its class grows with N. */
const char *predict_specimen(const struct catalogue *catalogue, const struct counted_event *event);
