/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Formats over field tables. */
#include "output/field.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "output/json.h"

const char *const unit_names[UNITS] = {
    [UNIT_NONE] = "",       [UNIT_NS] = "ns",
    [UNIT_US] = "µs",       [UNIT_MS] = "ms",
    [UNIT_S] = "s",         [UNIT_TICKS] = "ticks",
    [UNIT_BYTES] = "bytes", [UNIT_PERCENT] = "%",
    [UNIT_PPM] = "ppm",     [UNIT_PPB] = "ppb",
    [UNIT_RATIO] = "ratio", [UNIT_INSTRUCTIONS] = "instructions",
    [UNIT_HZ] = "Hz",       [UNIT_OF_EVENT] = "what the event counts",
};

/* ----------------------------------------------------------------------------------------------
 * Values. */

static const char *at_offset(const void *item, size_t offset)
{
    return (const char *)item + offset;
}

static struct value stored_value(const struct field *field, const void *item)
{
    const char *at = at_offset(item, field->at.offset);
    switch (field->at.stored) {
    case STORED_DOUBLE:
        return value_real(*(const double *)(const void *)at);
    case STORED_U64:
        return value_count(*(const uint64_t *)(const void *)at);
    case STORED_U32:
        return value_count(*(const uint32_t *)(const void *)at);
    case STORED_U16:
        return value_count(*(const uint16_t *)(const void *)at);
    case STORED_U8:
        return value_count(*(const uint8_t *)at);
    case STORED_I64:
        return value_integer(*(const int64_t *)(const void *)at);
    case STORED_I32:
        return value_integer(*(const int32_t *)(const void *)at);
    case STORED_BOOL:
        return value_flag(*(const bool *)at);
    case STORED_STRING:
        return value_text(*(const char *const *)(const void *)at);
    case STORED_CHARS:
        return value_text(*at ? at : NULL);
    case STORED_REASONS:
        return value_reasons((const struct reasons *)(const void *)at);
    case STORED_NONE:
        break;
    }
    return value_absent(NULL);
}

enum field_kind field_kind(const struct field *field)
{
    static const enum field_kind kinds[] = {
        [STORED_NONE] = FIELD_TEXT,   [STORED_DOUBLE] = FIELD_REAL,
        [STORED_U64] = FIELD_COUNT,   [STORED_U32] = FIELD_COUNT,
        [STORED_U16] = FIELD_COUNT,   [STORED_U8] = FIELD_COUNT,
        [STORED_I64] = FIELD_INTEGER, [STORED_I32] = FIELD_INTEGER,
        [STORED_BOOL] = FIELD_FLAG,   [STORED_STRING] = FIELD_TEXT,
        [STORED_CHARS] = FIELD_TEXT,  [STORED_REASONS] = FIELD_REASONS,
    };
    if (field->names)
        return FIELD_TEXT;
    return field->at.kind ? field->at.kind : kinds[field->at.stored];
}

static struct value zero_of(enum field_kind kind)
{
    return kind == FIELD_TEXT ? value_text("") : (struct value){.kind = kind};
}

/* Is the member that says whether it is known false? */
static bool is_unknown(const struct field *field, const void *item)
{
    return field->known && !*(const bool *)at_offset(item, field->known - 1);
}

struct value field_value(const struct field *field, const void *item, const void *context)
{
    const enum field_kind kind = field_kind(field);
    struct value value = {0};
    if (!item)
        return field->zero ? zero_of(kind) : value;
    if (is_unknown(field, item))
        return field->zero ? zero_of(kind) : value_absent(field->unknown);
    value = field->at.get ? field->at.get(item, context) : stored_value(field, item);
    if (!value.kind && field->zero && !value.why)
        return zero_of(kind);
    if (field->names && value.kind == FIELD_FLAG)
        value = value_count(value.flag);
    if (field->names && value.kind != FIELD_TEXT && value.kind != FIELD_BY_PLACE)
        value = value_text(value.count < field->name_count ? field->names[value.count] : NULL);
    if (field->nonzero && (value.kind == FIELD_REAL ? value.real == 0 : value.count == 0))
        value = value_absent(NULL);
    if (value.kind == FIELD_REAL && !isfinite(value.real))
        value = value_absent(value.why);
    /* A kind that the table says in other words than the member's type. */
    if (kind == FIELD_REAL && value.kind == FIELD_COUNT)
        value = value_real((double)value.count);
    return value;
}

