/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What field tables say of themselves: the JSON Schema of every command, and a reference for
 * people. */
#include <string.h>

#include "output/field.h"
#include "output/json.h"

/* ----------------------------------------------------------------------------------------------
 * The schema. Every table is a definition under its name, referred to wherever it is used. */

static json_t *reference_to(const char *name)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "#/$defs/%s", name);
    return JSON_OBJECT({"$ref", json_string(text_string(&path))});
}

static void define(json_t *definitions, const struct fields *fields);

static bool may_be_null(const struct field *field)
{
    return field->absent || field->coded || field->nullable ||
           (!field->optional && (field->nonzero || (field->known && !field->zero)));
}

/* {"anyOf": [schema, {"type": "null"}]} */
static json_t *or_null(json_t *schema)
{
    json_t *null = JSON_OBJECT({"type", json_string("null")});
    return JSON_OBJECT({"anyOf", json_pack("[o, o]", schema, null)});
}

static json_t *plain_schema(enum field_kind kind)
{
    switch (kind) {
    case FIELD_REAL:
        return JSON_OBJECT({"type", json_string("number")});
    case FIELD_COUNT:
        return reference_to("count");
    case FIELD_INTEGER:
        return reference_to("difference");
    case FIELD_FLAG:
        return JSON_OBJECT({"type", json_string("boolean")});
    default:
        return JSON_OBJECT({"type", json_string("string")});
    }
}

static json_t *names_schema(const struct field *field)
{
    json_t *names = json_array();
    for (size_t i = 0; i < field->name_count; i++)
        if (field->names[i])
            json_array_append_new(names, json_string(field->names[i]));
    return JSON_OBJECT({"enum", names});
}

static json_t *field_schema(json_t *definitions, const struct field *field)
{
    json_t *items;
    switch (field_kind(field)) {
    case FIELD_OBJECT:
        define(definitions, field->at.of);
        return reference_to(field->at.of->name);
    case FIELD_LIST:
        if (field->at.of)
            define(definitions, field->at.of);
        items =
            field->at.of ? reference_to(field->at.of->name) : plain_schema(field->at.element_kind);
        return JSON_OBJECT({"type", json_string("array")},
                           {"items", field->at.gaps ? or_null(items) : items});
    case FIELD_JSON:
        return field->schema ? JSON_OBJECT({"type", json_string(field->schema)}) : json_object();
    case FIELD_TEXT:
        if (field->schema)
            return JSON_OBJECT({"type", json_string("string")},
                               {"pattern", json_string(field->schema)});
        return field->names ? names_schema(field) : plain_schema(FIELD_TEXT);
    default:
        return plain_schema(field_kind(field));
    }
}

static void add_property(json_t *properties, json_t *required, const char *key, const char *suffix,
                         json_t *schema, const char *meaning, bool optional)
{
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "%s%s", key, suffix);
    if (meaning)
        json_object_set_new(schema, "description", json_text(meaning));
    json_object_set_new(properties, text_string(&name), schema);
    if (!optional)
        json_array_append_new(required, json_string(text_string(&name)));
}

/* What stands beside the sentence under KEY or KEY_reason. */
static void add_reason_keys(json_t *properties, json_t *required, const char *key,
                            const char *suffix, bool optional)
{
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "%s%s", key, suffix);
    add_property(properties, required, text_string(&name), "_code",
                 or_null(plain_schema(FIELD_TEXT)), "what it says first, for programs", optional);
    add_property(properties, required, text_string(&name), "_data",
                 JSON_OBJECT({"type", json_string("array")}, {"items", reference_to("reason")}),
                 "all that it says, with its numbers and names", optional);
}

/* The field at this place, those that others add behind its own included; NULL behind the last. */
static const struct field *field_at(const struct fields *fields, size_t index)
{
    const void *nothing = NULL;
    if (index < fields->count)
        return &fields->list[index];
    return fields->more ? fields->more(&nothing, index - fields->count) : NULL;
}

