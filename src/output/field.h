/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Field tables. What a result is, is described once, beside its struct: the key, where the value
 * lies, what it means, in which unit, and why it can be absent. JSON and its schema, the reference
 * docs/json.md, CSV, Markdown, plain tables and the rows of figures all come from the table.
 *
 *     static const struct field row_fields[] = {
 *         {"clock", GET(FIELD_TEXT, row_clock), "the clock's name", .column = true},
 *         {"runs", AT(struct clock_row, runs), "intervals, of all threads and processes"},
 *         {"ratio_median", AT(struct clock_row, ratio_median), "clock over reference",
 *          .unit = UNIT_RATIO, .absent = "no interval of it was whole"},
 *         {"pairs", LIST(struct clocks_report, pairs, pair_count, &pair_table), "CPUs compared"},
 *     };
 *     static const struct fields row_table = FIELDS("clocks.row", "a clock over …", row_fields);
 *
 * A value is absent where its number is not finite, its text is NULL, `known` is false, or its
 * function says so: JSON then has null and KEY_reason. Functions get the item and the context,
 * which is what the study keeps. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reason.h"
#include "base/text.h"
#include "output/figure.h"
#include "output/table.h"

enum unit {
    UNIT_NONE,
    UNIT_NS,
    UNIT_US,
    UNIT_MS,
    UNIT_S,
    UNIT_TICKS,
    UNIT_BYTES,
    UNIT_PERCENT,
    UNIT_PPM,
    UNIT_PPB,
    UNIT_RATIO,
    UNIT_INSTRUCTIONS,
    UNIT_HZ,
    UNIT_OF_EVENT, /* whatever the row's event counts */
    UNITS
};
extern const char *const unit_names[UNITS]; /* "", "ns", … */

enum field_kind {
    FIELD_BY_PLACE, /* as the member's type says */
    FIELD_REAL,
    FIELD_COUNT,   /* never below 0; a string of digits beyond 2^53 */
    FIELD_INTEGER, /* the same, either way */
    FIELD_FLAG,
    FIELD_TEXT,    /* any; with `names` one of them */
    FIELD_REASONS, /* KEY has the sentence, KEY_code and KEY_data the same for programs */
    FIELD_OBJECT,  /* of `of` */
    FIELD_LIST,    /* of objects of `of`, or without that of values of `element` */
    FIELD_SPLICED, /* no key: the fields of `of` stand among these */
    FIELD_JSON,    /* made elsewhere; `schema` says what it is */
};

/* How the member is stored. */
enum field_stored {
    STORED_NONE,
    STORED_DOUBLE,
    STORED_U64,
    STORED_U32,
    STORED_U16,
    STORED_U8,
    STORED_I64,
    STORED_I32,
    STORED_BOOL,
    STORED_STRING, /* char * */
    STORED_CHARS,  /* char [] */
    STORED_REASONS,
};

struct value {
    enum field_kind kind; /* FIELD_BY_PLACE: absent */
    bool left_out;        /* absent with its key */
    union {
        double real;
        uint64_t count;
        int64_t integer;
        bool flag;
        const char *text;
        const struct reasons *reasons;
        json_t *json;
    };
    const char *why;               /* it is absent; NULL: as the field says */
    const struct reasons *because; /* the same as data; NULL: as above */
};

struct fields;
typedef struct value field_get(const void *item, const void *context);
/* The item of an object; NULL: absent. */
typedef const void *field_part(const void *item, const void *context);
/* One of a list; NULL behind the last. */
typedef const void *field_member(const void *item, const void *context, size_t index);
/* The same of values; absent behind the last. */
typedef struct value field_element(const void *item, const void *context, size_t index);

struct field {
    const char *key;
    struct field_place {
        enum field_kind kind;
        enum field_stored stored;
        size_t offset, count_offset, size;
        bool pointer; /* of an object: the member points to it */
        field_get *get;
        field_part *part;
        field_member *member;
        field_element *element;
        enum field_kind element_kind;
        bool gaps; /* some of these values are null */
        const struct fields *of;
    } at;
    const char *meaning; /* a sentence without a full stop; NULL: the key says it */
    enum unit unit;
    const char *absent; /* why there can be none */
    const char *title;  /* of columns; NULL: the key, with spaces */
    const char *const *names;
    size_t name_count;
    size_t known;          /* KNOWN(): absent where that member is false */
    const char *unknown;   /* … for this reason; NULL: as `absent` says */
    bool zero;             /* … or rather 0, false, ""; of reasons that say nothing, "" */
    bool coded;            /* KEY_reason comes from a judge: KEY_reason_code and _data are there */
    bool nonzero;          /* absent where it is 0 */
    bool nullable;         /* null without a reason */
    bool optional;         /* the key is not always there */
    bool column;           /* of plain tables and Markdown; where no field is, all are */
    enum figure_role role; /* in figures that do not say otherwise */
    const char *schema;    /* FIELD_JSON: "object", "array", …; of a text its pattern */
};

