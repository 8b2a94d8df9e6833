/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * System calls that a signal interrupts. One that the program ignores would not have reached it,
 * had it not been traced: then the call is made once more only because of us, and counts once. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "probe/command/step.h"

#define RESTARTED_FIRST (-512)
#define RESTARTED_LAST  (-516)

bool restart_is_due(int64_t result)
{
    return result <= RESTARTED_FIRST && result >= RESTARTED_LAST;
}

void restart_note(struct traced *traced)
{
    traced->restarting = true;
}

static uint64_t bit_of(int signal)
{
    return signal > 0 && signal <= 64 ? (uint64_t)1 << (signal - 1) : 0;
}

/* Does the program neither handle the signal nor end or stop by it? */
static bool ignores(pid_t task, int signal)
{
    static const int harmless[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT};
    char path[64], line[256];
    uint64_t ignored = 0, caught = 0;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)task);
    AUTO_FILE FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file)) {
        sscanf(line, "SigIgn: %" SCNx64, &ignored);
        sscanf(line, "SigCgt: %" SCNx64, &caught);
    }
    for (size_t index = 0; index < sizeof(harmless) / sizeof(*harmless); index++)
        if (harmless[index] == signal && !(caught & bit_of(signal)))
            return true;
    return ignored & bit_of(signal);
}

void restart_settle(struct following *following, struct traced *traced, int signal)
{
    if (!traced->restarting)
        return;
    traced->restarting = false;
    if (!signal || !ignores(traced->task, signal)) {
        if (following->telling)
            call_end(&following->record, traced->task, traced->number, &traced->call, -EINTR);
        return;
    }
    following->calls--;
    if (following->stepping)
        following->instructions--;
    if (traced->made_by)
        traced->made_by->executions--;
}
