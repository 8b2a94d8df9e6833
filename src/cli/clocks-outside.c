/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks at the clocks of another machine by the clock of this one: the only witness that is made of
 * another counter wherever the machine under test has none itself. Each look is bracketed by the
 * controller's own readings, so how wide it is, is known. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/clocks-run.h"

#define BURST   15u /* looks one after the other: the narrowest of them counts */
#define OUTSIDE "outside"

/* --- is it another machine? --- */

static bool own_boot_id(char *id, size_t size)
{
    AUTO_FILE FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || !fgets(id, (int)size, file))
        return false;
    id[strcspn(id, "\n")] = '\0';
    return *id != '\0';
}

void clocks_find_outside(struct watching *watching)
{
    const char *theirs = facts_get(watching->run.facts, "boot.id");
    char ours[64] = "";
    watching->outside_cell = -1;
    watching->outside_count =
        clocks_quick_walls(&watching->study, watching->outside_look, CELL_MAX_COUNTERS - 2);
    if (watching->outside_count > CELL_MAX_COUNTERS - 2)
        watching->outside_count = CELL_MAX_COUNTERS - 2;
    watching->outside = theirs && own_boot_id(ours, sizeof(ours)) && strcmp(theirs, ours) != 0 &&
                        watching->outside_count;
}

/* --- a burst of looks --- */

/* Rows as a batch wants them. */
struct burst {
    uint64_t values[BURST * CELL_MAX_COUNTERS];
    uint64_t times[BURST * CELL_MAX_COUNTERS]; /* zeros: these are no counters */
    struct account accounts[BURST];
    uint32_t columns;
};

static int look(struct watching *watching, struct burst *burst, struct failure *failure)
{
    int error = 0;
    burst->columns = (uint32_t)watching->outside_count + 2;
    for (uint32_t i = 0; i < BURST && error == 0; i++) {
        uint64_t *row = &burst->values[(size_t)i * burst->columns];
        error = session_look(watching->session, watching->outside_look, watching->outside_count,
                             row + 1, &row[0], &row[burst->columns - 1], failure);
    }
    return error;
}

/* The cell of all bursts, which the plan gets with the first. */
static int find_cell(struct watching *watching)
{
    const struct cell_watch watch = {.kind = WATCH_OUTSIDE, .threads = 1, .partner = -1};
    const char *columns[CELL_MAX_COUNTERS] = {OUTSIDE};
    struct cell cell;
    if (watching->outside_cell >= 0)
        return 0;
    for (size_t i = 0; i < watching->outside_count; i++)
        columns[i + 1] = watching->outside_look[i];
    columns[watching->outside_count + 1] = OUTSIDE;
    int error = clocks_cell(&cell, &watch, BURST, -1, columns, watching->outside_count + 2);
    if (error == 0)
        watching->outside_cell = wishes_add_cell(&watching->plan.wishes, &cell);
    cell_release(&cell);
    return error < 0 ? error : watching->outside_cell < 0 ? (int)watching->outside_cell : 0;
}

/* A burst is planned, done and ended in one transaction: nobody else could make up for it. */
static int keep(struct watching *watching, const struct burst *burst, struct failure *failure)
{
    struct wishes *wishes = &watching->plan.wishes;
    struct store *store = watching->store;
    int error = find_cell(watching);
    if (error < 0)
        return fail_with(failure, error, "out of memory");
    struct wished_cell *about = &wishes->about[watching->outside_cell];
    const struct visit visit = {.cell = wishes->cells[watching->outside_cell].id,
                                .process = about->planned};
    const struct batch batch = {.cell = visit.cell,
                                .process = visit.process,
                                .runs = BURST,
                                .counters = burst->columns,
                                .values = burst->values,
                                .enabled = burst->times,
                                .running = burst->times,
                                .accounts = burst->accounts};
    size_t first = wishes->stored;
    error = store_put_plan(store, wishes->cells + first, wishes->cell_count - first, &visit, 1,
                           failure);
    if (error == 0)
        error = store_put_batch(store, &batch, failure);
    if (error == 0)
        error = store_end_visit(store, visit.cell, visit.process, VISIT_DONE, 0, NULL, failure);
    if (error == 0)
        error = store_commit(store, failure);
    if (error == 0) {
        wishes->stored = wishes->cell_count;
        about->planned++;
    }
    return error;
}

/* A clock that cannot be looked at leaves the machine without looks from outside, no more. */
static int give_up(struct watching *watching, int error, const struct failure *failure)
{
    if (error != -ENOENT && error != -EINVAL)
        return clocks_fail(failure, EXIT_FAILED);
    watching->outside = false;
    return skips_add(&watching->run.skips, "looks from outside", failure->text, -error) < 0
               ? clocks_out_of_memory()
               : EXIT_DONE;
}

int clocks_look_from_outside(void *context)
{
    struct watching *watching = context;
    struct burst burst = {.columns = 0};
    struct failure failure = {0};
    if (!watching->outside || interrupted)
        return EXIT_DONE;
    int error = look(watching, &burst, &failure);
    if (error == -EINTR)
        return EXIT_DONE; /* whoever runs visits says so */
    if (error < 0)
        return give_up(watching, error, &failure);
    error = keep(watching, &burst, &failure);
    return error < 0 ? clocks_fail(&failure, EXIT_FAILED) : EXIT_DONE;
}
