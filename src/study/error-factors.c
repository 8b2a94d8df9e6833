/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a stored cell to the factors of a cell of the case: what its event's name says, what is
 * known of its truth, where its specimen was placed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/loading.h"
#include "study/error-loading.h"
#include "study/mode.h"

/* Offsets in a page; none is as large. */
#define OFFSET_MOST 65536

int64_t error_clamp(uint64_t value)
{
    int64_t count = (int64_t)value; /* differences over a window wrap below zero */
    if (count > ERROR_FURTHEST)
        return ERROR_FURTHEST;
    return count < -ERROR_FURTHEST ? -ERROR_FURTHEST : count;
}

static bool is_source(const char *kind, const char *event)
{
    return strcmp(kind, "source") == 0 || (!*kind && strncmp(event, "step/", 5) == 0);
}

/* --- event --- */

static char *base_of(const char *event, const char *kind)
{
    const char *mode = event_mode(event);
    const char *from = event;
    size_t length = strlen(event);
    if (is_source(kind, event)) {
        const char *slash = strchr(event, '/');
        from = slash ? slash + 1 : event;
        return strndup(from, strcspn(from, "/"));
    }
    if (mode) /* a slash before it belongs to the name, a colon does not */
        length = (size_t)(mode - event) - (mode[-1] == ':');
    return strndup(from, length);
}

/* The time-stamp counter is behind a PMU of its own, which knows no modes. */
static bool is_processor_event(const char *kind, const char *event)
{
    return event_counts_beyond_specimen(kind, event) && strncmp(event, "msr/", 4) != 0;
}

static enum count_mode mode_of(const char *event, const char *kind)
{
    const char *mode = event_mode(event);
    bool user = mode && strchr(mode, 'u'), kernel = mode && strpbrk(mode, "kh");
    if (is_source(kind, event)) /* what executes code sees its user mode alone; clocks see all */
        return strncmp(event, "clock/", 6) == 0 ? COUNT_ANY : COUNT_USER;
    if (user || kernel)
        return user && kernel ? COUNT_BOTH : user ? COUNT_USER : COUNT_KERNEL;
    return is_processor_event(kind, event) ? COUNT_BOTH : COUNT_ANY;
}

/* "" when all further ones are the first again. NULL: out of memory. */
static char *others_of(const struct cell *cell)
{
    struct text others = {0};
    bool same = true;
    text_puts(&others, "");
    for (uint32_t i = 1; i < cell->counters; i++)
        same = same && strcmp(cell->events[i], cell->events[0]) == 0;
    for (uint32_t i = 1; i < cell->counters && !same; i++)
        text_printf(&others, "%s%s", i > 1 ? "," : "", cell->events[i]);
    return text_take(&others);
}

/* 0: none of the further counters. */
static uint32_t interrupts_counter(const struct cell *cell)
{
    for (uint32_t i = 1; i < cell->counters; i++)
        if (event_counts_interrupts(cell->events[i]))
            return i;
    return 0;
}

/* --- specimen --- */

/* K of `placed/offset=K/`, -1 where that is not what it says. */
static int64_t offset_of(const char *specimen)
{
    static const char placed[] = "placed/", parameter[] = "offset=";
    if (strncmp(specimen, placed, sizeof(placed) - 1) != 0)
        return -1;
    const char *at = specimen + sizeof(placed) - 1;
    while (*at && strncmp(at, parameter, sizeof(parameter) - 1) != 0) {
        at += strcspn(at, ",");
        at += *at == ',';
    }
    if (!*at)
        return -1;
    at += sizeof(parameter) - 1;
    char *end;
    errno = 0;
    unsigned long long offset = strtoull(at, &end, 0);
    bool whole = *at >= '0' && *at <= '9' && !errno && (*end == '/' || *end == ',');
    return whole && offset < OFFSET_MOST ? (int64_t)offset : -1;
}

