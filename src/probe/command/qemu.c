/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counter qemu: a whole program in QEMU's user mode, each of whose instructions our plugin counts.
 * Threads, forks and programs that it executes are followed. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/command/cores.h"
#include "probe/command/qemu-accounts.h"
#include "probe/command/qemu-program.h"
#include "probe/sources/program.h"
#include "probe/sources/qemu.h"

static const char *const classes[] = {"instructions", "instructions-raw", "syscalls", NULL};

static int qemu_usable(const char *kit, char *reason, size_t size)
{
    AUTO_FREE char *emulator = program_emulator();
    return qemu_check(kit, emulator, QEMU_RUN_PLUGIN, reason, size);
}

static int conclude(const struct command_visit *visit, struct execution *execution, int status,
                    const char *target)
{
    struct qemu_accounts accounts = {0};
    struct failure failure = {0};
    int result = qemu_accounts_read(&accounts, visit->folder, target, &failure);
    if (result < 0)
        command_fail(visit, result, "%s", failure.text);
    else if (visit->detail >= 0)
        result = qemu_accounts_tell(&accounts, visit);
    if (result == 0) {
        command_put(visit, command_column(visit, "instructions"), accounts.instructions);
        command_put(visit, command_column(visit, "instructions-raw"),
                    accounts.instructions + accounts.repetitions);
        command_put(visit, command_column(visit, "syscalls"), accounts.calls);
        result = launch_finish(visit, execution, status, accounts.tasks, accounts.processes);
    }
    qemu_accounts_free(&accounts);
    return result;
}

static int run(const struct command_visit *visit, struct execution *execution,
               struct qemu_program *program)
{
    int status = 0;
    int result = launch_prepare(visit, execution);
    if (result == 0)
        result = qemu_program_prepare(program, visit, execution);
    if (result < 0)
        return result;
    forbid_cores();
    result = launch_start(visit, &(struct launch){.prefix = program->words}, execution);
    if (result == 0 && (result = launch_await(execution, &status)) < 0)
        command_fail(visit, result, "QEMU was lost: %s", strerror(-result));
    if (result == 0)
        result = launch_clear(visit, execution);
    return result < 0 ? result : conclude(visit, execution, status, program->target);
}

static int qemu_count(const struct command_visit *visit)
{
    struct execution execution = {0};
    struct qemu_program program = {0};
    int result = run(visit, &execution, &program);
    if (result < 0)
        launch_end(&execution);
    qemu_program_free(&program);
    return result;
}

const struct command_counter command_counter_qemu = {
    .source = "qemu",
    .classes = classes,
    .details = {[DETAIL_CODE] = true},
    .note = "exact for what QEMU's user mode executed: its CPU (-cpu max on x86) decides which "
            "functions libc chooses, there is no vDSO, and QEMU places memory itself; what QEMU "
            "says of a crash is among the output",
    .usable = qemu_usable,
    .count = qemu_count,
};
