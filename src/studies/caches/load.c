/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to what the study of caches judges: the points that were measured, and from the
 * facts beside them the claims and what stands in the way. Touches no machine. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "engine/finish.h"
#include "studies/caches/parts.h"
#include "studies/caches/study.h"

#define MOST_CELLS 8192u /* several times what the study plans */

/* The cells of a store that are rings, by id. */
struct rings {
    struct caches_points *points;
    struct caches_point *cells; /* [id] */
    uint64_t *steps;            /* [id]; 0: no ring */
    size_t count;
    struct caches_failures *failures;
};

static int take_cell(void *context, const struct stored_cell *stored)
{
    struct rings *rings = context;
    uint32_t id = stored->cell.id;
    struct caches_point point;
    if (id > MOST_CELLS)
        return -E2BIG;
    if (stored->failed && stored->reason && !rings->failures->count)
        snprintf(rings->failures->reason, sizeof(rings->failures->reason), "%s", stored->reason);
    rings->failures->count += stored->failed;
    if (!caches_from_specimen(stored->cell.specimen, &point) || !stored->cell.n)
        return 0;
    if (id >= rings->count) {
        size_t count = (size_t)id + 64;
        rings->cells = memory_resize(rings->cells, count, sizeof(*rings->cells));
        rings->steps = memory_resize(rings->steps, count, sizeof(*rings->steps));
        memset(rings->steps + rings->count, 0, (count - rings->count) * sizeof(*rings->steps));
        rings->count = count;
    }
    rings->cells[id] = point;
    rings->steps[id] = stored->cell.n;
    if (stored->failed)
        caches_add_failed(rings->points, &point, stored->failed);
    return 0;
}

static int take_sample(void *context, const struct sample *sample)
{
    struct rings *rings = context;
    if (sample->cell >= rings->count || !rings->steps[sample->cell] || sample->counter)
        return 0;
    uint64_t process = (uint64_t)sample->cell << 32 | sample->process;
    caches_add(rings->points, &rings->cells[sample->cell], process,
               (double)sample->value / (double)rings->steps[sample->cell]);
    return 0;
}

int caches_load(struct store *store, struct caches_points *points, struct caches_failures *failures,
                struct failure *failure)
{
    struct rings rings = {.points = points, .failures = failures};
    *failures = (struct caches_failures){0};
    int error = store_each_cell(store, take_cell, &rings, failure);
    if (error == 0)
        error = store_each_sample(store, 0, take_sample, &rings, failure);
    if (error == -E2BIG)
        fail_with(failure, error, "the store holds more cells than `assay caches` ever plans");
    return error;
}

/* --- the facts beside them --- */

static uint64_t claimed(const struct facts *facts, const char *cache, const char *what)
{
    char key[48];
    snprintf(key, sizeof(key), "cache.%s.%s", cache, what);
    long long number = facts_number(facts, key, 0);
    return number > 0 ? (uint64_t)number : 0;
}

void caches_claims(const struct facts *facts, struct caches_claims *claims)
{
    static const struct {
        unsigned level;
        const char *type, *cache;
    } known[] = {{1, "data", "l1d"},
                 {1, "unified", "l1"},
                 {2, "unified", "l2"},
                 {3, "unified", "l3"},
                 {4, "unified", "l4"}};
    claims->count = 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        struct caches_claim *claim = &claims->list[claims->count];
        *claim = (struct caches_claim){.level = known[i].level,
                                       .bytes = claimed(facts, known[i].cache, "bytes"),
                                       .line = claimed(facts, known[i].cache, "line_bytes"),
                                       .ways = claimed(facts, known[i].cache, "ways")};
        snprintf(claim->type, sizeof(claim->type), "%s", known[i].type);
        claims->count += claim->bytes != 0;
    }
}

uint64_t caches_page(const struct facts *facts)
{
    long long page = facts_number(facts, "memory.page_bytes", 0);
    bool sound = page >= 1024 && page <= (1 << 24) && (page & (page - 1)) == 0;
    return sound ? (uint64_t)page : 4096;
}

