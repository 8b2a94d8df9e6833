/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is said of a term that the regression found: a sentence with its size. */
#include <math.h>

#include "judge/explain-candidates.h"
#include "judge/note.h"

/* Was any null cell measured? */
static bool has_null(const struct errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        if (errors->points[i].judged->has_overhead)
            return true;
    return false;
}

void say_term(struct explaining *explaining, const struct candidate *candidate,
              const struct explanation *found, const char *alike)
{
    double size = found->size, low = found->low, high = found->high;
    const char *verb = size < 0 ? "Lacks" : "Adds";
    if (size < 0 && candidate->kind != CANDIDATE_TRUTH) {
        size = -found->size;
        low = -found->high;
        high = -found->low;
    }
    switch (candidate->kind) {
    case CANDIDATE_TRUTH:
        explaining_add(explaining, found, "Counts by a factor of %.4f [%.4f, %.4f]%s.", 1 + size,
                       1 + low, 1 + high, alike);
        break;
    case CANDIDATE_CONSTANT:
        explaining_add(explaining, found, "%s %s in every run [%s, %s]%s%s.", verb, FIGURE(size),
                       FIGURE(low), FIGURE(high),
                       has_null(&explaining->errors) ? ", beyond the overhead of the null" : "",
                       alike);
        break;
    case CANDIDATE_OPCODE:
        /* Next to nothing is nothing: no "-2.2e-05 instead of 1". */
        explaining_add(explaining, found,
                       "Counts %s as %.4g instead of 1 each (%s %.4g [%.4g, %.4g])%s.", found->per,
                       fabs(1 + found->size) < 5e-4 ? 0 : 1 + found->size,
                       found->size < 0 ? "lacks" : "adds", size, low, high, alike);
        break;
    case CANDIDATE_CLASS:
        explaining_add(explaining, found, "%s %s for each of its %s [%s, %s]%s.", verb,
                       ROUNDED(size, 4), found->per, ROUNDED(low, 4), ROUNDED(high, 4), alike);
        break;
    case CANDIDATE_SYSCALLS:
        explaining_add(explaining, found, "%s %s for each system call [%s, %s]%s%s.", verb,
                       ROUNDED(size, 4), ROUNDED(low, 4), ROUNDED(high, 4),
                       found->cause == CAUSE_KERNEL_LEAK ? ": what the operating system executes "
                                                           "is counted although it is excluded"
                       : size < 3 ? ": how this CPU counts the border between both modes"
                                  : "",
                       alike);
        break;
    case CANDIDATE_TIME:
        explaining_add(explaining, found, "%s %s for each second [%s, %s]%s%s.", verb,
                       ROUNDED(size, 4), ROUNDED(low, 4), ROUNDED(high, 4),
                       found->cause == CAUSE_INTERRUPT_OVERCOUNT ? ", as often as ticks come" : "",
                       alike);
        break;
    default:
        explaining_add(explaining, found, "%s %s for each %s [%s, %s]%s%s.", verb, ROUNDED(size, 4),
                       found->per, ROUNDED(low, 4), ROUNDED(high, 4),
                       found->cause == CAUSE_KERNEL_LEAK ? ": the handler is counted although the "
                                                           "operating system is excluded"
                                                         : "",
                       alike);
    }
}
