/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How fast samples go into a store and come out again, and how much memory that takes. Writes
 * synthetic samples the way a session does: batches of visits in random order of cells.
 *
 *     store-rate [SAMPLES [FOLDER]]     default: 4000000 samples, in $TMPDIR or /tmp */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "store/store.h"

enum { CELLS = 200, COUNTERS = 2, RUNS = 1000, BATCH = 250 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static uint64_t next_random(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static int plan(struct store *store, uint32_t processes, struct visit *visits,
                struct failure *failure)
{
    static char event[] = "page-faults:u", other[] = "task-clock", path[] = "perf-read",
                specimen[] = "loop", opt[] = "O2", link[] = "static";
    static struct cell cells[CELLS];
    for (uint32_t i = 0; i < CELLS; i++)
        cells[i] = (struct cell){.id = i + 1,
                                 .events = {event, other},
                                 .counters = COUNTERS,
                                 .path = path,
                                 .specimen = specimen,
                                 .n = i,
                                 .opt = opt,
                                 .link = link,
                                 .runs = RUNS,
                                 .cpu = -1};
    size_t count = (size_t)CELLS * processes;
    for (size_t i = 0; i < count; i++)
        visits[i] = (struct visit){(uint32_t)(i % CELLS) + 1, (uint32_t)(i / CELLS)};
    for (size_t i = count - 1; i > 0; i--) {
        size_t other_place = next_random() % (i + 1);
        struct visit swapped = visits[i];
        visits[i] = visits[other_place];
        visits[other_place] = swapped;
    }
    return store_put_plan(store, cells, CELLS, visits, count, failure);
}

static int put_visit(struct store *store, struct visit visit, struct failure *failure)
{
    uint64_t values[BATCH * COUNTERS], enabled[BATCH * COUNTERS];
    struct account accounts[BATCH] = {{0}};
    for (uint32_t first = 0; first < RUNS; first += BATCH) {
        for (size_t i = 0; i < (size_t)BATCH * COUNTERS; i++) {
            values[i] = 1000 + next_random() % 100;
            enabled[i] = 20000 + next_random() % 5000;
        }
        struct batch batch = {visit.cell, visit.process, first,   BATCH,   COUNTERS,
                              values,     enabled,       enabled, accounts};
        int error = store_put_batch(store, &batch, failure);
        if (error)
            return error;
    }
    return store_end_visit(store, visit.cell, visit.process, VISIT_DONE, 0, NULL, failure);
}

static int write_all(const char *path, uint32_t processes, struct failure *failure)
{
    size_t count = (size_t)CELLS * processes;
    AUTO_FREE struct visit *visits = calloc(count, sizeof(*visits));
    struct store_run run = {.command = "bench", .argv = "[]", .fingerprint = "0"};
    struct store *store = NULL;
    if (!visits)
        return -ENOMEM;
    int error = store_create(&store, path, &run, failure);
    if (!error)
        error = plan(store, processes, visits, failure);
    for (size_t i = 0; !error && i < count; i++)
        error = put_visit(store, visits[i], failure);
    if (!error)
        error = store_finish(store, failure);
    store_close(store);
    return error;
}

static int add_up(void *context, const struct sample *sample)
{
    uint64_t *totals = context;
    totals[0]++;
    totals[1] += sample->value;
    return 0;
}

static int read_all(const char *path, uint64_t totals[2], struct failure *failure)
{
    struct store *store = NULL;
    int error = store_open(&store, path, false, failure);
    if (!error)
        error = store_each_sample(store, 0, add_up, totals, failure);
    store_close(store);
    return error;
}

int main(int argument_count, char **arguments)
{
    unsigned long long wanted = argument_count > 1 ? strtoull(arguments[1], NULL, 10) : 4000000;
    const char *folder = argument_count > 2 ? arguments[2] : getenv("TMPDIR");
    unsigned long long in_a_round = (unsigned long long)CELLS * COUNTERS * RUNS;
    uint32_t processes = (uint32_t)((wanted + in_a_round - 1) / in_a_round);
    char path[4096];
    snprintf(path, sizeof(path), "%s/assay-store-rate-%d.sqlite", folder ? folder : "/tmp",
             (int)getpid());
    struct failure failure = {0};
    uint64_t totals[2] = {0, 0};
    double start = seconds();
    int error = write_all(path, processes ? processes : 1, &failure);
    double written = seconds();
    long peak_writing = peak_kib();
    if (!error)
        error = read_all(path, totals, &failure);
    double read = seconds();
    struct stat status = {0};
    stat(path, &status);
    unlink(path);
    if (error) {
        fprintf(stderr, "store-rate: %s\n", failure.text);
        return 1;
    }
    double samples = (double)totals[0];
    printf("store: %" PRIu64 " samples, written %.0f/s, read %.0f/s, %.1f bytes a sample, "
           "peak memory %ld KiB writing, %ld KiB in all\n",
           totals[0], samples / (written - start), samples / (read - written),
           (double)status.st_size / samples, peak_writing, peak_kib());
    return 0;
}