struct fields {
    const char *name; /* "clocks.row" */
    const char *meaning;
    const struct field *list;
    size_t count;
    /* Fields that others add behind these, each of an item of its own: *item becomes that, NULL
     * where there is none; NULL behind the last. */
    const struct field *(*more)(const void **item, size_t index);
};
#define FIELDS(name_, meaning_, list_)                                                             \
    {                                                                                              \
        (name_), (meaning_), (list_), sizeof(list_) / sizeof(*(list_)), NULL                       \
    }

/* --- where a value lies --- */

#define FIELD_STORED(type, member)                                                                 \
    _Generic(&((type *)0)->member, double *                                                        \
             : STORED_DOUBLE, uint64_t *                                                           \
             : STORED_U64, uint32_t *                                                              \
             : STORED_U32, uint16_t *                                                              \
             : STORED_U16, uint8_t *                                                               \
             : STORED_U8, int64_t *                                                                \
             : STORED_I64, int32_t *                                                               \
             : STORED_I32, bool *                                                                  \
             : STORED_BOOL, char **                                                                \
             : STORED_STRING, const char **                                                        \
             : STORED_STRING, struct reasons *                                                     \
             : STORED_REASONS, default                                                             \
             : STORED_CHARS)
#define AT(type, member)                                                                           \
    {                                                                                              \
        .stored = FIELD_STORED(type, member), .offset = offsetof(type, member)                     \
    }
/* A bool, and nothing else. */
#define KNOWN(type, member) (_Generic(((type *)0)->member, bool : offsetof(type, member)) + 1)
#define GET(kind_, function)                                                                       \
    {                                                                                              \
        .kind = (kind_), .get = (function)                                                         \
    }
/* One of these words, by the number of an enum, or by a flag. */
#define NAMED(list) .names = (list), .name_count = sizeof(list) / sizeof(*(list))
/* An object within the item, behind a pointer (NULL: absent), or found by a function. */
#define OBJECT(type, member, table)                                                                \
    {                                                                                              \
        .kind = FIELD_OBJECT, .offset = offsetof(type, member), .of = (table)                      \
    }
#define OBJECT_BEHIND(type, member, table)                                                         \
    {                                                                                              \
        .kind = FIELD_OBJECT, .offset = offsetof(type, member), .of = (table), .pointer = true     \
    }
#define OBJECT_BY(function, table)                                                                 \
    {                                                                                              \
        .kind = FIELD_OBJECT, .part = (function), .of = (table)                                    \
    }
/* The fields of another table, of the item itself, of a member, of what lies behind one, or of what
 * a function finds. */
#define SPLICED(table)                                                                             \
    {                                                                                              \
        .kind = FIELD_SPLICED, .of = (table)                                                       \
    }
#define SPLICED_AT(type, member, table)                                                            \
    {                                                                                              \
        .kind = FIELD_SPLICED, .offset = offsetof(type, member), .of = (table)                     \
    }
#define SPLICED_BEHIND(type, member, table)                                                        \
    {                                                                                              \
        .kind = FIELD_SPLICED, .offset = offsetof(type, member), .of = (table), .pointer = true    \
    }
#define SPLICED_BY(function, table)                                                                \
    {                                                                                              \
        .kind = FIELD_SPLICED, .part = (function), .of = (table)                                   \
    }
/* An array of objects behind a pointer, with its count beside it; or members by a function. */
#define LIST(type, member, count_, table)                                                          \
    {                                                                                              \
        .kind = FIELD_LIST, .offset = offsetof(type, member),                                      \
        .count_offset = offsetof(type, count_), .size = sizeof(*((type *)0)->member),              \
        .of = (table)                                                                              \
    }
#define LIST_BY(function, table)                                                                   \
    {                                                                                              \
        .kind = FIELD_LIST, .member = (function), .of = (table)                                    \
    }
/* The same where `there` does not say that it is absent. */
#define LIST_IF(there, type, member, count_, table)                                                \
    {                                                                                              \
        .kind = FIELD_LIST, .offset = offsetof(type, member),                                      \
        .count_offset = offsetof(type, count_), .size = sizeof(*((type *)0)->member),              \
        .of = (table), .get = (there)                                                              \
    }
/* A list of plain values. */
#define VALUES(kind_, function)                                                                    \
    {                                                                                              \
        .kind = FIELD_LIST, .element = (function), .element_kind = (kind_)                         \
    }

/* The texts of a struct string_list. */
#define TEXTS(type, member)                                                                        \
    {                                                                                              \
        .kind = FIELD_LIST,                                                                        \
        .offset = offsetof(type, member) + offsetof(struct string_list, items),                    \
        .count_offset = offsetof(type, member) + offsetof(struct string_list, count),              \
        .size = sizeof(const char *), .element_kind = FIELD_TEXT                                   \
    }
