/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judge: every event by itself, then all of them against one another. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies/validate/judge.h"
#include "studies/validate/study.h"

/* ----------------------------------------------------------------------------------------------
 * The case file in memory. */

/* One more element, zeroed; the list doubles at powers of two. NULL when out of memory. */
static void *append(void *list_pointer, size_t *count, size_t size)
{
    void **list = list_pointer;
    if ((*count & (*count - 1)) == 0) {
        void *grown = reallocarray(*list, *count ? 2 * *count : 1, size);
        if (!grown)
            return NULL;
        *list = grown;
    }
    void *element = (char *)*list + *count * size;
    memset(element, 0, size);
    (*count)++;
    return element;
}

struct evidence *case_add_event(struct case_file *file)
{
    return append(&file->events, &file->event_count, sizeof(*file->events));
}

struct point *evidence_add_point(struct evidence *evidence)
{
    struct point *point =
        append(&evidence->points, &evidence->point_count, sizeof(*evidence->points));
    if (point) {
        point->cpu = -1;
        point->faults = -1;
        point->switches = -1;
    }
    return point;
}

struct trait *point_add_trait(struct point *point)
{
    return append(&point->traits, &point->trait_count, sizeof(*point->traits));
}

struct evidence_run *point_add_runs(struct point *point, size_t count)
{
    struct evidence_run *grown =
        reallocarray(point->runs, point->run_count + count, sizeof(*grown));
    if (!grown)
        return NULL;
    point->runs = grown;
    memset(grown + point->run_count, 0, count * sizeof(*grown));
    return grown + point->run_count;
}

static void release_point(struct point *point)
{
    for (size_t i = 0; i < point->trait_count; i++)
        free(point->traits[i].name);
    free(point->traits);
    free(point->runs);
    free(point->specimen);
    free(point->path);
    free(point->opt);
    free(point->link);
    free(point->core);
    free(point->failure_reason);
}

void case_release(struct case_file *file)
{
    for (size_t i = 0; i < file->event_count; i++) {
        struct evidence *evidence = &file->events[i];
        for (size_t j = 0; j < evidence->point_count; j++)
            release_point(&evidence->points[j]);
        free(evidence->points);
        free(evidence->event);
        free(evidence->kind);
        free(evidence->class);
        free(evidence->reason);
    }
    free(file->events);
    *file = (struct case_file){0};
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

bool is_hardware(const struct evidence *evidence)
{
    static const char *const kinds[] = {"hardware", "cache", "pmu", "raw", "pfm", "papi"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(evidence->kind, kinds[i]) == 0)
            return true;
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * The judge: every event by itself, then all of them against one another. */

int judge_case(const struct case_file *file, uint64_t seed, struct judgements *judgements)
{
    *judgements = (struct judgements){0};
    if (file->event_count == 0)
        return 0;
    judgements->list = calloc(file->event_count, sizeof(*judgements->list));
    if (!judgements->list)
        return -ENOMEM;
    for (size_t i = 0; i < file->event_count; i++) {
        judgements->count++;
        int error = judge_event(&file->events[i], seed, &judgements->list[i]);
        if (error < 0) {
            judgements_release(judgements);
            return error;
        }
    }
    relate_events(file, judgements);
    return 0;
}

void judgements_release(struct judgements *judgements)
{
    for (size_t i = 0; i < judgements->count; i++) {
        struct judgement *judgement = &judgements->list[i];
        for (size_t j = 0; j < judgement->row_count; j++)
            free(judgement->rows[j].points);
        free(judgement->rows);
    }
    free(judgements->list);
    *judgements = (struct judgements){0};
}
