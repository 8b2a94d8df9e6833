/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks that a person brought along are read a few times before anything is planned: one that
 * cannot be read would spoil every look that it is part of, and how long a reading takes decides
 * how many of them a process makes. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/clocks-run.h"

#define READINGS 4u
#define BLOCKS   3u
#define WAIT_MS  20000u
#define S_NS     1e9

/* One attempt. */
struct trial {
    double ticks; /* of the meter for a block, the fastest */
    bool moves;   /* in every block */
    bool failed;
    int error;
    char reason[400];
};

static int take_batch(void *context, const struct batch *batch, struct failure *failure)
{
    struct trial *trial = context;
    (void)failure;
    for (uint32_t run = 0; run < batch->runs && batch->counters == ROW_COLUMNS; run++) {
        const uint64_t *row = &batch->values[(size_t)run * ROW_COLUMNS];
        trial->moves &= row[ROW_FIRST] != row[ROW_LAST];
        trial->ticks = fmin(trial->ticks, (double)(row[ROW_AFTER] - row[ROW_BEFORE]));
    }
    return 0;
}

static int take_end(void *context, uint32_t cell, uint32_t process, enum visit_state state,
                    int error, const char *reason, struct failure *failure)
{
    struct trial *trial = context;
    (void)cell, (void)process, (void)failure;
    trial->failed = state == VISIT_FAILED;
    trial->error = error;
    snprintf(trial->reason, sizeof(trial->reason), "%s", reason ? reason : strerror(error));
    return 0;
}

static int run_trial(struct watching *watching, const char *text, const char *meter,
                     struct trial *trial, struct failure *failure)
{
    const char *const columns[ROW_COLUMNS] = {text, text, text, text, meter, meter};
    const struct cell_watch watch = {
        .kind = WATCH_ROW, .length = READINGS, .threads = 1, .partner = -1};
    const struct session_sink sink = {.context = trial, .batch = take_batch, .visit_end = take_end};
    const struct visit visit = {.cell = 1};
    struct cell cell;
    int error = clocks_cell(&cell, &watch, BLOCKS, watching->study.cpu, columns, ROW_COLUMNS);
    cell.id = 1;
    if (error == 0)
        error = session_run(watching->session, &cell, 1, &visit, 1, WAIT_MS, &sink, failure);
    cell_release(&cell);
    return error;
}

/* Without a rate of the meter nobody knows: then as slow as it may be by its kind. */
static enum clocks_pace pace_of(const struct clocks_own *own, const struct trial *trial,
                                const struct catalogue_clock *meter)
{
    static const enum clocks_pace usual[] = {
        [EXTERNAL_OBJECT] = PACE_QUICK, [EXTERNAL_ASK] = PACE_SLOW, [EXTERNAL_RUN] = PACE_GLACIAL};
    if (!meter->hz || !isfinite(trial->ticks))
        return usual[own->clock.way];
    return clocks_pace_of(trial->ticks / (double)meter->hz * S_NS / READINGS);
}

static int try_one(struct watching *watching, struct clocks_own *own,
                   const struct catalogue_clock *meter)
{
    struct trial trial = {.ticks = INFINITY, .moves = true};
    struct failure failure = {0};
    int error = run_trial(watching, own->text, meter->name, &trial, &failure);
    if (error == -EINTR)
        return EXIT_INTERRUPTED;
    if (error == -ENOMEM)
        return clocks_out_of_memory();
    if (error == -ETIME)
        fail_with(&failure, error, "it did not answer within %u s", WAIT_MS / 1000);
    if (error == 0 && !trial.failed) {
        own->pace = pace_of(own, &trial, meter);
        own->moves = isfinite(trial.ticks) && trial.moves;
        return EXIT_DONE;
    }
    struct failure told = {0};
    if (error == 0) /* the probe names the clock itself */
        fail_with(&told, -trial.error, "%s", trial.reason);
    else
        fail_with(&told, error, "the clock '%s' cannot be read: %.300s", own->clock.name,
                  failure.text);
    return clocks_fail(&told, error == 0 || error == -ETIME ? EXIT_LACKING : EXIT_FAILED);
}

/* One whose rate is known, though others would tell shorter times. */
static const struct catalogue_clock *find_meter(const struct catalogue *catalogue)
{
    const char *name = clocks_meter(catalogue);
    const struct catalogue_clock *meter = catalogue_clock(catalogue, "monotonic-raw-syscall");
    return meter ? meter : name ? catalogue_clock(catalogue, name) : NULL;
}

int clocks_try_own(struct watching *watching)
{
    const struct catalogue_clock *meter = find_meter(watching->catalogue);
    int status = EXIT_DONE;
    for (size_t i = 0; i < watching->own_count && meter && status == EXIT_DONE; i++)
        status = try_one(watching, &watching->own[i], meter);
    return status;
}
