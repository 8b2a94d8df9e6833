/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words for verdicts and causes, the same in tables, JSON and docs. */
#include <string.h>

#include "studies/validate/study.h"

const char *const verdict_names[VERDICT_COUNT] = {
    [VERDICT_UNSUPPORTED] = "unsupported",
    [VERDICT_UNSCHEDULED] = "unscheduled",
    [VERDICT_UNJUDGED] = "unjudged",
    [VERDICT_DEAD] = "dead",
    [VERDICT_NOISY] = "noisy",
    [VERDICT_EXACT] = "exact",
    [VERDICT_ACCURATE] = "accurate",
    [VERDICT_BIASED] = "biased",
};

const char *const cause_names[CAUSE_COUNT] = {
    [CAUSE_NONE] = NULL,
    [CAUSE_INTERFACE_OVERHEAD] = "interface-overhead",
    [CAUSE_KERNEL_LEAK] = "kernel-leak",
    [CAUSE_FAULT_OVERCOUNT] = "fault-overcount",
    [CAUSE_INTERRUPT_OVERCOUNT] = "interrupt-overcount",
    [CAUSE_OPCODE_OVERCOUNT] = "opcode-overcount",
    [CAUSE_MULTIPLEXING] = "multiplexing",
    [CAUSE_WRAP] = "wrap",
    [CAUSE_LOST_COUNTS] = "lost-counts",
    [CAUSE_THRESHOLD] = "threshold",
    [CAUSE_OTHER_DEFINITION] = "other-definition",
    [CAUSE_MODE_NOT_APPLICABLE] = "mode-not-applicable",
    [CAUSE_CORE_TYPE] = "core-type",
    [CAUSE_VIRTUALIZED] = "virtualized",
    [CAUSE_PERMISSION] = "permission",
    [CAUSE_UNKNOWN] = "unknown",
};

bool verdict_is_of_counts(enum verdict verdict)
{
    return verdict >= VERDICT_DEAD;
}

unsigned verdict_weight(enum verdict verdict, enum cause cause)
{
    if (verdict_is_of_counts(verdict))
        return 2;
    return verdict != VERDICT_UNJUDGED && cause != CAUSE_PERMISSION;
}

bool verdict_is_trusted(enum verdict verdict)
{
    return verdict == VERDICT_EXACT || verdict == VERDICT_ACCURATE;
}

int verdict_from_name(const char *name)
{
    for (int i = 0; i < VERDICT_COUNT; i++)
        if (strcmp(verdict_names[i], name) == 0)
            return i;
    return -1;
}