static void add_properties(json_t *definitions, json_t *properties, json_t *required,
                           const struct fields *fields)
{
    const struct field *field;
    for (size_t i = 0; (field = field_at(fields, i)); i++) {
        const enum field_kind kind = field_kind(field);
        if (kind == FIELD_SPLICED) {
            add_properties(definitions, properties, required, field->at.of);
            continue;
        }
        json_t *schema = field_schema(definitions, field);
        const bool null =
            may_be_null(field) || (kind == FIELD_REASONS && !field->zero && !field->optional);
        add_property(properties, required, field->key, "", null ? or_null(schema) : schema,
                     field->meaning, field->optional);
        if (kind == FIELD_REASONS) {
            add_reason_keys(properties, required, field->key, "", field->optional);
        } else if (field->absent || field->coded) {
            add_property(properties, required, field->key, "_reason", plain_schema(FIELD_TEXT),
                         "why there is none", true);
            if (field->coded)
                add_reason_keys(properties, required, field->key, "_reason", true);
        }
    }
}

static json_t *object_schema(json_t *definitions, const struct fields *fields)
{
    json_t *properties = json_object(), *required = json_array();
    json_t *schema = JSON_OBJECT({"type", json_string("object")});
    if (fields->meaning)
        json_object_set_new(schema, "description", json_text(fields->meaning));
    add_properties(definitions, properties, required, fields);
    return JSON_PUT(schema, {"required", required}, {"additionalProperties", json_false()},
                    {"properties", properties});
}

static void define(json_t *definitions, const struct fields *fields)
{
    if (json_object_get(definitions, fields->name))
        return;
    json_object_set_new(definitions, fields->name, json_null()); /* tables may hold themselves */
    json_object_set_new(definitions, fields->name, object_schema(definitions, fields));
}

static json_t *number_schema(const char *words, json_int_t least, const char *pattern)
{
    json_t *small = JSON_OBJECT({"type", json_string("integer")}, {"minimum", json_integer(least)},
                                {"maximum", json_integer(INT64_C(1) << 53)});
    json_t *large = JSON_OBJECT({"type", json_string("string")}, {"pattern", json_string(pattern)});
    return JSON_OBJECT({"description", json_string(words)},
                       {"oneOf", json_pack("[o, o]", small, large)});
}

static json_t *rows_schema(json_t *definitions, const struct described *command)
{
    json_t *rows = json_array();
    if (command->results && command->results->at.of) {
        define(definitions, command->results->at.of);
        json_array_append_new(rows, reference_to(command->results->at.of->name));
    }
    for (const struct fields *const *at = command->instead; at && *at; at++) {
        define(definitions, *at);
        json_array_append_new(rows, reference_to((*at)->name));
    }
    json_t *items = JSON_OBJECT({"anyOf", rows});
    if (!json_array_size(rows)) {
        json_decref(items);
        items = json_false();
    }
    return JSON_OBJECT({"type", json_string("array")}, {"items", items});
}

/* Where the command is this one, its results and analysis are these. */
static json_t *command_schema(json_t *definitions, const struct described *command)
{
    static const struct fields empty = {0};
    json_t *name = json_pack("{s:{s:{s:s}}}", "properties", "command", "const", command->command);
    json_t *analysis;
    if (command->analysis) {
        define(definitions, command->analysis);
        analysis = reference_to(command->analysis->name);
    } else {
        analysis = object_schema(definitions, &empty);
    }
    json_t *properties =
        JSON_OBJECT({"results", rows_schema(definitions, command)}, {"analysis", analysis});
    return JSON_OBJECT({"if", name}, {"then", JSON_OBJECT({"properties", properties})});
}

static json_t *array_of(json_t *items)
{
    return JSON_OBJECT({"type", json_string("array")}, {"items", items});
}

/* What every table may refer to. */
static json_t *base_definitions(void)
{
    return JSON_OBJECT(
        {"count", number_schema("A count: an integer up to 2^53, beyond that a string of digits.",
                                0, "^[0-9]+$")},
        {"difference",
         number_schema("A difference of counts: an integer up to 2^53 either way, beyond that a "
                       "string.",
                       -(INT64_C(1) << 53), "^-?[0-9]+$")},
        {"reason",
         json_pack("{s:s, s:s, s:[s], s:{s:{s:s, s:s}}}", "type", "object", "description",
                   "A reason as data: its code, and its numbers and names by theirs.", "required",
                   "code", "properties", "code", "type", "string", "pattern", "^[a-z0-9-]+$")});
}