static void set_truth(struct error_cell *cell, int64_t truth)
{
    cell->has_truth = true;
    cell->truth = error_clamp((uint64_t)truth);
}

/* A number of the class at this N, not limits. */
static bool known_number(const struct known *known, const struct error_cell *cell,
                         const char *class, int64_t *count)
{
    if (!class)
        return false;
    struct truth truth = known_truth(known, cell->specimen, class, cell->n);
    *count = truth.low;
    return truth.grade != TRUTH_NONE && truth.grade != TRUTH_BOUNDED;
}

/* Code that never calls the operating system: whatever is counted there is error. */
static bool stays_in_user_mode(const struct known *known, const struct error_cell *cell)
{
    int64_t calls, faults;
    return known_number(known, cell, "syscalls", &calls) && calls == 0 &&
           known_number(known, cell, "page-faults", &faults) && faults == 0;
}

static void fill_truth(const struct stored_counter *counter, const struct known *known,
                       struct error_cell *cell)
{
    int64_t count;
    bool beyond = event_counts_beyond_specimen(cell->kind, cell->event);
    enum truth_grade grade = grade_from_name(counter->grade);
    bool is_null = strcmp(cell->specimen, "null") == 0;
    if (!is_null && counter->has_truth && grade != TRUTH_NONE && grade != TRUTH_BOUNDED)
        set_truth(cell, counter->truth);
    else if (is_null || (beyond && cell->mode == COUNT_KERNEL && stays_in_user_mode(known, cell)))
        set_truth(cell, 0);
    else if (beyond && !stays_in_user_mode(known, cell))
        return;
    else if (known_number(known, cell, cell->class, &count))
        set_truth(cell, count);
}

/* --- the cell --- */

static bool copy_words(const struct stored_cell *stored, const struct stored_event *event,
                       struct error_cell *cell)
{
    const struct cell *planned = &stored->cell;
    const char *class = event->class ? event->class : stored->counters[0].class;
    const char *reason = !stored->failed  ? NULL
                         : stored->reason ? stored->reason
                                          : strerror(stored->error);
    cell->base = base_of(planned->events[0], event->kind);
    cell->others = others_of(planned);
    return cell->base && cell->others && copy_if_any(&cell->event, planned->events[0]) &&
           copy_if_any(&cell->kind, event->kind) && copy_if_any(&cell->class, class) &&
           copy_if_any(&cell->path, planned->path) && copy_if_any(&cell->opt, planned->opt) &&
           copy_if_any(&cell->link, planned->link) &&
           copy_if_any(&cell->specimen, planned->specimen) && copy_if_any(&cell->reason, reason);
}

int error_fill_factors(const struct stored_cell *stored, const struct stored_event *event,
                       const struct known *known, struct error_cell *cell,
                       struct error_origin *origin)
{
    const struct cell *planned = &stored->cell;
    if (!copy_words(stored, event, cell))
        return -ENOMEM;
    cell->mode = mode_of(cell->event, cell->kind);
    cell->pattern = planned->pattern;
    cell->counters = planned->counters;
    cell->separate = planned->separate;
    cell->offset = offset_of(planned->specimen);
    cell->n = planned->n;
    cell->failed = stored->failed;
    cell->error = stored->failed ? stored->error : 0;
    fill_truth(&stored->counters[0], known, cell);
    *origin = (struct error_origin){.id = planned->id,
                                    .runs = planned->runs,
                                    .counters = planned->counters,
                                    .interrupts = interrupts_counter(planned),
                                    .cpu = planned->cpu,
                                    .faults = {stored->has_faults, stored->faults},
                                    .switches = {stored->has_switches, stored->switches},
                                    .is_null = strcmp(planned->specimen, "null") == 0,
                                    .timed = cell->part == PART_DURATION ||
                                             cell->part == PART_PLACEMENT ||
                                             cell->part == PART_MULTIPLEX};
    return 0;
}
