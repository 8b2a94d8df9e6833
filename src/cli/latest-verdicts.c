/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the latest store of `assay validate` to a verdict for each event. */
#include "cli/latest-verdicts.h"

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

static int judge(struct store *store, struct latest_verdicts *latest, struct failure *failure)
{
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    uint64_t seed = info.seed;
    latest->age_s = age_of(info.started);
    store_info_release(&info);
    if (error == 0)
        error = validate_load(store, &latest->file, failure);
    return error < 0 ? error : judge_case(&latest->file, seed, &latest->judgements);
}

void latest_verdicts_load(const struct catalogue *catalogue, const struct common_options *common,
                          struct latest_verdicts *latest)
{
    AUTO_FREE char *path = NULL;
    struct store *store = NULL;
    struct failure failure = {0};
    *latest = (struct latest_verdicts){0};
    if (store_latest(catalogue->fingerprint, "validate", &path, &failure) < 0)
        return;
    int error = store_open(&store, path, false, &failure);
    if (error == 0)
        error = judge(store, latest, &failure);
    store_close(store);
    if (error < 0)
        deliver_remark(common, "what `assay validate` found here cannot be used: %s",
                       failure.text[0] ? failure.text : "out of memory");
}

static bool is_name(const char *known, const char *name, const char *mode)
{
    size_t length = strlen(name);
    return strncmp(known, name, length) == 0 && strcmp(known + length, mode) == 0;
}

const struct judgement *latest_verdict(const struct latest_verdicts *latest, const char *name)
{
    size_t length = strlen(name);
    const char *const modes[] = {"", length && name[length - 1] == '/' ? "u" : ":u"};
    for (size_t mode = 0; mode < 2; mode++)
        for (size_t i = 0; i < latest->judgements.count; i++)
            if (is_name(latest->judgements.list[i].evidence->event, name, modes[mode]))
                return &latest->judgements.list[i];
    return NULL;
}

void latest_verdicts_free(struct latest_verdicts *latest)
{
    judgements_release(&latest->judgements);
    case_release(&latest->file);
    *latest = (struct latest_verdicts){0};
}
