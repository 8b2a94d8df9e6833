/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay caches` did not get to within its budget, and the command that goes on: said in the
 * result itself, because whoever reads it later has no other place to learn it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "studies/caches/parts.h"
#include "cli/deliver.h"
#include "show/shell.h"

#define SHAPES 4u

/* By enum chase_shape. */
static const char *const serves[SHAPES] = {[CHASE_DENSE] = "for sizes",
                                           [CHASE_PAGES] = "for TLBs",
                                           [CHASE_SETS] = "for ways",
                                           [CHASE_PAIRS] = "for lines"};

static const struct cell *cell_of(const struct caching *caching, uint32_t id)
{
    for (size_t i = 0; i < caching->cell_count; i++)
        if (caching->cells[i].id == id)
            return &caching->cells[i];
    return NULL;
}

/* "; missing of these: 12 for sizes, 3 for TLBs". */
static void put_missing(const struct caching *caching, struct text *out)
{
    AUTO_FREE struct visit *visits = NULL;
    struct failure ignored = {0};
    size_t count = 0, missing[SHAPES] = {0};
    if (store_visits(caching->store, true, &visits, &count, &ignored) < 0)
        return;
    for (size_t i = 0; i < count; i++) {
        struct caches_point point;
        const struct cell *cell = cell_of(caching, visits[i].cell);
        if (cell && caches_from_specimen(cell->specimen, &point))
            missing[point.shape]++;
    }
    const char *before = "; missing of these: ";
    for (size_t i = 0; i < SHAPES; i++)
        if (missing[i]) {
            text_printf(out, "%s%zu %s", before, missing[i], serves[i]);
            before = ", ";
        }
}

void caches_put_unfinished(const struct caching *caching, struct text *out)
{
    const struct common_options *common = &caching->options->common;
    struct store_info info = {0};
    struct failure ignored = {0};
    const bool again = caching->options->from;
    text_puts(out, again ? "measuring ended before the plan did"
                         : "the budget ended before the plan did");
    if (store_info(caching->store, &info, &ignored) == 0)
        text_printf(out, ", after %" PRIu64 " of the %" PRIu64 " processes that it has so far",
                    info.visits_done, info.visits);
    store_info_release(&info);
    put_missing(caching, out);
    text_puts(out, ". The first level is measured first: what is null below it may only lack time");
    if (again)
        return;
    text_puts(out, ". Go on with `assay caches --resume --store ");
    text_put_shell(out, store_path(caching->store));
    deliver_put_via(common, out);
    text_puts(out, "`, or anew with a larger --budget");
}