static const void *object_of(const struct field *field, const void *item, const void *context)
{
    if (!item || is_unknown(field, item))
        return NULL;
    if (field->at.part)
        return field->at.part(item, context);
    const void *at = at_offset(item, field->at.offset);
    return field->at.pointer ? *(const void *const *)at : at;
}

/* One of the objects of a list; NULL behind the last. */
static const void *member_of(const struct field *list, const void *item, const void *context,
                             size_t index)
{
    if (!item)
        return NULL;
    if (list->at.member)
        return list->at.member(item, context, index);
    if (index >= *(const size_t *)(const void *)at_offset(item, list->at.count_offset))
        return NULL;
    const char *first = *(const char *const *)(const void *)at_offset(item, list->at.offset);
    return first ? first + index * list->at.size : NULL;
}

const struct field *fields_find(const struct fields *fields, const char *key)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->list[i], *inner = NULL;
        if (field->at.kind == FIELD_SPLICED)
            inner = fields_find(field->at.of, key);
        else if (strcmp(field->key, key) == 0)
            inner = field;
        if (inner)
            return inner;
    }
    return NULL;
}

/* ----------------------------------------------------------------------------------------------
 * JSON. */

static const char untold[] = "it cannot be stated from what was measured";

static json_t *argument_json(const struct reason_value *value);

