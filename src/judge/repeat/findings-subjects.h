/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the rules share that programs of the kit decide: which cells speak, and how far apart the
 * counts of two of them lie. */
#pragma once

#include "judge/repeat/findings.h"

repeat_rule rule_opcodes;     /* M2 */
repeat_rule rule_stack;       /* M5 */
repeat_rule rule_faults;      /* M6 */
repeat_rule rule_interrupts;  /* M7 */
repeat_rule rule_repetitions; /* M8 */
repeat_rule rule_rounding;    /* M9 */
repeat_rule rule_tool_layout; /* M10 */

/* Tools that execute programs their own way; ends with NULL. */
extern const char *const repeat_tools[];

/* The next program (from *index on) that is this subject; NULL: no more. *index is then its own. */
const struct repeat_program *subject_next(const struct repeat_case *file, const char *name,
                                          size_t *index);
/* N of "subject:NAME N"; 0: it has none. */
uint64_t subject_n(const struct repeat_program *program);

/* The cell of this program by this source under as many controls as there are, neither swept nor
 * watched, with an event of user instructions; NULL: none that ended. *event is that. */
const struct repeat_cell *controlled_cell(const struct repeat_case *file, size_t machine,
                                          size_t program, const char *source, uint32_t *event);
/* The same on the CPU itself: by its counter, or stepped. */
const struct repeat_cell *cpu_cell(const struct repeat_case *file, size_t machine, size_t program,
                                   uint32_t *event);

/* How much more one cell counts than another: means, with a 95 % interval. Whole counts leave half
 * of one open. known: both have at least two runs. */
struct apart {
    bool known;
    double from, to; /* means */
    double events, low, high;
    double percent, percent_low, percent_high; /* of from */
    bool differs;                              /* by at least a count, beyond chance */
};
/* What the paper saw without any control, in percent: a smaller difference would not matter, and a
 * larger one that may be there decides nothing. */
#define APART_DECIDES 1.07
bool apart_is_none(const struct apart *apart); /* no difference of that size, for certain */
/* -ENOMEM */
int apart_of(const struct repeat_cell *from, uint32_t from_event, const struct repeat_cell *to,
             uint32_t to_event, struct apart *apart);

/* The same of two counts of each run: moments of what the second has more, from a mean. */
struct moments;
void apart_paired(const struct moments *more, size_t runs, double from, struct apart *apart);

/* Did every execution have to be ended because its time was over? */
bool never_ended(const struct repeat_cell *cell);
/* The largest of those that were found, by what lies between. */
bool apart_larger(const struct apart *one, const struct apart *other);
void apart_report(const struct apart *apart, enum finding_verdict verdict, struct finding *finding);
