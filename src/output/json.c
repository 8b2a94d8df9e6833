/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON of results: one envelope, so that a script finds the same keys whatever the command. */
#include "output/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/field.h"
#include "output/table.h"
#include "wire/cell.h"

#define EXACT_IN_A_DOUBLE (UINT64_C(1) << 53)

json_t *json_count(uint64_t value)
{
    char digits[24];
    if (value <= EXACT_IN_A_DOUBLE)
        return json_integer((json_int_t)value);
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    return json_string(digits);
}

json_t *json_difference(int64_t value)
{
    char digits[24];
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (magnitude <= EXACT_IN_A_DOUBLE)
        return json_integer(value);
    snprintf(digits, sizeof(digits), "%" PRId64, value);
    return json_string(digits);
}

json_t *json_text(const char *string)
{
    if (!string)
        return json_null();
    AUTO_TEXT struct text valid = {0};
    text_put_utf8(&valid, string);
    return json_string(text_string(&valid));
}

const char *json_word(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

json_t *json_put_members(json_t *object, const struct json_member *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, members[i].key, members[i].value);
    return object;
}

void json_absent(json_t *object, const char *key, const char *reason)
{
    AUTO_TEXT struct text reason_key = {0};
    text_printf(&reason_key, "%s_reason", key);
    JSON_PUT(object, {key, json_null()}, {text_string(&reason_key), json_text(reason)});
}

void json_put(json_t *object, const char *key, json_t *value, const char *reason)
{
    if (value)
        json_object_set_new(object, key, value);
    else
        json_absent(object, key, reason);
}

void json_put_real(json_t *object, const char *key, double value, const char *reason)
{
    if (isfinite(value))
        json_object_set_new(object, key, json_real(value));
    else
        json_absent(object, key, reason);
}

void json_put_reals(json_t *object, const struct json_real *reals, size_t count)
{
    static const char untold[] = "it cannot be stated from what was measured";
    for (size_t i = 0; i < count; i++)
        json_put_real(object, reals[i].key, reals[i].value,
                      reals[i].reason ? reals[i].reason : untold);
}

struct skipped {
    const char *what, *reason;
    bool failed;
    int32_t error;
};
static const struct field skipped_fields[] = {
    {"what", AT(struct skipped, what), "what was asked for and is not in the results"},
    {"reason", AT(struct skipped, reason), "why"},
    {"errno", AT(struct skipped, error), "of the call that failed", .nullable = true,
     .known = KNOWN(struct skipped, failed)},
};
const struct fields skipped_table =
    FIELDS("skipped", "something that was asked for and is missing", skipped_fields);

json_t *json_skipped(const char *what, const char *reason, int error)
{
    return fields_json(&skipped_table, &(struct skipped){what, reason, error != 0, error}, NULL);
}

/* What a reader needs to recognise a machine; the store keeps every fact. */
struct machine {
    const char *fingerprint, *isa, *cpu, *microcode, *kernel, *os, *hypervisor, *container,
        *emulated;
    bool counted;
    int64_t cpus;
};
#define TOLD .nullable = true
static const struct field machine_fields[] = {
    {"fingerprint", AT(struct machine, fingerprint), "the same for the same machine", TOLD},
    {"isa", AT(struct machine, isa), "x86_64, aarch64 …", TOLD},
    {"cpu", AT(struct machine, cpu), "the CPU's name for itself", TOLD},
    {"microcode", AT(struct machine, microcode), "its version", TOLD},
    {"kernel", AT(struct machine, kernel), "release of the operating system's kernel", TOLD},
    {"os", AT(struct machine, os), "the operating system", TOLD},
    {"hypervisor", AT(struct machine, hypervisor), "null on bare metal, or where nothing says",
     TOLD},
    {"container", AT(struct machine, container), "null outside of one", TOLD},
    {"emulated", AT(struct machine, emulated), "by which emulator; its times mean nothing", TOLD},
    {"cpus", AT(struct machine, cpus), "CPUs of the machine", TOLD,
     .known = KNOWN(struct machine, counted)},
};
const struct fields machine_table = FIELDS("machine", "the machine under test", machine_fields);

static const char *fact_value(const struct facts *facts, const char *key)
{
    for (size_t i = 0; facts && i < facts->count; i++) {
        if (strcmp(facts->list[i].key, key) == 0)
            return facts->list[i].value;
    }
    return NULL;
}