static json_t *reasons_data(const struct reasons *reasons)
{
    json_t *list = json_array();
    for (size_t i = 0; i < reasons->count; i++) {
        const struct reason *reason = &reasons->list[i];
        json_t *object = JSON_OBJECT({"code", json_string(reason->words->code)});
        for (size_t j = 0; j < reason->value_count; j++) {
            const char *name;
            size_t length;
            if (!reason_argument(reason->words, j, &name, &length))
                break;
            json_object_setn_new(object, name, length, argument_json(&reason->values[j]));
        }
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *argument_json(const struct reason_value *value)
{
    switch (value->kind) {
    case REASON_NUMBER:
        return figure_number(value->number);
    case REASON_COUNT:
        return json_count(value->count);
    case REASON_TEXT:
        return json_text(value->text);
    case REASON_REASONS:
        return value->reasons ? reasons_data(value->reasons) : json_null();
    case REASON_ABSENT:
        break;
    }
    return json_null();
}

void json_put_reasons(json_t *object, const char *key, const struct reasons *reasons)
{
    AUTO_TEXT struct text name = {0};
    const bool any = reasons && reasons->count;
    json_object_set_new(object, key, any ? json_text(reasons_text(reasons)) : json_null());
    text_printf(&name, "%s_code", key);
    json_object_set_new(object, text_string(&name),
                        any ? json_string(reasons->list[0].words->code) : json_null());
    text_clear(&name);
    text_printf(&name, "%s_data", key);
    json_object_set_new(object, text_string(&name), any ? reasons_data(reasons) : json_array());
}

static json_t *json_of(const struct value *value)
{
    switch (value->kind) {
    case FIELD_REAL:
        return json_real(value->real);
    case FIELD_COUNT:
        return json_count(value->count);
    case FIELD_INTEGER:
        return json_difference(value->integer);
    case FIELD_FLAG:
        return json_boolean(value->flag);
    case FIELD_TEXT:
        return json_text(value->text);
    case FIELD_JSON:
        return value->json ? value->json : json_null();
    default:
        return json_null();
    }
}

json_t *field_list_json(const struct field *list, const void *item, const void *context)
{
    json_t *array = json_array();
    for (size_t i = 0; item && list->at.element; i++) {
        const struct value value = list->at.element(item, context, i);
        if (value.kind == FIELD_BY_PLACE)
            break;
        json_array_append_new(array, json_of(&value));
    }
    const void *member;
    for (size_t i = 0; !list->at.element && (member = member_of(list, item, context, i)); i++)
        json_array_append_new(array, list->at.of ? fields_json(list->at.of, member, context)
                                                 : json_text(*(const char *const *)member));
    return array;
}

static void put_fields(json_t *object, const struct fields *fields, const void *item,
                       const void *context);

static void put_absent(json_t *object, const struct field *field, struct value value)
{
    const char *why = value.why ? value.why : field->absent;
    if (value.left_out || (field->optional && !value.because && !why))
        return;
    if (!why && field_kind(field) == FIELD_REAL && !field->nullable)
        why = untold;
    if (value.because) {
        AUTO_TEXT struct text name = {0};
        text_printf(&name, "%s_reason", field->key);
        json_object_set_new(object, field->key, json_null());
        json_put_reasons(object, text_string(&name), value.because);
    } else if (why) {
        json_absent(object, field->key, why);
    } else {
        json_object_set_new(object, field->key, json_null());
    }
}

static void put_field(json_t *object, const struct field *field, const void *item,
                      const void *context)
{
    const void *part;
    struct value value;
    switch (field_kind(field)) {
    case FIELD_SPLICED:
        put_fields(object, field->at.of, object_of(field, item, context), context);
        return;
    case FIELD_OBJECT:
        value = item && field->at.get ? field->at.get(item, context) : value_absent(NULL);
        part = value.kind == FIELD_JSON ? NULL : object_of(field, item, context);
        if (value.kind == FIELD_JSON)
            json_object_set_new(object, field->key, json_of(&value));
        else if (part)
            json_object_set_new(object, field->key, fields_json(field->at.of, part, context));
        else if (field->at.get || !field->optional)
            put_absent(object, field, value);
        return;
    case FIELD_LIST:
        value = item && field->at.get ? field->at.get(item, context) : value_flag(item != NULL);
        if (value.kind == FIELD_JSON)
            json_object_set_new(object, field->key, json_of(&value));
        else if (value.kind && !(item && is_unknown(field, item)))
            json_object_set_new(object, field->key, field_list_json(field, item, context));
        else
            put_absent(object, field, value);
        return;
    case FIELD_REASONS:
        value = field_value(field, item, context);
        if (field->optional && !(value.kind && value.reasons->count))
            return;
        json_put_reasons(object, field->key, value.kind ? value.reasons : NULL);
        if (field->zero && !(value.kind && value.reasons && value.reasons->count))
            json_object_set_new(object, field->key, json_string(""));
        return;
    default:
        break;
    }
    value = field_value(field, item, context);
    if (value.kind) {
        json_object_set_new(object, field->key, json_of(&value));
    } else {
        put_absent(object, field, value);
    }
}

static void put_fields(json_t *object, const struct fields *fields, const void *item,
                       const void *context)
{
    for (size_t i = 0; i < fields->count; i++)
        put_field(object, &fields->list[i], item, context);
    const struct field *field;
    const void *own = item;
    for (size_t i = 0; fields->more && (field = fields->more(&own, i)); i++, own = item) {
        if (own)
            put_field(object, field, own, own);
        else
            json_object_set_new(object, field->key, json_null());
    }
}

json_t *fields_json(const struct fields *fields, const void *item, const void *context)
{
    json_t *object = json_object();
    put_fields(object, fields, item, context);
    return object;
}

/* ----------------------------------------------------------------------------------------------
 * Leaves: the values of a row in order, those of objects within it included. What is said of an
 * item that is not there is absent. */

typedef void leaf_visit(void *into, const char *prefix, const struct field *field,
                        const struct value *value);
struct leaves {
    leaf_visit *visit;
    void *into;
    bool columns; /* those alone */
};

static bool has_columns(const struct fields *fields)
{
    for (size_t i = 0; i < fields->count; i++)
        if (fields->list[i].column ||
            (fields->list[i].at.of && fields->list[i].at.kind != FIELD_LIST &&
             has_columns(fields->list[i].at.of)))
            return true;
    return false;
}

static struct value listed_value(const struct field *field, const void *item, const void *context)
{
    struct text words = {0};
    for (size_t i = 0; item; i++) {
        const struct value one = field->at.element(item, context, i);
        if (!one.kind)
            break;
        text_puts(&words, i ? ";" : "");
        field_put(field, &one, false, &words);
    }
    return value_text(memory_text(&words));
}

static void visit_leaves(const struct leaves *leaves, const char *prefix,
                         const struct fields *fields, const void *item, const void *context)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct field *field = &fields->list[i];
        const enum field_kind kind = field_kind(field);
        if (kind == FIELD_SPLICED) {
            visit_leaves(leaves, prefix, field->at.of, object_of(field, item, context), context);
        } else if (kind == FIELD_OBJECT) {
            AUTO_TEXT struct text inner = {0};
            text_printf(&inner, "%s%s.", prefix, field->key);
            visit_leaves(leaves, text_string(&inner), field->at.of, object_of(field, item, context),
                         context);
        } else if (kind != FIELD_JSON && (kind != FIELD_LIST || field->at.element) &&
                   (!leaves->columns || field->column)) {
            const struct value value = kind == FIELD_LIST ? listed_value(field, item, context)
                                                          : field_value(field, item, context);
            leaves->visit(leaves->into, prefix, field, &value);
        }
    }
}

