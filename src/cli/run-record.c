/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The record of a run, kept beside its parts as JSON: what was asked for, and how far it came.
 * Written anew, whole, whenever a part begins or ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "commands/run.h"
#include "output/json.h"
#include "output/output.h"

#define RECORD_SCHEMA "assay-run/1"

static json_t *part_json(const struct run_part *part)
{
    json_t *object = json_object();
    json_object_set_new(object, "part", json_text(part->kind->command));
    json_object_set_new(object, "state", json_text(part_state_name(part->state)));
    json_object_set_new(object, "spent_ms", json_integer((json_int_t)part->spent_ms));
    json_object_set_new(object, "reason", json_text(part->reason));
    return object;
}

/* Who goes on with the run may stand in another folder. */
static json_t *place_json(const char *path)
{
    AUTO_FREE char *folder =
        path && path[0] != '/' && strcmp(path, "-") != 0 ? getcwd(NULL, 0) : NULL;
    AUTO_TEXT struct text whole = {0};
    if (!folder)
        return json_text(path);
    text_printf(&whole, "%s/%s", folder, path);
    return json_text(text_string(&whole));
}

static json_t *record_of(const struct running *running)
{
    const struct run_plan *plan = &running->plan;
    json_t *object = json_object(), *parts = json_array();
    for (size_t i = 0; i < RUN_PARTS; i++)
        json_array_append_new(parts, part_json(&plan->parts[i]));
    json_object_set_new(object, "schema", json_string(RECORD_SCHEMA));
    json_object_set_new(object, "seed", json_integer((json_int_t)plan->seed));
    json_object_set_new(object, "quick", json_boolean(plan->quick));
    json_object_set_new(object, "emulated", json_boolean(plan->emulated));
    json_object_set_new(object, "total_ms", json_integer((json_int_t)plan->total_ms));
    json_object_set_new(object, "via", json_text(running->via));
    json_object_set_new(object, "report", place_json(running->report));
    json_object_set_new(object, "fingerprint", json_text(running->fingerprint));
    json_object_set_new(object, "parts", parts);
    return object;
}

int run_record_write(const struct running *running, struct failure *failure)
{
    AUTO_FREE char *path = run_place_record(&running->place);
    struct output output = {0};
    json_t *record = record_of(running);
    int error = path && record ? output_open(&output, path, failure) : -ENOMEM;
    if (error == 0 && json_dumpf(record, output.stream, JSON_INDENT(1)) < 0)
        error = fail_with(failure, -EIO, "cannot write %.500s", path);
    if (error == 0)
        error = output_commit(&output, failure);
    if (path && record)
        output_discard(&output);
    json_decref(record);
    return error == -ENOMEM ? fail_with(failure, error, "out of memory") : error;
}

static int read_part(const json_t *object, struct run_part *part)
{
    const char *name = json_string_value(json_object_get(object, "part"));
    const char *reason = json_string_value(json_object_get(object, "reason"));
    json_int_t spent = json_integer_value(json_object_get(object, "spent_ms"));
    if (!name || strcmp(name, part->kind->command) != 0 || spent < 0 ||
        !part_state_read(json_string_value(json_object_get(object, "state")), &part->state))
        return -EBADMSG;
    part->spent_ms = (uint64_t)spent;
    part->reason = reason ? strdup(reason) : NULL;
    return reason && !part->reason ? -ENOMEM : 0;
}

static char *copy_of(const json_t *record, const char *key)
{
    const char *text = json_string_value(json_object_get(record, key));
    return text ? strdup(text) : NULL;
}

static int read_record(const json_t *record, struct running *running)
{
    struct run_plan *plan = &running->plan;
    const char *schema = json_string_value(json_object_get(record, "schema"));
    const json_t *parts = json_object_get(record, "parts");
    json_int_t total = json_integer_value(json_object_get(record, "total_ms"));
    if (!schema || strcmp(schema, RECORD_SCHEMA) != 0 || json_array_size(parts) != RUN_PARTS ||
        total <= 0)
        return -EBADMSG;
    plan->seed = (uint64_t)json_integer_value(json_object_get(record, "seed"));
    plan->quick = json_is_true(json_object_get(record, "quick"));
    plan->emulated = json_is_true(json_object_get(record, "emulated"));
    plan->total_ms = (uint64_t)total;
    running->recorded_via = copy_of(record, "via");
    running->recorded_fingerprint = copy_of(record, "fingerprint");
    running->report = copy_of(record, "report");
    int error = 0;
    for (size_t i = 0; i < RUN_PARTS && error == 0; i++) {
        plan->parts[i] = (struct run_part){.kind = &part_kinds[i]};
        error = read_part(json_array_get(parts, i), &plan->parts[i]);
    }
    return error;
}

int run_record_read(struct running *running, struct failure *failure)
{
    AUTO_FREE char *path = run_place_record(&running->place);
    if (!path)
        return fail_with(failure, -ENOMEM, "out of memory");
    json_t *record = json_load_file(path, 0, NULL);
    int error = record ? read_record(record, running) : -EBADMSG;
    json_decref(record);
    if (error == -ENOMEM)
        return fail_with(failure, error, "out of memory");
    if (error < 0)
        return fail_with(
            failure, error,
            "%.500s is damaged, missing or of another version of assay: the run cannot "
            "be gone on with. Its stores beside it can be judged (`assay report`)",
            path);
    return 0;
}
