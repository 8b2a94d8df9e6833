/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Opening calipers that trap: when they do, and what else they can count then, which is nothing.
 * Every trap enters the operating system, and that would be in every other count. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/event.h"
#include "events/form.h"
#include "lib/calipers.h"
#include "lib/set.h"

static const char *const classes[] = {"instructions", NULL};
static const struct event_source sources[] = {{.name = "trap", .classes = classes}, {.name = NULL}};

/* What is known of the events before they are opened. */
struct wishes {
    bool trapping[ASSAY_CALIPERS_MOST]; /* are to be counted by trapping */
    bool any;
    char refused[1024]; /* why no counter counts them; "": they were not asked for as counters */
};

static bool may_trap(const struct assay_calipers *calipers)
{
    bool may = calipers->flags & ASSAY_OR_TRAP;
    for (size_t i = 0; i < calipers->count; i++)
        may |= strncmp(calipers->events[i].name, "trap/", 5) == 0;
    return may;
}

static void open_view(struct event_view *view, const struct assay_calipers *calipers)
{
    *view = (struct event_view){.root = "", .tracefs = -1};
    for (size_t i = 0; i < calipers->count && view->tracefs < 0; i++) {
        if (event_form_tracepoint.fits(NULL, calipers->events[i].name))
            event_view_open(view, "");
    }
    view->sources = sources;
}

/* instructions:u, which no counter counts here. */
static bool lacks_counter(const struct event_view *view, const struct event *event,
                          struct wishes *wishes)
{
    if (event->kind != EVENT_HARDWARE || event->attr.config != PERF_COUNT_HW_INSTRUCTIONS ||
        !event->attr.exclude_kernel)
        return false;
    int error = counter_try_open(event);
    if (error < 0)
        event_open_reason(view, event, -error, wishes->refused, sizeof(wishes->refused));
    return error < 0;
}

static int find_wishes(const struct assay_calipers *calipers, struct wishes *wishes)
{
    struct event_view view;
    int error = 0;
    open_view(&view, calipers);
    for (size_t i = 0; i < calipers->count && !error; i++) {
        if (strcmp(calipers->events[i].name, TICKS_EVENT) == 0)
            continue;
        struct event event = {0};
        error = event_resolve(&view, calipers->events[i].name, &event, set_failure());
        if (!error) {
            bool source = event.kind == EVENT_SOURCE, or_trap = calipers->flags & ASSAY_OR_TRAP;
            wishes->trapping[i] = source || (or_trap && lacks_counter(&view, &event, wishes));
            wishes->any |= wishes->trapping[i];
        } else if (error == -EACCES) /* opening the others says of it why it is not counted */
            error = 0;
        event_release(&event);
    }
    event_view_close(&view);
    return error;
}

static void refuse(struct caliper *event, int error, const char *reason)
{
    event->error = error;
    event->reason = strdup(reason);
}

/* Those that were to be counted otherwise may still be. */
static void refuse_trapping(struct assay_calipers *calipers, const struct wishes *wishes, int error,
                            const char *why)
{
    char reason[2048];
    snprintf(reason, sizeof(reason), "%s%s%s", wishes->refused,
             wishes->refused[0] ? "; and trapping cannot take its place: " : "", why);
    for (size_t i = 0; i < calipers->count; i++) {
        if (wishes->trapping[i])
            refuse(&calipers->events[i], error, reason);
    }
}

int calipers_trap_open(struct assay_calipers *calipers)
{
    struct wishes wishes = {.any = false};
    char why[512] = "";
    if (!may_trap(calipers))
        return 0;
    int error = find_wishes(calipers, &wishes);
    if (error < 0 || !wishes.any)
        return error;
    error = trap_attach(why, sizeof(why));
    if (error < 0) {
        refuse_trapping(calipers, &wishes, -error, why);
        return 0;
    }
    calipers->path = ASSAY_PATH_TRAP;
    calipers->here.ways |= ASSAY_WAY_TRAP;
    for (size_t i = 0; i < calipers->count; i++) {
        struct caliper *event = &calipers->events[i];
        if (wishes.trapping[i]) {
            event->kind = CALIPER_COUNTER;
            event->word = WORD_TRAP;
        } else {
            refuse(event, EBUSY,
                   "these calipers trap after every instruction, which enters the operating system "
                   "and takes time: other counts would be of that. Open calipers of their own for "
                   "them");
        }
    }
    if (wishes.refused[0])
        calipers->reason = strdup(wishes.refused);
    return 0;
}

const char *calipers_trap_reason(enum trap_lost lost)
{
    static const char *const reasons[] = {
        [TRAP_LOST_CLEARED] = "code in a region cleared the trap flag (popf with flags from before "
                              "the region, a longjmp out of a signal handler): what ran afterwards "
                              "was not counted. Keep such code out of regions",
        [TRAP_LOST_STUCK] = "an instruction in a region was not executed while the trap flag was "
                            "set (a fault of the hypervisor or the CPU): counting stopped there, "
                            "so that the program could go on. Keep that code out of regions, or "
                            "count it with assay truth --source step",
        [TRAP_LOST_SEQUENCE] = "a region contains a restartable sequence (rseq), which is aborted "
                               "by every trap and would never end: counting stopped there, so that "
                               "the program could go on. Keep such code (tcmalloc, librseq) out of "
                               "regions",
        [TRAP_LOST_STOPPED] = "the thread was stopped in a region: by a debugger or strace, which "
                              "takes traps, by SIGSTOP, or in a signal handler that waited. Traps "
                              "may be missing, so counting stopped there. Repeat it without",
    };
    return reasons[lost];
}

void calipers_trap_close(struct assay_calipers *calipers)
{
    if (calipers->path != ASSAY_PATH_TRAP)
        return;
    if (calipers_here() == calipers)
        trap_leave(); /* a region that never ended */
    trap_detach();
}
