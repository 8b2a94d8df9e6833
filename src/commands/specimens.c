/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers what the machine says of its specimens; where counts for an N are asked for, fetches the
 * code of each and has every decoder count it. */
#include "commands/specimens.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "cli/nearest.h"
#include "show/progress.h"

bool specimens_want(const struct specimen_list *list, const char *name)
{
    return !list->glob || fnmatch(list->glob, name, 0) == 0;
}

bool specimens_out_of_range(const struct specimen_list *list,
                            const struct catalogue_specimen *specimen)
{
    return list->counted && (list->n < specimen->min_n || list->n > specimen->max_n);
}

bool specimens_predict(const struct specimen_list *list, const struct catalogue_specimen *specimen,
                       const struct catalogue_truth *truth, int64_t *count)
{
    return list->counted && !specimens_out_of_range(list, specimen) &&
           strcmp(truth->grade, "bounded") != 0 &&
           linear_at((struct linear){truth->base, truth->each}, list->n, count);
}

bool specimens_decoded(const struct specimen_list *list, const struct listed_specimen *listed,
                       size_t decoder, const char *class, int64_t *count)
{
    const struct decoded_counts *decoded = &listed->decoded[decoder];
    const struct tally *tally = decoded->told ? tallies_find(&decoded->tallies, class) : NULL;
    return tally && tally->known && list->n >= listed->specimen->min_n &&
           list->n <= listed->specimen->max_n && linear_at(tally->count, list->n, count);
}

static int gather(struct specimen_list *list)
{
    const struct catalogue *catalogue = list->catalogue;
    list->list = calloc(catalogue->specimen_count + 1, sizeof(*list->list));
    if (!list->list)
        return -ENOMEM;
    for (size_t i = 0; i < catalogue->specimen_count; i++)
        if (specimens_want(list, catalogue->specimens[i].name))
            list->list[list->count++].specimen = &catalogue->specimens[i];
    return 0;
}

static bool absent_matches(const struct specimen_list *list)
{
    for (size_t i = 0; i < list->catalogue->absence_count; i++)
        if (strcmp(list->catalogue->absences[i].kind, "specimen") == 0 &&
            specimens_want(list, list->catalogue->absences[i].name))
            return true;
    return false;
}

static void count_with(struct decoded_counts *decoded, const struct decoder *decoder,
                       const char *isa, const struct sent_code *sent)
{
    struct failure failure = {0};
    AUTO_FREE struct linear *trips = calloc(sent->trip_count + 1, sizeof(*trips));
    for (size_t i = 0; trips && i < sent->trip_count; i++)
        trips[i] = (struct linear){sent->trips[i].base, sent->trips[i].each};
    const struct specimen_code code = {
        .code = {isa, sent->address, sent->bytes, sent->length},
        .call = {isa, sent->call_address, sent->call, sent->call_length},
        .trips = {trips, sent->trip_count, sent->min_n},
    };
    decoded->told = trips && count_code(decoder, &code, &decoded->tallies, &failure) == 0;
    if (!decoded->told)
        snprintf(decoded->reason, sizeof(decoded->reason), "%.255s",
                 trips ? failure.text : "out of memory");
}

/* Negative errno when the session is lost; what cannot be decoded is noted, and no error. */
static int decode_one(const struct specimen_list *list, struct session *session,
                      struct listed_specimen *listed, struct failure *failure)
{
    struct sent_code sent;
    int status = session_code(session, listed->specimen->name, &sent, failure);
    if (status < 0 && status != -ENOTSUP && status != -ENOENT && status != -EINVAL)
        return status;
    for (size_t i = 0; i < SPECIMEN_DECODERS && decoders[i]; i++) {
        if (status == 0)
            count_with(&listed->decoded[i], decoders[i], list->catalogue->isa, &sent);
        else
            snprintf(listed->decoded[i].reason, sizeof(listed->decoded[i].reason), "%.255s",
                     failure->text);
    }
    if (status == 0)
        sent_code_release(&sent);
    return 0;
}

static int decode_all(struct specimen_list *list, struct session *session, struct failure *failure)
{
    struct progress progress = {0};
    int status = 0;
    progress_begin(&progress, "specimens", list->count, list->common->quiet);
    for (size_t i = 0; i < list->count && status == 0; i++) {
        if (interrupted)
            status = fail_with(failure, -EINTR, "interrupted");
        else
            status = decode_one(list, session, &list->list[i], failure);
        progress_step(&progress);
    }
    progress_end(&progress);
    return status;
}

static int no_match(const struct specimen_list *list)
{
    struct failure failure = {0};
    struct nearest nearest = {.word = list->glob};
    for (size_t i = 0; i < list->catalogue->specimen_count; i++)
        nearest_offer(&nearest, list->catalogue->specimens[i].name);
    fail_with(&failure, -ENOENT,
              "no specimen matches '%.200s'%s%s%s `assay events --specimens` lists them all",
              list->glob, nearest.best ? ": did you mean '" : ".", nearest.best ? nearest.best : "",
              nearest.best ? "'?" : "");
    deliver_failure("events", &failure, EXIT_LACKING);
    return list->common->json ? specimens_deliver_json(list, EXIT_LACKING) : EXIT_LACKING;
}

int specimens_run(const struct common_options *common, struct session *session, const char *glob,
                  const struct optional *n)
{
    struct specimen_list list = {.common = common,
                                 .catalogue = session_catalogue(session),
                                 .glob = glob,
                                 .counted = n->given,
                                 .n = n->value};
    struct failure failure = {0};
    int status = gather(&list);
    if (status < 0)
        fail_with(&failure, status, "out of memory");
    else if (list.counted)
        status = decode_all(&list, session, &failure);
    int code = EXIT_DONE;
    if (status < 0)
        code =
            deliver_failure("events", &failure, status == -EINTR ? EXIT_INTERRUPTED : EXIT_FAILED);
    else if (!list.count && !absent_matches(&list))
        code = no_match(&list);
    else if (common->json)
        code = specimens_deliver_json(&list, list.count ? EXIT_DONE : EXIT_LACKING);
    else
        code = specimens_deliver_person(&list, list.count ? EXIT_DONE : EXIT_LACKING);
    free(list.list);
    return code;
}