const void *machine_of_facts(const struct facts *facts, const char *fingerprint)
{
    const char *count = fact_value(facts, "cpu.count");
    struct machine *machine = memory_new(1, sizeof(*machine));
    *machine = (struct machine){.fingerprint = fingerprint,
                                .isa = fact_value(facts, "isa"),
                                .cpu = fact_value(facts, "cpu.model_name"),
                                .microcode = fact_value(facts, "cpu.microcode"),
                                .kernel = fact_value(facts, "kernel.release"),
                                .os = fact_value(facts, "os.name"),
                                .hypervisor = fact_value(facts, "hypervisor"),
                                .container = fact_value(facts, "container"),
                                .emulated = fact_value(facts, "emulated"),
                                .counted = count != NULL,
                                .cpus = count ? atoll(count) : 0};
    return machine;
}

static json_t *given_or(json_t **value, json_t *empty)
{
    json_t *result = *value;
    *value = NULL;
    if (!result)
        return empty;
    json_decref(empty);
    return result;
}

static json_t *envelope_json(struct envelope *envelope)
{
    json_t *object =
        JSON_OBJECT({"schema", json_string("assay/1")}, {"version", json_string(ASSAY_VERSION)},
                    {"command", json_text(envelope->command)});
    json_t *list = json_array();
    for (int i = 0; i < envelope->argc; i++)
        json_array_append_new(list, json_text(envelope->argv[i]));
    json_object_set_new(object, "argv", list);

    JSON_PUT(
        object, {"seed", envelope->has_seed ? json_count(envelope->seed) : json_null()},
        {"machine", fields_json(&machine_table,
                                machine_of_facts(envelope->facts, envelope->fingerprint), NULL)},
        {"results", given_or(&envelope->results, json_array())},
        {"analysis", given_or(&envelope->analysis, json_object())},
        {"skipped", given_or(&envelope->skipped, json_array())},
        {"findings", given_or(&envelope->findings, json_array())});
    if (envelope->gate)
        json_object_set_new(object, "gate", envelope->gate);
    envelope->gate = NULL;
    return object;
}

void json_envelope_release(struct envelope *envelope)
{
    json_decref(envelope->results);
    json_decref(envelope->analysis);
    json_decref(envelope->skipped);
    json_decref(envelope->findings);
    json_decref(envelope->gate);
    envelope->results = envelope->analysis = envelope->skipped = envelope->findings =
        envelope->gate = NULL;
}

/* As many digits as any decimal number survives: 0.97 stays 0.97. */
#define WRITTEN (JSON_COMPACT | JSON_REAL_PRECISION(15))

/* One line per element of a list: readable, and still searchable line by line. */
static int write_value(FILE *stream, const json_t *value)
{
    if (!json_is_array(value) || !json_array_size(value) ||
        !json_is_object(json_array_get(value, 0)))
        return json_dumpf(value, stream, JSON_ENCODE_ANY | WRITTEN);
    size_t index;
    json_t *element;
    fputs("[\n", stream);
    json_array_foreach(value, index, element)
    {
        fputs(index ? ",\n    " : "    ", stream);
        if (json_dumpf(element, stream, WRITTEN) < 0)
            return -1;
    }
    fputs("\n  ]", stream);
    return 0;
}

int json_envelope_stream(struct envelope *envelope, FILE *stream, json_rows *rows, void *context,
                         struct failure *failure)
{
    json_t *object = envelope_json(envelope);
    const char *key;
    json_t *value;
    const char *lead = "{\n";
    int error = 0;
    json_object_foreach(object, key, value)
    {
        fprintf(stream, "%s  \"%s\": ", lead, key);
        if (rows && strcmp(key, "results") == 0) {
            /* Rows that come one by one, in the place of results. */
            fputs("[", stream);
            error = rows(context, stream, failure);
            fputs("\n  ]", stream);
        } else if (write_value(stream, value) < 0) {
            error = errno ? errno : EIO;
            error = fail_with(failure, -error, "cannot write JSON: %s", strerror(error));
        }
        lead = ",\n";
        if (error)
            break;
    }
    fputs("\n}\n", stream);
    json_decref(object);
    json_envelope_release(envelope);
    return error;
}

int json_envelope_write(struct envelope *envelope, FILE *stream, struct failure *failure)
{
    return json_envelope_stream(envelope, stream, NULL, NULL, failure);
}