static const char draft[] = "https://json-schema.org/draft/2020-12/schema";

json_t *schema_of_table(const struct fields *table)
{
    AUTO_TEXT struct text id = {0};
    json_t *definitions = base_definitions();
    define(definitions, table);
    text_printf(&id, "urn:assay:%s:1", table->name);
    json_t *schema = reference_to(table->name);
    return JSON_PUT(schema, {"$schema", json_string(draft)}, {"$id", json_string(text_string(&id))},
                    {"title", json_text(table->meaning)}, {"$defs", definitions});
}

json_t *schema_json(const struct schema_envelope *envelope)
{
    static const char *const required[] = {"schema",  "version", "command",  "argv",    "seed",
                                           "machine", "results", "analysis", "skipped", "findings"};
    const struct fields *const tables[] = {envelope->machine, envelope->skipped, envelope->finding,
                                           envelope->gate};
    json_t *commands = json_array(), *names = json_array(), *keys = json_array();
    json_t *definitions = base_definitions();
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        define(definitions, tables[i]);
    for (size_t i = 0; i < envelope->count; i++) {
        json_array_append_new(names, json_string(envelope->commands[i].command));
        json_array_append_new(commands, command_schema(definitions, &envelope->commands[i]));
    }
    for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++)
        json_array_append_new(keys, json_string(required[i]));
    json_t *properties =
        JSON_OBJECT({"schema", json_pack("{s:s}", "const", "assay/1")},
                    {"version", json_pack("{s:s, s:s}", "type", "string", "pattern",
                                          "^[0-9]+\\.[0-9]+\\.[0-9]+")},
                    {"command", JSON_OBJECT({"enum", names})},
                    {"argv", json_pack("{s:s, s:i, s:{s:s}}", "type", "array", "minItems", 1,
                                       "items", "type", "string")},
                    {"seed", or_null(reference_to("count"))},
                    {"machine", reference_to(envelope->machine->name)},
                    {"results", array_of(JSON_OBJECT({"type", json_string("object")}))},
                    {"analysis", JSON_OBJECT({"type", json_string("object")})},
                    {"skipped", array_of(reference_to(envelope->skipped->name))},
                    {"findings", array_of(reference_to(envelope->finding->name))},
                    {"gate", reference_to(envelope->gate->name)});
    return JSON_OBJECT({"$schema", json_string(draft)}, {"$id", json_string("urn:assay:schema:1")},
                       {"title", json_string("What every assay command prints with --json")},
                       {"type", json_string("object")}, {"required", keys},
                       {"additionalProperties", json_false()}, {"properties", properties},
                       {"allOf", commands}, {"$defs", definitions});
}

/* ----------------------------------------------------------------------------------------------
 * The reference: a table of keys for every object, those within it below. */

static const char *kind_words(enum field_kind kind)
{
    static const char *const words[] = {
        [FIELD_REAL] = "number",     [FIELD_COUNT] = "count", [FIELD_INTEGER] = "integer",
        [FIELD_FLAG] = "true/false", [FIELD_TEXT] = "text",   [FIELD_REASONS] = "reason",
        [FIELD_OBJECT] = "object",   [FIELD_LIST] = "list",   [FIELD_JSON] = "any",
    };
    return words[kind] ? words[kind] : "text";
}

/* "number, ns", "list of clocks.pair", "`exact`, `accurate`" */
static void put_kind(const struct field *field, struct text *out)
{
    const enum field_kind kind = field_kind(field);
    if (field->names) {
        const char *comma = "";
        for (size_t i = 0; i < field->name_count; i++)
            if (field->names[i] && *field->names[i]) {
                text_printf(out, "%s`%s`", comma, field->names[i]);
                comma = ", ";
            }
        return;
    }
    text_puts(out, kind == FIELD_JSON && field->schema ? field->schema : kind_words(kind));
    if (kind == FIELD_LIST && !field->at.of)
        text_printf(out, " of %s",
                    field->at.element_kind == FIELD_TEXT   ? "texts"
                    : field->at.element_kind == FIELD_FLAG ? "flags"
                                                           : "numbers");
    if (field->at.of && kind != FIELD_SPLICED)
        text_printf(out, kind == FIELD_LIST ? " of [%s](#%s)" : " [%s](#%s)", field->at.of->name,
                    field->at.of->name);
    if (field->unit)
        text_printf(out, ", %s", unit_names[field->unit]);
}

