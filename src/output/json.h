/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * JSON output: the envelope every command shares and the conventions for numbers (schema in
 * docs/json.md). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/failure.h"
#include "machine/facts.h"

struct fields;

/* Exact in every reader: a JSON integer up to 2^53, beyond that a string of digits. */
json_t *json_count(uint64_t value);
json_t *json_difference(int64_t value);
/* Any bytes, made valid UTF-8; NULL becomes null. */
json_t *json_text(const char *string);
/* The text under a key, "" where there is none; valid as long as the object. */
const char *json_word(const json_t *object, const char *key);
/* Keys and their values, which are the object's from then on, in this order. */
struct json_member {
    const char *key;
    json_t *value;
};
json_t *json_put_members(json_t *object, const struct json_member *members, size_t count);
#define JSON_PUT(object, ...)                                                                      \
    json_put_members(object, (const struct json_member[]){__VA_ARGS__},                            \
                     sizeof((const struct json_member[]){__VA_ARGS__}) /                           \
                         sizeof(struct json_member))
#define JSON_OBJECT(...) JSON_PUT(json_object(), __VA_ARGS__)
/* key: null and key_reason: why there is no number. */
void json_absent(json_t *object, const char *key, const char *reason);
/* The value, or where there is none (NULL) null and key_reason. */
void json_put(json_t *object, const char *key, json_t *value, const char *reason);
/* The number where it is finite, else null and key_reason. */
void json_put_real(json_t *object, const char *key, double value, const char *reason);
/* Several at once. */
struct json_real {
    const char *key;
    double value;
    const char *reason; /* why there is none; NULL: the usual one */
};
void json_put_reals(json_t *object, const struct json_real *reals, size_t count);
#define JSON_PUT_REALS(object, ...)                                                                \
    json_put_reals(object, (const struct json_real[]){__VA_ARGS__},                                \
                   sizeof((const struct json_real[]){__VA_ARGS__}) / sizeof(struct json_real))
/* The same for words that explain themselves (errno 0: null). */
json_t *json_skipped(const char *what, const char *reason, int error);

/* What these are made of (output/field.h). */
extern const struct fields machine_table, skipped_table;

struct envelope {
    const char *command;
    int argc; /* the whole command line, "assay" first */
    char **argv;
    bool has_seed;
    uint64_t seed;
    const struct facts *facts; /* NULL: no machine was reached */
    const char *fingerprint;
    /* Owned by the envelope from here on; NULL stands for empty. */
    json_t *results, *analysis, *skipped, *findings;
    json_t *gate; /* what --fail-on made of it; NULL: it was not given */
};

/* What machine_table describes: fingerprint and the facts that tell what it is. */
const void *machine_of_facts(const struct facts *facts, const char *fingerprint);

/* Writes the object, one line per result, and releases what it owns. */
int json_envelope_write(struct envelope *envelope, FILE *stream, struct failure *failure);
/* The same for results too many for memory: `rows` writes them, each on a line of its own and
 * parted by commas. Its error ends the writing. */
typedef int json_rows(void *context, FILE *stream, struct failure *failure);
int json_envelope_stream(struct envelope *envelope, FILE *stream, json_rows *rows, void *context,
                         struct failure *failure);
/* Releases what it owns without writing. */
void json_envelope_release(struct envelope *envelope);
