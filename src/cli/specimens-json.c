/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Specimens and their truths as JSON: one result for each specimen and class. */
#include <errno.h>
#include <string.h>

#include "cli/deliver.h"
#include "commands/specimens.h"

static json_t *sources_json(const char *sources)
{
    json_t *array = json_array();
    for (const char *at = sources; *at;) {
        size_t length = strcspn(at, ",");
        if (length)
            json_array_append_new(array, json_stringn(at, length));
        at += length + (at[length] == ',');
    }
    return array;
}

static void put_predicted(json_t *object, const struct specimen_list *list,
                          const struct catalogue_specimen *specimen,
                          const struct catalogue_truth *truth)
{
    int64_t count;
    if (specimens_predict(list, specimen, truth, &count))
        json_object_set_new(object, "predicted", json_difference(count));
    else if (!list->counted)
        json_absent(object, "predicted", "no N was given");
    else if (specimens_out_of_range(list, specimen))
        json_absent(object, "predicted", "the specimen does not do this N");
    else
        json_absent(object, "predicted",
                    strcmp(truth->grade, "bounded") == 0 ? "only limits can be stated"
                                                         : "more than 64 bits hold");
}

static void put_decoded(json_t *object, const struct specimen_list *list,
                        const struct listed_specimen *listed, const char *class)
{
    if (!list->counted) {
        json_absent(object, "decoded", "no N was given");
        return;
    }
    json_t *counts = json_object();
    for (size_t i = 0; i < SPECIMEN_DECODERS && decoders[i]; i++) {
        int64_t count;
        bool known = specimens_decoded(list, listed, i, class, &count);
        json_object_set_new(counts, decoders[i]->name,
                            known ? json_difference(count) : json_null());
    }
    json_object_set_new(object, "decoded", counts);
}

static json_t *truth_json(const struct specimen_list *list, const struct listed_specimen *listed,
                          const struct catalogue_truth *truth)
{
    bool bounded = strcmp(truth->grade, "bounded") == 0;
    json_t *object = json_object();
    json_object_set_new(object, "specimen", json_text(listed->specimen->name));
    json_object_set_new(object, "class", json_text(truth->class));
    json_object_set_new(object, "base", json_difference(truth->base));
    json_object_set_new(object, "each", json_difference(truth->each));
    json_object_set_new(object, "high_base",
                        bounded ? json_difference(truth->high_base) : json_null());
    json_object_set_new(object, "high_each",
                        bounded ? json_difference(truth->high_each) : json_null());
    json_object_set_new(object, "grade", json_text(truth->grade));
    json_object_set_new(object, "why", *truth->why ? json_text(truth->why) : json_null());
    json_object_set_new(object, "sources", sources_json(truth->sources));
    json_object_set_new(object, "n", list->counted ? json_count(list->n) : json_null());
    put_predicted(object, list, listed->specimen, truth);
    put_decoded(object, list, listed, truth->class);
    return object;
}

static json_t *specimen_json(const struct catalogue_specimen *specimen)
{
    json_t *object = json_object();
    json_object_set_new(object, "specimen", json_text(specimen->name));
    json_object_set_new(object, "summary", json_text(specimen->summary));
    json_object_set_new(object, "stresses", json_text(specimen->stresses));
    json_object_set_new(object, "needs",
                        *specimen->needs ? json_text(specimen->needs) : json_null());
    json_object_set_new(object, "parameters", json_text(specimen->parameters));
    json_object_set_new(object, "min_n", json_count(specimen->min_n));
    json_object_set_new(object, "max_n", json_count(specimen->max_n));
    return object;
}

static void put_skipped(json_t *skipped, const struct specimen_list *list)
{
    for (size_t i = 0; i < list->catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &list->catalogue->absences[i];
        if (strcmp(absence->kind, "specimen") == 0 && specimens_want(list, absence->name))
            json_array_append_new(skipped,
                                  json_skipped(absence->name, absence->reason, absence->error));
    }
    for (size_t i = 0; list->counted && i < list->count; i++)
        for (size_t j = 0; j < SPECIMEN_DECODERS && decoders[j]; j++) {
            char what[128];
            const struct decoded_counts *decoded = &list->list[i].decoded[j];
            snprintf(what, sizeof(what), "%.80s decoded by %s", list->list[i].specimen->name,
                     decoders[j]->name);
            if (!decoded->told)
                json_array_append_new(skipped, json_skipped(what, decoded->reason, ENOTSUP));
        }
}

int specimens_deliver_json(const struct specimen_list *list, int status)
{
    json_t *results = json_array();
    json_t *described = json_array();
    json_t *skipped = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const struct catalogue_specimen *specimen = list->list[i].specimen;
        json_array_append_new(described, specimen_json(specimen));
        for (size_t j = 0; j < specimen->truth_count; j++)
            json_array_append_new(results, truth_json(list, &list->list[i], &specimen->truths[j]));
    }
    put_skipped(skipped, list);
    json_t *analysis = json_object();
    json_object_set_new(analysis, "isa", json_text(list->catalogue->isa));
    json_object_set_new(analysis, "specimens", described);
    struct envelope envelope = {.facts = &list->catalogue->facts,
                                .fingerprint = list->catalogue->fingerprint,
                                .results = results,
                                .analysis = analysis,
                                .skipped = skipped};
    return deliver_json("events", list->common, &envelope, status);
}
