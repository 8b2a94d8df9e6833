/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counter step: a whole program executed instruction by instruction under ptrace, from the first
 * one after its exec to the end of its first process, threads and children with it. Where nobody
 * asks for instructions it stops at system calls only, and hardly slows the program down. */
#include "probe/command/step.h"
#include "probe/sources/source.h"

static const char *const classes[] = {"instructions", "instructions-raw", "syscalls", NULL};

static int step_usable(const char *kit, char *reason, size_t size)
{
    return source_find("step")->usable(kit, reason, size);
}

static bool asks_for(const struct command_visit *visit, const char *class)
{
    return command_column(visit, class) >= 0;
}

static void put(const struct following *following, const char *class, uint64_t value)
{
    int column = command_column(following->visit, class);
    if (column >= 0)
        command_put(following->visit, column, value);
}

static int step_count(const struct command_visit *visit)
{
    struct execution execution = {0};
    enum command_detail detail = visit->detail < 0 ? DETAIL_NONE : visit->cell->command.detail;
    struct following following = {
        .visit = visit,
        .execution = &execution,
        .telling = detail == DETAIL_CALLS,
        .stepping = detail == DETAIL_CODE || asks_for(visit, "instructions") ||
                    asks_for(visit, "instructions-raw"),
    };
    int status = 0;
    int result = launch_prepare(visit, &execution);
    if (result == 0)
        result = launch_start(visit, &(struct launch){.traced = true, .held = true}, &execution);
    if (result == 0)
        result = follow(&following, &status);
    if (result == 0) {
        put(&following, "instructions", following.instructions);
        put(&following, "instructions-raw", following.instructions + following.repetitions);
        put(&following, "syscalls", following.calls);
        result = launch_finish(following.visit, &execution, status, following.tasks.tasks,
                               following.tasks.processes);
    } else
        launch_end(&execution);
    follow_free(&following);
    return result;
}

const struct command_counter command_counter_step = {
    .source = "step",
    .classes = classes,
    .details = {[DETAIL_CODE] = true, [DETAIL_CALLS] = true},
    .note =
        "every instruction that the CPU itself executed in user mode, one by one, with the real "
        "vDSO and layout; the program takes some thousand times as long, which it can notice "
        "by a clock",
    .usable = step_usable,
    .count = step_count,
};
