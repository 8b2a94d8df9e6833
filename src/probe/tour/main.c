/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A touring harness: one process, one visit of a tour. Finds its job as any harness does; with
 * --describe it says which operations it has. */
#include <stdio.h>
#include <string.h>

#include "probe/tour/caller.h"
#include "syscall.h"

#define EXIT_NO_JOB 2

/* "operation PATH KIND INSTRUMENT EFFECT WHEN binds|- alone|- folder|- PAGE|- NOTE" for what can be
 * called here, "lacking PATH.KIND ERRNO REASON" for what cannot. */
static void describe(const struct caller *caller)
{
    char reason[512] = "";
    int result = caller->usable ? caller->usable(reason, sizeof(reason)) : 0;
    for (int kind = 0; kind < CALL_KINDS; kind++) {
        const struct call_entry *entry = &caller->calls[kind];
        if (!entry->function)
            continue;
        if (result < 0)
            printf("lacking %s.%s %d %s\n", caller->path, call_kind_names[kind], -result, reason);
        else
            printf("operation %s %s %s %s %s %s %s %s %s %s\n", caller->path, call_kind_names[kind],
                   caller->instrument, call_effect_names[entry->effect],
                   call_when_names[entry->when], caller->binds ? "binds" : "-",
                   caller->alone ? "alone" : "-", caller->needs_folder ? "folder" : "-",
                   caller->page[0] ? caller->page : "-", caller->note);
    }
}

int main(int argument_count, char **arguments)
{
    if (argument_count == 2 && strcmp(arguments[1], "--describe") == 0) {
        for (size_t index = 0; caller_registry[index]; index++)
            describe(caller_registry[index]);
        return fflush(stdout) ? 1 : 0;
    }
    struct job *job = job_attach();
    if (!job_begin(job, job && job->tour.bytes))
        return EXIT_NO_JOB;
    int result = tour_run(job);
    job_conclude(job, result);
    assay_syscall1(SYS_exit_group, result < 0);
    return result < 0;
}