/* ----------------------------------------------------------------------------------------------
 * Text of values. */

void field_put_title(const struct field *field, struct text *out)
{
    if (field->title) {
        text_puts(out, field->title);
        return;
    }
    for (const char *at = field->key; *at; at++)
        text_putc(out, *at == '_' ? ' ' : *at);
}

/* Are values written in a unit of their own, so that the heading has none? */
static bool has_own_unit(const struct field *field)
{
    return field->unit == UNIT_NS || field->unit == UNIT_BYTES;
}

static void put_number(const struct field *field, double number, struct text *out)
{
    char text[NUMBER_SIZE];
    if (field->unit == UNIT_NS)
        text_puts(out, number_time(number, text, sizeof(text)));
    else if (field->unit == UNIT_BYTES && number >= 1024)
        text_puts(out, number_bytes((uint64_t)number, text, sizeof(text)));
    else if (field->unit == UNIT_RATIO)
        text_printf(out, "%.7g", number);
    else
        text_puts(out, number_brief(number, text, sizeof(text)));
}

void field_put(const struct field *field, const struct value *value, bool units, struct text *out)
{
    char text[NUMBER_SIZE];
    switch (value->kind) {
    case FIELD_REAL:
        put_number(field, value->real, out);
        break;
    case FIELD_COUNT:
        if (has_own_unit(field))
            put_number(field, (double)value->count, out);
        else
            text_puts(out, number_count(value->count, text, sizeof(text)));
        break;
    case FIELD_INTEGER:
        if (value->integer < 0)
            text_puts(out, number_signed(value->integer, text, sizeof(text)));
        else
            text_puts(out, number_count((uint64_t)value->integer, text, sizeof(text)));
        break;
    case FIELD_FLAG:
        text_puts(out, value->flag ? "yes" : "no");
        return;
    case FIELD_TEXT:
        text_puts(out, value->text);
        return;
    case FIELD_REASONS:
        if (value->reasons)
            reasons_put(value->reasons, out);
        return;
    default:
        text_puts(out, "-");
        return;
    }
    if (units && field->unit && !has_own_unit(field))
        text_printf(out, " %s", unit_names[field->unit]);
}

