/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fills rows of commands. */
#include "probe/command/row.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

int command_fail(const struct command_visit *visit, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(visit->job->reason, sizeof(visit->job->reason), format, arguments);
    va_end(arguments);
    visit->job->error = -code;
    return code;
}

int command_column(const struct command_visit *visit, const char *class)
{
    for (uint32_t column = 0; column < visit->cell->counters; column++)
        if (visit->events[column].counts && strcmp(visit->events[column].counts, class) == 0)
            return (int)column;
    return -1;
}

void command_put(const struct command_visit *visit, int column, uint64_t value)
{
    if (column >= 0 && (uint32_t)column < visit->job->counters)
        job_values(visit->job)[column] = value;
}

void command_put_timed(const struct command_visit *visit, int column, uint64_t value,
                       uint64_t enabled, uint64_t running)
{
    if (column < 0 || (uint32_t)column >= visit->job->counters)
        return;
    job_values(visit->job)[column] = value;
    job_enabled(visit->job)[column] = enabled;
    job_running(visit->job)[column] = running;
    visit->line->timed |= 1u << column;
}

/* A program that ends when it is asked to has ended because its time was over, whatever it says. */
static uint64_t status_of(const struct outcome *outcome)
{
    const int status = outcome->status;
    if (outcome->guarded->timed_out)
        return STATUS_TIMEOUT + (outcome->guarded->killed ? SIGKILL : SIGTERM);
    if (WIFSIGNALED(status))
        return STATUS_SIGNAL + (uint64_t)WTERMSIG(status);
    return (uint64_t)WEXITSTATUS(status);
}

struct column {
    const char *name;
    uint64_t value;
    bool known;
};
#define COLUMNS 10

static void columns_of(const struct outcome *outcome, struct column columns[COLUMNS])
{
    const struct guarded *guarded = outcome->guarded;
    const struct column filled[COLUMNS] = {
        {RUN_STATUS, status_of(outcome), true},
        {RUN_OUTPUT_BYTES, guarded->output_bytes, guarded->output_known},
        {RUN_OUTPUT_SUM, guarded->output_sum, guarded->output_known},
        {RUN_TASKS, outcome->tasks, outcome->tasks_known},
        {RUN_PROCESSES, outcome->processes, outcome->tasks_known},
        {RUN_LEFT, outcome->left, true},
        {RUN_INTERRUPTS, outcome->interrupts, outcome->interrupts_known},
        {RUN_NANOSECONDS, outcome->nanoseconds, true},
        {RUN_CPU, outcome->cpu_nanoseconds, true},
        {RUN_RIGHTS, outcome->rights, true},
    };
    memcpy(columns, filled, sizeof(filled));
}

void row_fill(const struct command_visit *visit, const struct outcome *outcome)
{
    struct job *job = visit->job;
    struct column columns[COLUMNS];
    columns_of(outcome, columns);
    for (uint32_t index = 0; index < job->counters; index++) {
        if (visit->line->timed & 1u << index)
            continue;
        bool known = true;
        for (size_t column = 0; column < COLUMNS; column++)
            if (strcmp(columns[column].name, visit->cell->events[index]) == 0) {
                known = columns[column].known;
                job_values(job)[index] = known ? columns[column].value : 0;
            }
        job_enabled(job)[index] = outcome->nanoseconds;
        job_running(job)[index] = known ? outcome->nanoseconds : 0;
    }
    job_accounts(job)[0] = outcome->account;
    __atomic_store_n(&job->runs_done, 1, __ATOMIC_RELEASE);
}