/* An object or a list that a function makes as JSON; the table says what it is. */
#define MADE(kind_, function, table)                                                               \
    {                                                                                              \
        .kind = (kind_), .get = (function), .of = (table)                                          \
    }

static inline struct value value_real(double real)
{
    return (struct value){.kind = FIELD_REAL, .real = real};
}
static inline struct value value_count(uint64_t count)
{
    return (struct value){.kind = FIELD_COUNT, .count = count};
}
static inline struct value value_integer(int64_t integer)
{
    return (struct value){.kind = FIELD_INTEGER, .integer = integer};
}
static inline struct value value_flag(bool flag)
{
    return (struct value){.kind = FIELD_FLAG, .flag = flag};
}
/* NULL is absent. */
static inline struct value value_text(const char *text)
{
    return text ? (struct value){.kind = FIELD_TEXT, .text = text} : (struct value){0};
}
static inline struct value value_reasons(const struct reasons *reasons)
{
    return (struct value){.kind = FIELD_REASONS, .reasons = reasons};
}
/* Absent, for this reason; NULL: for the field's. */
static inline struct value value_absent(const char *why)
{
    return (struct value){.why = why};
}
/* Absent for what a judge said: the field is `coded`. */
static inline struct value value_because(const struct reasons *reasons)
{
    return (struct value){.because = reasons};
}
/* Made elsewhere; NULL is absent. */
static inline struct value value_json(json_t *json)
{
    return json ? (struct value){.kind = FIELD_JSON, .json = json} : (struct value){0};
}
/* Of a list of values: this one is null, and others may follow. */
static inline struct value value_null(void)
{
    return (struct value){.kind = FIELD_JSON};
}
static inline struct value value_left_out(void)
{
    return (struct value){.left_out = true};
}

/* Functions of fields that are one expression, of an item of that type. */
#define GETTER(name, type, ...) FIELD_FUNCTION(struct value, name, type, __VA_ARGS__)
#define PART(name, type, ...)   FIELD_FUNCTION(const void *, name, type, __VA_ARGS__)
#define FIELD_FUNCTION(result, name, type, ...)                                                    \
    static result name(const void *item_, const void *context)                                     \
    {                                                                                              \
        const type *item = item_;                                                                  \
        (void)item, (void)context;                                                                 \
        return __VA_ARGS__;                                                                        \
    }

/* --- reading --- */

/* The field with this key, those of spliced tables included; NULL: there is none. */
const struct field *fields_find(const struct fields *fields, const char *key);
/* What it says of an item; of objects and lists nothing. */
struct value field_value(const struct field *field, const void *item, const void *context);
/* For people, with its unit where `units`; "-" where it is absent. */
void field_put(const struct field *field, const struct value *value, bool units, struct text *out);
/* "ratio median", or as the field says. */
void field_put_title(const struct field *field, struct text *out);

/* --- formats: each one function over a table --- */

json_t *fields_json(const struct fields *fields, const void *item, const void *context);
/* Of a FIELD_LIST. */
json_t *field_list_json(const struct field *list, const void *item, const void *context);
/* Sentence, code and arguments as three members of the object. */
void json_put_reasons(json_t *object, const char *key, const struct reasons *reasons);

/* A value of a CSV file, quoted where it must be. What a terminal would obey becomes U+FFFD, for
 * the file may go to one; line ends and tabs stay. */
void text_put_csv(struct text *text, const char *word);
/* Rows of values: headed by keys, numbers in full, absent ones empty. */
void fields_put_csv(const struct field *list, const void *item, const void *context,
                    struct text *out);
/* A Markdown table, headed by titles with units. */
void fields_put_markdown(const struct field *list, const void *item, const void *context,
                         struct text *out);
/* A plain table of its columns. */
void fields_put_table(const struct field *list, const void *item, const void *context,
                      const struct style *style, struct text *out);

/* A row of a figure whose spec names a table: its columns are fields of that, by their keys; titles
 * and roles that a column leaves out are the field's. A field that a spliced or inner object has is
 * none of these. */
void fields_figure_add(json_t *figure, const struct figure_spec *spec, const void *item,
                       const void *context);

/* --- what is said of the tables themselves (schema.c) --- */

/* What a command's JSON is made of. */
struct described {
    const char *command;
    const struct field *results;         /* FIELD_LIST; NULL: none */
    const struct fields *const *instead; /* of rows of `results`: by options; NULL: none */
    const struct fields *analysis;       /* NULL: empty */
};
/* The JSON Schema of all of them in the envelope that they share, and the reference for people.
 * The tables of the envelope are objects of these names. */
struct schema_envelope {
    const struct fields *machine, *skipped, *finding, *gate;
    const struct described *commands;
    size_t count;
};
json_t *schema_json(const struct schema_envelope *envelope);
/* Of an object that is no command's. */
json_t *schema_of_table(const struct fields *table);
void schema_put_reference(const struct schema_envelope *envelope, struct text *out);
/* What JSON has for a field, in words: "number, ns". */
enum field_kind field_kind(const struct field *field);
