/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the latest store of `assay validate` to a verdict for each event. */
#include "cli/latest-verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "study/validate.h"

/* Seconds since a moment written as 2026-11-15T19:35:27Z; 0 for one in the future or of another
 * form. */
static int64_t age_of(const char *moment)
{
    struct tm parts = {0};
    const char *end = moment ? strptime(moment, "%Y-%m-%dT%H:%M:%SZ", &parts) : NULL;
    if (!end || *end)
        return 0;
    time_t then = timegm(&parts), now = time(NULL);
    return now > then ? (int64_t)(now - then) : 0;
}

static void release_run(struct latest_run *run)
{
    judgements_release(&run->judgements);
    case_release(&run->file);
    *run = (struct latest_run){0};
}

static int judge(struct store *store, struct latest_run *run, struct failure *failure)
{
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    uint64_t seed = info.seed;
    run->age_s = age_of(info.started);
    snprintf(run->started, sizeof(run->started), "%s", info.started ? info.started : "");
    store_info_release(&info);
    if (error == 0)
        error = validate_load(store, &run->file, failure);
    return error < 0 ? error : judge_case(&run->file, seed, &run->judgements);
}

static int load_run(const char *path, struct latest_run *run, struct failure *failure)
{
    struct store *store = NULL;
    int error = store_open(&store, path, false, failure);
    if (error == 0)
        error = judge(store, run, failure);
    store_close(store);
    if (error < 0)
        release_run(run);
    return error;
}

void latest_verdicts_load(const char *fingerprint, const struct common_options *common,
                          struct latest_verdicts *latest)
{
    AUTO_FREE char *path = NULL;
    *latest = (struct latest_verdicts){0};
    for (size_t tried = 0; tried < LATEST_RUNS; tried++) {
        struct failure failure = {0};
        char *older;
        if (store_latest_before(fingerprint, "validate", path, &older, &failure) < 0)
            return;
        free(path);
        path = older;
        if (load_run(path, &latest->runs[latest->count], &failure) == 0)
            latest->count++;
        else
            deliver_remark(common, "what `assay validate` found here cannot be used: %s",
                           failure.text[0] ? failure.text : "out of memory");
    }
}

static const struct judgement *find(const struct latest_run *run, const char *name)
{
    for (size_t i = 0; i < run->judgements.count; i++)
        if (strcmp(run->judgements.list[i].evidence->event, name) == 0)
            return &run->judgements.list[i];
    return NULL;
}

const struct judgement *latest_verdict(const struct latest_verdicts *latest, const char *name,
                                       int64_t *age_s)
{
    const struct judgement *best = NULL;
    for (size_t i = 0; i < latest->count; i++) {
        const struct judgement *found = find(&latest->runs[i], name);
        if (!found || (best && verdict_weight(found->verdict, found->cause) <=
                                   verdict_weight(best->verdict, best->cause)))
            continue;
        best = found;
        *age_s = latest->runs[i].age_s;
    }
    return best;
}

void latest_verdicts_free(struct latest_verdicts *latest)
{
    for (size_t i = 0; i < latest->count; i++)
        release_run(&latest->runs[i]);
    latest->count = 0;
}
