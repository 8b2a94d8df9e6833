/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the store of `assay caches` to parameters of specimens. */
#include "cli/geometry.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/deliver.h"
#include "studies/caches/study.h"

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
    caches_points_free(&points);
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
