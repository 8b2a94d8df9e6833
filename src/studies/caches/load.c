/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to what the study of caches judges: the points that were measured, and from the
 * facts beside them the claims and what stands in the way. Touches no machine. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "engine/loading.h"
#include "studies/caches/parts.h"

#define MOST_CELLS 8192u /* several times what the study plans; judging more takes minutes */

/* The cells of a store that are rings. */
struct rings {
    struct failure *failure;
    struct caches_points *points;
    struct caches_progress *progress;
    struct ring {
        struct caches_point point;
        uint64_t steps;
    } * list;
    size_t count;
};

static int take_cell(void *context, const struct stored_cell *stored, size_t *place)
{
    struct rings *rings = context;
    struct caches_progress *progress = rings->progress;
    struct caches_point point;
    if (stored->cell.id > MOST_CELLS)
        return fail_with(rings->failure, -E2BIG,
                         "the store holds more cells than `assay caches` ever plans");
    if (stored->failed && stored->reason && !progress->failed)
        snprintf(progress->reason, sizeof(progress->reason), "%s", stored->reason);
    progress->planned += stored->processes;
    progress->done += stored->done;
    progress->failed += stored->failed;
    if (!caches_from_specimen(stored->cell.specimen, &point))
        return 0;
    progress->missing[point.shape] += stored->processes - stored->done - stored->failed;
    if (!stored->cell.n)
        return 0;
    if (stored->failed)
        caches_add_failed(rings->points, &point, stored->failed);
    *place = rings->count;
    *memory_add(rings->list, rings->count) = (struct ring){point, stored->cell.n};
    return 0;
}

static int take_run(void *context, const struct read_run *run)
{
    struct rings *rings = context;
    const struct ring *ring = &rings->list[run->place];
    caches_add(rings->points, &ring->point, (uint64_t)(run->place + 1) << 32 | run->process,
               (double)run->values[0] / (double)ring->steps);
    return 0;
}

int caches_load(struct store *store, struct caches_points *points, struct caches_progress *progress,
                struct failure *failure)
{
    struct rings rings = {.failure = failure, .points = points, .progress = progress};
    struct reader reader = {.store = store,
                            .failure = failure,
                            .context = &rings,
                            .cell = take_cell,
                            .run = take_run,
                            .by_cell = true};
    *points = (struct caches_points){0};
    *progress = (struct caches_progress){0};
    return reader_read(&reader);
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

void caches_judge_on(const struct facts *facts, const char *unfit, uint64_t seed,
                     const struct caches_points *points, struct caches_claims *claims,
                     struct caches_report *report)
{
    const long long huge_page = facts_number(facts, "memory.huge_page_bytes", 0);
    caches_claims(facts, claims);
    const struct caches_situation situation = {.page = caches_page(facts),
                                               .huge_page = huge_page > 0 ? (uint64_t)huge_page : 0,
                                               .claims = claims->list,
                                               .claim_count = claims->count,
                                               .unfit = unfit,
                                               .no_huge = caches_no_huge(facts),
                                               .seed = seed};
    caches_judge(points, &situation, report);
}

/* ----------------------------------------------------------------------------------------------
 * From the store of `assay caches` to parameters of specimens. */

/* Which value of which row: of a cache, where 3 is whatever comes after the second, or of a TLB. */
static const struct {
    const char *key;
    bool tlb;
    unsigned level;
    size_t value;
} keys[GEOMETRY_KEYS] = {
    {"line", false, 1, offsetof(struct caches_row, line)},
    {"l1d", false, 1, offsetof(struct caches_row, bytes)},
    {"l1d_ways", false, 1, offsetof(struct caches_row, ways)},
    {"l2", false, 2, offsetof(struct caches_row, bytes)},
    {"l2_ways", false, 2, offsetof(struct caches_row, ways)},
    {"llc", false, 3, offsetof(struct caches_row, bytes)},
    {"llc_ways", false, 3, offsetof(struct caches_row, ways)},
    {"dtlb", true, 1, offsetof(struct caches_row, bytes)},
};

static void take_row(const struct caches_row *row, uint64_t page, struct geometry *geometry)
{
    for (size_t i = 0; i < GEOMETRY_KEYS; i++) {
        const struct caches_value *value = (const void *)((const char *)row + keys[i].value);
        const bool same = row->tlb == keys[i].tlb && strcmp(row->type, "tlb-huge") != 0;
        if (same && keys[i].level == (row->level < 3 || row->tlb ? row->level : 3))
            geometry->values[i] = value->known ? value->value / (row->tlb ? page : 1) : 0;
    }
}

static int judge_store(struct store *store, struct geometry *geometry, struct failure *failure)
{
    AUTO_FACTS struct facts facts = {0};
    struct caches_points points;
    struct caches_progress progress;
    struct caches_claims claims;
    struct caches_report report;
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    if (error == 0)
        error = store_facts(store, &facts, failure);
    if (error == 0)
        error = caches_load(store, &points, &progress, failure);
    if (error == 0)
        caches_judge_on(&facts, caches_unfit(&facts), info.seed, &points, &claims, &report);
    for (size_t i = 0; error == 0 && i < report.row_count; i++)
        take_row(&report.rows[i], caches_page(&facts), geometry);
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
    const size_t length = strlen(name);
    const bool open = strchr(name, '/') && name[length - 1] == '/';
    struct text complete = {0};
    bool added = false;
    text_append(&complete, name, open ? length - 1 : length);
    for (size_t i = 0; specimen && i < GEOMETRY_KEYS; i++) {
        const char *so_far = text_string(&complete), *slash = strchr(so_far, '/');
        if (!geometry->values[i] || !takes(specimen->parameters, keys[i].key) ||
            gives(name, keys[i].key))
            continue;
        text_printf(&complete, "%s%s=%" PRIu64,
                    !slash     ? "/"
                    : slash[1] ? ","
                               : "",
                    keys[i].key, geometry->values[i]);
        added = true;
    }
    if (added || open)
        text_putc(&complete, '/');
    return text_take(&complete);
}