uint64_t caches_huge_page(const struct facts *facts)
{
    long long bytes = facts_number(facts, "memory.huge_page_bytes", 0);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

const char *caches_unfit(const struct facts *facts)
{
    if (!facts_get(facts, "emulated"))
        return NULL;
    return "the machine is emulated: its times say nothing of any cache";
}

const char *caches_no_huge(const struct facts *facts)
{
    const char *huge = facts_get(facts, "memory.huge_pages");
    if (huge && (strcmp(huge, "always") == 0 || strcmp(huge, "madvise") == 0))
        return NULL;
    return "the operating system gives no huge pages on request";
}

/* ----------------------------------------------------------------------------------------------
 * From the store of `assay caches` to parameters of specimens. */

enum key { LINE, L1D, L1D_WAYS, L2, L2_WAYS, LLC, LLC_WAYS, DTLB };
static const char *const keys[GEOMETRY_KEYS] = {
    [LINE] = "line",       [L1D] = "l1d", [L1D_WAYS] = "l1d_ways", [L2] = "l2",
    [L2_WAYS] = "l2_ways", [LLC] = "llc", [LLC_WAYS] = "llc_ways", [DTLB] = "dtlb",
};

static uint64_t known(const struct caches_value *value)
{
    return value->known ? value->value : 0;
}

static void take_row(const struct caches_row *row, uint64_t page, struct geometry *geometry)
{
    uint64_t *values = geometry->values;
    bool tlb = strcmp(row->type, "tlb") == 0, cache = strncmp(row->type, "tlb", 3) != 0;
    if (tlb && row->level == 1)
        values[DTLB] = known(&row->bytes) / page;
    if (!cache)
        return;
    if (row->level == 1) {
        values[LINE] = known(&row->line);
        values[L1D] = known(&row->bytes);
        values[L1D_WAYS] = known(&row->ways);
    } else if (row->level == 2) {
        values[L2] = known(&row->bytes);
        values[L2_WAYS] = known(&row->ways);
    } else {
        values[LLC] = known(&row->bytes);
        values[LLC_WAYS] = known(&row->ways);
    }
}

static int judge_store(struct store *store, struct geometry *geometry, struct failure *failure)
{
    AUTO_FACTS struct facts facts = {0};
    struct caches_points points = {0};
    struct caches_failures failures;
    struct caches_claims claims;
    struct caches_report report;
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    if (error == 0)
        error = store_facts(store, &facts, failure);
    if (error == 0)
        error = caches_load(store, &points, &failures, failure);
    if (error == 0) {
        caches_claims(&facts, &claims);
        struct caches_situation situation = {.page = caches_page(&facts),
                                             .claims = claims.list,
                                             .claim_count = claims.count,
                                             .unfit = caches_unfit(&facts),
                                             .seed = info.seed};
        caches_judge(&points, &situation, &report);
        for (size_t i = 0; i < report.row_count; i++)
            take_row(&report.rows[i], situation.page, geometry);
    }
    store_info_release(&info);
    return error;
}

void geometry_load(const struct catalogue *catalogue, const struct common_options *common,
                   struct geometry *geometry)
{
    AUTO_FREE char *path = NULL;
    struct store *store = NULL;
    struct failure failure = {0};
    *geometry = (struct geometry){0};
    if (store_latest(catalogue->fingerprint, "caches", &path, &failure) < 0)
        return;
    int error = store_open(&store, path, false, &failure);
    if (error == 0)
        error = judge_store(store, geometry, &failure);
    store_close(store);
    if (error < 0)
        deliver_remark(common, "what `assay caches` measured here cannot be used: %s",
                       failure.text);
}

/* Is the word in a list separated by spaces? */
static bool takes(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* Does the name give the key, behind the slash or a comma? */
static bool gives(const char *name, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = strchr(name, '/'); at; at = strchr(at + 1, ','))
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '=')
            return true;
    return false;
}

char *geometry_complete_name(const struct geometry *geometry, const struct catalogue *catalogue,
                             const char *name)
{
    const struct catalogue_specimen *specimen = catalogue_specimen(catalogue, name);
    struct text complete = {0};
    size_t length = strlen(name);
    bool open = strchr(name, '/') && name[length - 1] == '/';
    text_append(&complete, name, open ? length - 1 : length);
    bool any = open && length >= 2 && name[length - 2] != '/';
    bool added = false;
    for (size_t i = 0; specimen && i < GEOMETRY_KEYS; i++) {
        if (!geometry->values[i] || !takes(specimen->parameters, keys[i]) || gives(name, keys[i]))
            continue;
        text_printf(&complete, "%s%s=%" PRIu64,
                    any || added ? ","
                    : open       ? ""
                                 : "/",
                    keys[i], geometry->values[i]);
        added = true;
    }
    if (added || open)
        text_putc(&complete, '/');
    return text_take(&complete);
}
