/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The doctor's findings, between judging (doctor.c) and showing them (doctor-show.c). */
#pragma once

#include "machine/check.h"
#include "show/table.h"

struct finding {
    const struct check *check;
    struct advice advice;
};

struct findings {
    struct finding *list; /* in the order of advice: bad, warn, ok, absent */
    size_t count;
};

/* The report for people: the machine, what is amiss with why and fix, the rest in brief, and what
 * to do first. */
void findings_show(const struct findings *findings, const struct facts *facts,
                   const struct style *style, struct text *out);