/* --- comma-separated values --- */

struct csv {
    struct text *line;
    bool begun;
};

void text_put_csv(struct text *text, const char *word)
{
    AUTO_TEXT struct text valid = {0};
    text_put_utf8(&valid, word);
    const bool quoted = word[strcspn(word, ",\"\r\n")];
    text_puts(text, quoted ? "\"" : "");
    for (const char *at = text_string(&valid); *at; at++) {
        const unsigned char byte = (unsigned char)*at;
        const bool c1 = byte == 0xc2 && (unsigned char)at[1] < 0xa0;
        if (*at == '"')
            text_puts(text, "\"\"");
        else if ((byte < 0x20 && !strchr("\t\r\n", *at)) || byte == 0x7f || c1)
            text_puts(text, "\xef\xbf\xbd");
        else
            text_putc(text, *at);
        at += c1;
    }
    text_puts(text, quoted ? "\"" : "");
}

static void put_word(struct csv *csv, const char *word)
{
    text_puts(csv->line, csv->begun ? "," : "");
    csv->begun = true;
    text_put_csv(csv->line, word);
}

static void head_csv(void *into, const char *prefix, const struct field *field,
                     const struct value *value)
{
    (void)value;
    AUTO_TEXT struct text key = {0};
    text_printf(&key, "%s%s", prefix, field->key);
    put_word(into, text_string(&key));
    if (field_kind(field) == FIELD_REASONS) {
        text_puts(&key, "_code");
        put_word(into, text_string(&key));
    }
}

static void row_csv(void *into, const char *prefix, const struct field *field,
                    const struct value *value)
{
    (void)prefix;
    AUTO_TEXT struct text word = {0};
    const bool reasons = field_kind(field) == FIELD_REASONS;
    switch (value->kind) {
    case FIELD_REAL:
        text_printf(&word, "%.15g", value->real);
        break;
    case FIELD_COUNT:
        text_printf(&word, "%" PRIu64, value->count);
        break;
    case FIELD_INTEGER:
        text_printf(&word, "%" PRId64, value->integer);
        break;
    case FIELD_FLAG:
        text_puts(&word, value->flag ? "true" : "false");
        break;
    case FIELD_TEXT:
        text_puts(&word, value->text);
        break;
    case FIELD_REASONS:
        if (value->reasons)
            reasons_put(value->reasons, &word);
        break;
    default:
        break;
    }
    put_word(into, text_string(&word));
    if (reasons)
        put_word(into, value->kind && value->reasons && value->reasons->count
                           ? value->reasons->list[0].words->code
                           : "");
}

void fields_put_csv(const struct field *list, const void *item, const void *context,
                    struct text *out)
{
    struct csv csv = {.line = out};
    const void *member = NULL;
    visit_leaves(&(struct leaves){head_csv, &csv, false}, "", list->at.of, NULL, context);
    for (size_t i = 0; (member = member_of(list, item, context, i)); i++) {
        text_puts(out, "\n");
        csv.begun = false;
        visit_leaves(&(struct leaves){row_csv, &csv, false}, "", list->at.of, member, context);
    }
    text_puts(out, "\n");
}

/* --- Markdown and plain tables --- */

static bool is_number(const struct field *field)
{
    const enum field_kind kind = field_kind(field);
    return kind == FIELD_REAL || kind == FIELD_COUNT || kind == FIELD_INTEGER;
}

static void put_heading(const struct field *field, struct text *out)
{
    field_put_title(field, out);
    if (field->unit && !has_own_unit(field) && field->unit != UNIT_OF_EVENT &&
        field->unit != UNIT_RATIO &&
        strcmp(field->title ? field->title : field->key, unit_names[field->unit]) != 0)
        text_printf(out, " (%s)", unit_names[field->unit]);
}

