/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judge: every event by itself, then all of them against one another. */
#include <string.h>

#include "base/memory.h"
#include "studies/validate/judge.h"

/* ----------------------------------------------------------------------------------------------
 * The case file in memory. */

struct point *evidence_add_point(struct evidence *evidence)
{
    struct point *point = memory_add(evidence->points, evidence->point_count);
    point->cpu = -1;
    point->faults = -1;
    point->switches = -1;
    return point;
}

const struct trait *point_trait(const struct point *point, enum trait_kind kind, const char *name)
{
    for (size_t i = 0; i < point->trait_count; i++)
        if (point->traits[i].kind == kind && strcmp(point->traits[i].name, name) == 0)
            return &point->traits[i];
    return NULL;
}

bool point_same_way(const struct point *left, const struct point *right)
{
    return strcmp(left->path, right->path) == 0 && left->pattern == right->pattern &&
           strcmp(left->opt, right->opt) == 0 && strcmp(left->link, right->link) == 0 &&
           left->counters == right->counters && left->cpu == right->cpu &&
           strcmp(left->core, right->core) == 0;
}

/* ----------------------------------------------------------------------------------------------
 * The words for verdicts and causes, the same in tables, JSON and docs. */

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

/* ----------------------------------------------------------------------------------------------
 * What an event's name and kind say of it: its mode, and whether the processor counts it. */

#define MODE_LETTERS "ukhGHIDe"

size_t event_base(const char *event, const char **mode)
{
    const char *colon = strrchr(event, ':'), *slash = strrchr(event, '/');
    const char *last = !colon || (slash && slash > colon) ? slash : colon;
    *mode = "";
    if (!last || !last[1] || last[1 + strspn(last + 1, MODE_LETTERS)])
        return strlen(event);
    *mode = last + 1;
    /* The slash belongs to the name, a colon does not. */
    return (size_t)(last - event) + (*last == '/');
}

bool event_same_base(const char *left, const char *right)
{
    const char *mode;
    size_t length = event_base(left, &mode);
    return length == event_base(right, &mode) && strncmp(left, right, length) == 0;
}

bool kind_is_of_cpu(const char *kind)
{
    static const char *const kinds[] = {"hardware", "cache", "pmu", "raw", "pfm", "papi"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

struct judgements judge_case(const struct case_file *file)
{
    struct judgements judgements = {.list = memory_new(file->event_count, sizeof(*judgements.list)),
                                    .count = file->event_count};
    for (size_t i = 0; i < file->event_count; i++) {
        struct judgement *judgement = &judgements.list[i];
        judge_event(&file->events[i], judgement);
        judgements.runs += judgement->runs;
        judgements.disturbed += judgement->disturbed;
        for (size_t j = 0; j < judgement->row_count; j++)
            *memory_add(judgements.rows, judgements.row_count) = &judgement->rows[j];
    }
    relate_events(file, &judgements);
    return judgements;
}
