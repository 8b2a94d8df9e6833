/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Between the guard of a visit and the counting process below it. The guard is its parent: whatever
 * becomes of the counting process, or of the driver above, somebody is left who ends the rest. */
#pragma once

#include <stdint.h>

#include "probe/command/command.h"

#define GUARD_MASK 128 /* words of a set of CPUs */

/* Memory that both see. */
struct guarded {
    uint32_t timed_out;    /* by the guard: its time is over */
    uint32_t killed;       /* by the guard: it had to be ended the hard way */
    bool output_known;     /* by the guard: it reads what the program writes */
    uint64_t output_bytes; /* by the guard, complete when it has answered GUARD_FINISH */
    uint64_t output_sum;   /* of standard output */
    struct account spent;  /* by the process that becomes the program, right before it does */
    uint64_t spent_ns;     /* the same of CPU time */
    unsigned long allowed[GUARD_MASK]; /* CPUs of the driver: counters may restrict their own */
};

enum guard_request {
    GUARD_BEGIN,  /* a program is about to start; what another wrote before is forgotten */
    GUARD_LIMIT,  /* it starts now, and may take until the deadline */
    GUARD_FINISH, /* nothing can write any more: everything is read */
};

struct guard_message {
    uint32_t request;  /* enum guard_request; the answer repeats it */
    uint64_t deadline; /* monotonic ns; 0: none */
};

/* The counting process's end. */
struct guard_line {
    struct guarded *guarded;
    int control;    /* socket for messages */
    int outputs[2]; /* where the program writes */
    uint32_t timed; /* columns whose times were given; a bit each */
};

/* Tells the guard and waits until it has done so. Negative errno: it is gone. */
int guard_tell(const struct guard_line *line, enum guard_request request, uint64_t deadline);

/* --- processes below a process --- */

/* Makes orphans below this process its children. */
void descendants_adopt(void);
/* Ends every child of this process, and theirs as they become its own, until there is none.
 * *ended: how many still ran (may be NULL). 0, or -EPERM when some cannot be ended: they run as
 * another user. */
int descendants_end(uint64_t *ended);