/* A cell: nothing in it ends the cell, the row or what is around it. */
static void put_cell(struct text *out, const char *words)
{
    AUTO_TEXT struct text clean = {0};
    text_put_clean(&clean, words);
    text_puts(out, " ");
    for (const char *at = text_string(&clean); *at; at++) {
        if (strchr("|<>*_`[]\\", *at))
            text_putc(out, '\\');
        text_putc(out, *at);
    }
    text_puts(out, " |");
}

static void head_markdown(void *into, const char *prefix, const struct field *field,
                          const struct value *value)
{
    (void)prefix;
    (void)value;
    AUTO_TEXT struct text words = {0};
    put_heading(field, &words);
    put_cell(into, text_string(&words));
}

static void rule_markdown(void *into, const char *prefix, const struct field *field,
                          const struct value *value)
{
    (void)prefix;
    (void)value;
    text_puts(into, is_number(field) ? "---:|" : ":---|");
}

static void row_markdown(void *into, const char *prefix, const struct field *field,
                         const struct value *value)
{
    (void)prefix;
    AUTO_TEXT struct text words = {0};
    field_put(field, value, false, &words);
    put_cell(into, text_string(&words));
}

void fields_put_markdown(const struct field *list, const void *item, const void *context,
                         struct text *out)
{
    const bool columns = has_columns(list->at.of);
    leaf_visit *const heads[] = {head_markdown, rule_markdown};
    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
        text_puts(out, "|");
        visit_leaves(&(struct leaves){heads[i], out, columns}, "", list->at.of, NULL, context);
        text_puts(out, "\n");
    }
    const void *member;
    for (size_t i = 0; (member = member_of(list, item, context, i)); i++) {
        text_puts(out, "|");
        visit_leaves(&(struct leaves){row_markdown, out, columns}, "", list->at.of, member,
                     context);
        text_puts(out, "\n");
    }
}

struct plain {
    struct table table;
    struct column *columns;
};

static void head_plain(void *into, const char *prefix, const struct field *field,
                       const struct value *value)
{
    (void)prefix;
    (void)value;
    struct plain *plain = into;
    struct text title = {0};
    put_heading(field, &title);
    *memory_add(plain->columns, plain->table.column_count) =
        (struct column){.title = memory_text(&title), .right = is_number(field)};
}

static void row_plain(void *into, const char *prefix, const struct field *field,
                      const struct value *value)
{
    (void)prefix;
    struct plain *plain = into;
    AUTO_TEXT struct text words = {0};
    field_put(field, value, false, &words);
    table_add(&plain->table, TONE_PLAIN, text_string(&words));
}

void fields_put_table(const struct field *list, const void *item, const void *context,
                      const struct style *style, struct text *out)
{
    struct plain plain = {0};
    const bool columns = has_columns(list->at.of);
    visit_leaves(&(struct leaves){head_plain, &plain, columns}, "", list->at.of, NULL, context);
    if (!plain.table.column_count)
        return;
    plain.table.columns = plain.columns;
    plain.columns[plain.table.column_count - 1].wraps =
        !plain.columns[plain.table.column_count - 1].right;
    const void *member;
    for (size_t i = 0; (member = member_of(list, item, context, i)); i++)
        visit_leaves(&(struct leaves){row_plain, &plain, columns}, "", list->at.of, member,
                     context);
    table_put(&plain.table, style, out);
    table_free(&plain.table);
}

/* ----------------------------------------------------------------------------------------------
 * Figures. */

void fields_figure_add(json_t *figure, const struct figure_spec *spec, const void *item,
                       const void *context)
{
    json_t *row = figure_add_row(figure, NULL, 0);
    for (const struct figure_column *at = spec->columns; at->key; at++) {
        const struct field *field = fields_find(spec->fields, at->key);
        const struct value value = field ? field_value(field, item, context) : value_absent(NULL);
        json_array_append_new(row, value.kind == FIELD_REASONS
                                       ? json_text(reasons_text(value.reasons))
                                       : json_of(&value));
    }
}
