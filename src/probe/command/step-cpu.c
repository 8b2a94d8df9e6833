/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tracer and tasks on one CPU: they take turns anyway, and across two CPUs a turn costs thrice as
 * much. A program that asks where it may run gets the answer that it would get otherwise. */
#include "probe/command/step.h"

int cpu_choose(const struct command_visit *visit)
{
    cpu_set_t one;
    bool pinned = visit->cell->command.controls & CONTROL_BIT(CONTROL_CPU) && visit->cell->cpu >= 0;
    int cpu = pinned ? visit->cell->cpu : sched_getcpu();
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return -1;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    return sched_setaffinity(0, sizeof(one), &one) < 0 ? -1 : cpu;
}

void cpu_hold(const struct following *following, struct traced *traced)
{
    cpu_set_t one;
    if (following->cpu < 0 || traced->placed)
        return;
    if (!CPU_ISSET((size_t)following->cpu, &traced->allowed)) {
        traced->placed = true; /* by whoever started it */
        return;
    }
    CPU_ZERO(&one);
    CPU_SET((size_t)following->cpu, &one);
    sched_setaffinity(traced->task, sizeof(one), &one);
}

void cpu_release(const struct following *following, const struct traced *traced)
{
    if (following->cpu >= 0 && !traced->placed)
        sched_setaffinity(traced->task, sizeof(traced->allowed), &traced->allowed);
}

/* Whom the call is about; NULL: none of the program's. */
static struct traced *meant(struct following *following, struct traced *traced)
{
    pid_t task = (pid_t)traced->call.made.arguments[0];
    return task ? traced_find(&following->tasks, task) : traced;
}

void cpu_before_call(struct following *following, struct traced *traced)
{
    enum call_role role = traced->call.role;
    if (following->cpu < 0 || (role != CALL_ASKS_CPUS && role != CALL_CHOOSES_CPUS))
        return;
    struct traced *whom = meant(following, traced);
    if (!whom)
        return;
    cpu_release(following, whom);
    if (role == CALL_CHOOSES_CPUS)
        whom->placed = true;
}

void cpu_after_call(struct following *following, struct traced *traced)
{
    if (following->cpu < 0 || traced->call.role != CALL_ASKS_CPUS)
        return;
    struct traced *whom = meant(following, traced);
    if (whom)
        cpu_hold(following, whom);
}