static void put_rows(const struct fields *fields, struct text *out)
{
    const struct field *field;
    for (size_t i = 0; (field = field_at(fields, i)); i++) {
        if (field_kind(field) == FIELD_SPLICED) {
            put_rows(field->at.of, out);
            continue;
        }
        text_printf(out, "| `%s` | ", field->key);
        put_kind(field, out);
        text_puts(out, " | ");
        if (field->meaning)
            text_puts(out, field->meaning);
        else
            field_put_title(field, out);
        if (field->absent)
            text_printf(out, "; null: %s", field->absent);
        else if (may_be_null(field))
            text_puts(out, "; or null");
        text_puts(out, field->optional ? "; not always there |\n" : " |\n");
    }
}

static void put_table(const char *heading, const struct fields *fields, json_t *done,
                      struct text *out);

static void put_inner(const struct fields *fields, json_t *done, struct text *out)
{
    const struct field *field;
    for (size_t i = 0; (field = field_at(fields, i)); i++) {
        if (field_kind(field) == FIELD_SPLICED)
            put_inner(field->at.of, done, out);
        else if (field->at.of)
            put_table(NULL, field->at.of, done, out);
    }
}

static void put_table(const char *heading, const struct fields *fields, json_t *done,
                      struct text *out)
{
    if (json_object_get(done, fields->name))
        return;
    json_object_set_new(done, fields->name, json_true());
    if (heading)
        text_printf(out, "\n**%s**: ", heading);
    text_printf(out, "%s<a id=\"%s\"></a>`%s`: %s\n\n| key | value | meaning |\n|---|---|---|\n",
                heading ? "" : "\n", fields->name, fields->name,
                fields->meaning ? fields->meaning : "");
    put_rows(fields, out);
    put_inner(fields, done, out);
}

void schema_put_reference(const struct schema_envelope *envelope, struct text *out)
{
    const struct fields *const tables[] = {envelope->machine, envelope->skipped, envelope->finding,
                                           envelope->gate};
    static const char *const keys[] = {"machine", "skipped", "findings", "gate"};
    json_t *done = json_object();
    text_puts(out,
              "<!-- SPDX-FileCopyrightText: 2026 the assay authors\n"
              "     SPDX-License-Identifier: GPL-3.0-or-later\n"
              "     Written by `make goldens` from the field tables in src/. -->\n"
              "# JSON: every key\n\n"
              "Every command prints one object with `--json`: `schema`, `version`, `command`, "
              "`argv`, `seed`, `machine`, `results`,\n`analysis`, `skipped`, `findings`, and "
              "`gate` where `--fail-on` was given. Counts above 2^53 are strings of digits. A\n"
              "value that does not exist is null, and `KEY_reason` says why. A *reason* is three "
              "keys: `KEY` has the sentence,\n`KEY_code` its code, `KEY_data` the codes of all "
              "its clauses with their numbers and names. `assay --schema` prints the\nJSON "
              "Schema.\n\n## In every object\n");
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        put_table(keys[i], tables[i], done, out);
    for (size_t i = 0; i < envelope->count; i++) {
        const struct described *command = &envelope->commands[i];
        if (!command->results && !command->instead && !command->analysis)
            continue;
        text_printf(out, "\n## assay %s\n", command->command);
        if (command->results && command->results->at.of)
            put_table("results", command->results->at.of, done, out);
        for (const struct fields *const *at = command->instead; at && *at; at++)
            put_table("results", *at, done, out);
        if (command->analysis)
            put_table("analysis", command->analysis, done, out);
    }
    json_decref(done);
}
