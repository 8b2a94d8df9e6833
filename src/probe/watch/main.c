/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A watching harness: one process, one visit of a watch. Finds its job as any harness does; with
 * --describe it says which clocks it can read here. Lives where programs may not read the CPU's
 * counter of time, so nothing but a clock that is asked for reads time by the vDSO. */
#include <stdio.h>
#include <string.h>

#include "probe/watch/watch.h"

#define EXIT_NO_JOB 2

#ifdef WATCH_OBJECTS
static const bool objects = true;
#else
static const bool objects = false;
#endif

int main(int argument_count, char **arguments)
{
    if (argument_count == 2 && strcmp(arguments[1], "--describe") == 0) {
        clocks_describe(stdout);
        return fflush(stdout) ? 1 : 0;
    }
    struct job *job = job_attach();
    if (!job_begin(job, job && job->watch.kind != WATCH_NONE))
        return EXIT_NO_JOB;
    int result = watch_run(job, objects);
    job_conclude(job, result);
    assay_syscall1(SYS_exit_group, result < 0);
    return result < 0;
}
