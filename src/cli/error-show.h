/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of what `assay error` shows, and what they share. Each part is a paragraph or a table
 * with a heading, or one line that says why there is none. */
#pragma once

#include <string.h>

#include "studies/error/parts.h"
#include "machine/check.h"
#include "show/number.h"
#include "show/section.h"

extern const char *const error_part_names[PART_COUNT]; /* "null", "stepped" … */

/* --- JSON --- */
void error_put_spread_json(json_t *object, const struct error_spread *spread);

/* --- what `doctor` says that bears on this study, worst first --- */
struct error_check {
    const struct check *check;
    struct advice advice;
};
/* Bad and warn ones; *list is to be freed. -ENOMEM. */
int error_checks(const struct facts *facts, struct error_check **list, size_t *count);

/* --- words --- */
/* "instructions", "ticks", "ns", "system calls": what an event's counts are counts of. */
const char *error_unit(const char *event, const char *base);
/* The event, "instructions:u (stepped)" where it was counted by execution. */
void error_put_event(const char *event, bool stepped, struct text *out);
/* " on NAME" where there are several machines. */
void error_put_machine(const struct error_case *file, uint32_t machine, struct text *out);
/* Does no run of slopes that are alike deviate, and nothing of them grow? */
typedef bool error_alike(const struct error_slope *left, const struct error_slope *right);
bool error_is_constant(const struct error_report *report, const struct error_slope *like,
                       error_alike *alike);
/* A sentence for an empty part, with the reason for which the plan left out `what`. */
void error_put_nothing(const struct erring *erring, const char *words, const char *what,
                       const struct style *style, struct text *out);
/* Was a counter of the CPU measured at all? Else why it could not be, "" where nobody knows. */
bool error_has_cpu_counter(const struct error_case *file);
/* Is a part that is empty so for want of a counter? One line then says it of all such parts. */
bool error_is_uncounted(const struct erring *erring, bool empty);
/* Why the plan left out what begins with these words; "" where it did not. */
const char *error_skip_reason(const struct erring *erring, const char *what);
const char *error_no_counter_reason(const struct error_case *file);

/* --- parts, in the order in which they are shown --- */
void error_put_measured(const struct erring *erring, const struct style *style, struct text *out);
void error_put_advice(const struct erring *erring, const struct style *style, struct text *out);
void error_put_best(const struct erring *erring, const struct style *style, struct text *out);
void error_put_boxes(const struct erring *erring, const struct style *style, struct text *out);
/* One process a cell leaves nothing to compare with. */
bool error_is_untested(const struct error_anova *anova);
void error_put_factors(const struct erring *erring, const struct style *style, struct text *out);
void error_put_counters(const struct erring *erring, const struct style *style, struct text *out);
void error_put_stepped(const struct erring *erring, const struct style *style, struct text *out);
void error_put_duration(const struct erring *erring, const struct style *style, struct text *out);
void error_put_placement(const struct erring *erring, const struct style *style, struct text *out);
void error_put_multiplex(const struct erring *erring, const struct style *style, struct text *out);
void error_put_tools(const struct erring *erring, const struct style *style, struct text *out);
void error_put_absences(const struct erring *erring, const struct style *style, struct text *out);
