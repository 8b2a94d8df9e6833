/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cells on the wire: what the controller asks for, and the probe's reading of it. Whether the
 * factors exist on the machine is for the probe to say; here they only have to be well-formed. */
#include "wire/cell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The fields of a cell in the order in which they travel --- */

enum kind {
    FIELD_EVENTS, /* as many as there are counters, each a word */
    FIELD_WORD,   /* must not be empty */
    FIELD_NAMED,  /* a word of a command */
    FIELD_TEXT,   /* of a command: an absent one travels as an empty one */
    FIELD_WORKLOAD,
    FIELD_PATTERN,
    FIELD_KIND,
    FIELD_SWEEP,
    FIELD_DETAIL,
    FIELD_CPU, /* or -1 */
    FIELD_U32, /* from here on numbers, from lowest to highest */
    FIELD_U64,
    FIELD_FLAG,
    FIELD_SHOWN,
};

struct field {
    const char *key; /* NULL ends a list */
    enum kind kind;
    size_t offset; /* in struct cell */
    uint64_t lowest, highest;
};

static const struct field core[] = {
    {"id", FIELD_U32, offsetof(struct cell, id), 0, UINT32_MAX},
    {"counters", FIELD_U32, offsetof(struct cell, counters), 1, CELL_MAX_COUNTERS},
    {"event", FIELD_EVENTS, offsetof(struct cell, events), 0, 0},
    {"path", FIELD_WORD, offsetof(struct cell, path), 0, 0},
    {"pattern", FIELD_PATTERN, offsetof(struct cell, pattern), 0, 0},
    {"specimen", FIELD_WORD, offsetof(struct cell, specimen), 0, 0},
    {"n", FIELD_U64, offsetof(struct cell, n), 0, UINT64_MAX},
    {"opt", FIELD_WORD, offsetof(struct cell, opt), 0, 0},
    {"link", FIELD_WORD, offsetof(struct cell, link), 0, 0},
    {"runs", FIELD_U32, offsetof(struct cell, runs), 1, CELL_MAX_RUNS},
    {"separate", FIELD_FLAG, offsetof(struct cell, separate), 0, 1},
    {"cpu", FIELD_CPU, offsetof(struct cell, cpu), 0, 0},
    {0},
};
/* All fields of these, or none of them. */
static const struct field tour[] = {
    {"calls", FIELD_WORD, offsetof(struct cell, tour.calls), 0, 0},
    {"counted", FIELD_WORD, offsetof(struct cell, tour.counted), 0, 0},
    {"open", FIELD_U32, offsetof(struct cell, tour.open), 1, CELL_MAX_COUNTERS},
    {"cold", FIELD_FLAG, offsetof(struct cell, tour.cold), 0, 1},
    {0},
};
static const struct field watch[] = {
    {"watch", FIELD_KIND, offsetof(struct cell, watch.kind), 0, 0},
    {"workload", FIELD_WORKLOAD, offsetof(struct cell, watch.workload), 0, 0},
    {"length", FIELD_U64, offsetof(struct cell, watch.length), 0, UINT64_MAX},
    {"threads", FIELD_U32, offsetof(struct cell, watch.threads), 1, WATCH_MOST_THREADS},
    {"moves", FIELD_U32, offsetof(struct cell, watch.moves), 0, WATCH_MOST_MOVES},
    {"handover", FIELD_FLAG, offsetof(struct cell, watch.handover), 0, 1},
    {"awake", FIELD_FLAG, offsetof(struct cell, watch.awake), 0, 1},
    {"partner", FIELD_CPU, offsetof(struct cell, watch.partner), 0, 0},
    {0},
};
static const struct field command[] = {
    {"words", FIELD_NAMED, offsetof(struct cell, command.words), 0, 0},
    {"name", FIELD_NAMED, offsetof(struct cell, command.name), 0, 0},
    {"directory", FIELD_TEXT, offsetof(struct cell, command.directory), 0, 0},
    {"input", FIELD_TEXT, offsetof(struct cell, command.input), 0, 0},
    {"keep", FIELD_TEXT, offsetof(struct cell, command.keep), 0, 0},
    {"controls", FIELD_U32, offsetof(struct cell, command.controls), 0, CONTROLS_ALL},
    {"sweep", FIELD_SWEEP, offsetof(struct cell, command.sweep), 0, 0},
    {"swept", FIELD_U64, offsetof(struct cell, command.swept), 0, SWEEP_MOST},
    {"timeout", FIELD_U64, offsetof(struct cell, command.timeout), 0, COMMAND_MOST_MS},
    {"detail", FIELD_DETAIL, offsetof(struct cell, command.detail), 0, 0},
    {"shown", FIELD_SHOWN, offsetof(struct cell, command.shown), 0, LENT_COUNT},
    {0},
};
static const struct field *const groups[] = {core, tour, watch, command};
enum { GROUPS = sizeof(groups) / sizeof(*groups) };

#define KEY_BYTES 16

static const char *event_key(char key[KEY_BYTES], uint32_t counter)
{
    snprintf(key, KEY_BYTES, "event%u", counter);
    return key;
}

/* The place of a text; NULL: the field is none. */
static char **text_of(const struct field *field, const struct cell *cell)
{
    return field->kind >= FIELD_WORD && field->kind <= FIELD_WORKLOAD
               ? (char **)(void *)((char *)(uintptr_t)cell + field->offset)
               : NULL;
}

/* --- Writing --- */

static void put_fields(struct wire_writer *writer, const struct cell *cell,
                       const struct field *field)
{
    for (; field->key; field++) {
        const void *at = (const char *)cell + field->offset;
        unsigned choice;
        char key[KEY_BYTES];
        switch (field->kind) {
        case FIELD_EVENTS:
            for (uint32_t i = 0; i < cell->counters; i++)
                wire_put_string(writer, event_key(key, i), cell->events[i]);
            break;
        case FIELD_WORD:
        case FIELD_NAMED:
        case FIELD_TEXT:
        case FIELD_WORKLOAD:
            wire_put_string(writer, field->key, *text_of(field, cell) ? *text_of(field, cell) : "");
            break;
        case FIELD_PATTERN:
            wire_put_string(writer, field->key, pattern_names[cell->pattern]);
            break;
        case FIELD_KIND:
            choice = (unsigned)cell->watch.kind;
            wire_put_string(writer, field->key,
                            choice < WATCH_KINDS ? watch_kind_names[choice] : "");
            break;
        case FIELD_SWEEP:
            choice = (unsigned)cell->command.sweep;
            wire_put_string(writer, field->key, choice < SWEEP_COUNT ? sweep_names[choice] : "?");
            break;
        case FIELD_DETAIL:
            choice = (unsigned)cell->command.detail;
            wire_put_string(writer, field->key,
                            choice < DETAIL_COUNT ? command_detail_names[choice] : "?");
            break;
        case FIELD_CPU:
            wire_put_i64(writer, field->key, *(const int32_t *)at);
            break;
        case FIELD_U32:
            wire_put_u64(writer, field->key, *(const uint32_t *)at);
            break;
        case FIELD_U64:
            wire_put_u64(writer, field->key, *(const uint64_t *)at);
            break;
        case FIELD_FLAG:
            wire_put_u64(writer, field->key, *(const bool *)at);
            break;
        case FIELD_SHOWN:
            wire_put_u64(writer, field->key,
                         cell->command.shown ? 1u + (unsigned)cell->command.lent : 0u);
            break;
        }
    }
}

int cell_put(struct wire_writer *writer, const struct cell *cell)
{
    wire_begin(writer, "cell");
    put_fields(writer, cell, core);
    if (cell->tour.calls)
        put_fields(writer, cell, tour);
    if (cell->watch.kind != WATCH_NONE)
        put_fields(writer, cell, watch);
    if (cell->command.words)
        put_fields(writer, cell, command);
    return wire_end(writer);
}

/* --- Reading --- */

static int get_word(const struct wire_frame *frame, const char *key, char **word,
                    struct failure *failure)
{
    const char *given = wire_get(frame, key);
    if (!given || !*given)
        return fail_with(failure, -EBADMSG, "a cell must name its '%s'", key);
    *word = strdup(given);
    return *word ? 0 : fail_with(failure, -ENOMEM, "no memory for a cell");
}

static int get_number(const struct wire_frame *frame, const struct field *field, struct cell *cell,
                      struct failure *failure)
{
    void *at = (char *)cell + field->offset;
    const char *given = wire_get(frame, field->key);
    uint64_t value;
    if (wire_get_u64(frame, field->key, &value) != 0 || value < field->lowest ||
        value > field->highest)
        return fail_with(failure, -EBADMSG,
                         "a cell's '%s' must be a number from %llu to %llu, but is '%.40s'",
                         field->key, (unsigned long long)field->lowest,
                         (unsigned long long)field->highest, given ? given : "missing");
    if (field->kind == FIELD_U32)
        *(uint32_t *)at = (uint32_t)value;
    else if (field->kind == FIELD_U64)
        *(uint64_t *)at = value;
    else
        *(bool *)at = value != 0;
    if (field->kind == FIELD_SHOWN)
        cell->command.lent = (enum command_lent)(value ? value - 1 : 0);
    return 0;
}

/* Which of the words a field holds. */
static int get_choice(const struct wire_frame *frame, const char *key, const char *const *words,
                      unsigned count, unsigned *choice, struct failure *failure)
{
    const char *given = wire_get(frame, key);
    for (*choice = 0; given && *choice < count; ++*choice)
        if (strcmp(given, words[*choice]) == 0)
            return 0;
    return fail_with(failure, -EBADMSG, "a command's '%s' is '%.40s', which is none", key,
                     given ? given : "missing");
}

static int get_field(const struct wire_frame *frame, const struct field *field, struct cell *cell,
                     struct failure *failure)
{
    const char *key = field->key, *given = wire_get(frame, key);
    char **text = text_of(field, cell), event[KEY_BYTES];
    int status = 0, pattern;
    unsigned choice = 0;
    int64_t cpu;
    switch (field->kind) {
    case FIELD_EVENTS:
        for (uint32_t i = 0; i < cell->counters && status == 0; i++)
            status = get_word(frame, event_key(event, i), &cell->events[i], failure);
        return status;
    case FIELD_WORD:
        return get_word(frame, key, text, failure);
    case FIELD_NAMED:
    case FIELD_TEXT:
        if (!given)
            return fail_with(failure, -EBADMSG, "a command must have '%s', be it empty", key);
        return *given || field->kind == FIELD_NAMED ? get_word(frame, key, text, failure) : 0;
    case FIELD_WORKLOAD:
        if (!given)
            return fail_with(failure, -EBADMSG, "a watch must have a 'workload', be it empty");
        return *given ? get_word(frame, key, text, failure) : 0;
    case FIELD_PATTERN:
        pattern = given ? pattern_from_name(given) : -1;
        if (pattern < 0)
            return fail_with(failure, -EBADMSG, "a cell's 'pattern' must be ar, ao, rr or ro");
        cell->pattern = (enum pattern)pattern;
        return 0;
    case FIELD_KIND:
        cell->watch.kind = given ? watch_kind_from_name(given) : WATCH_NONE;
        if (cell->watch.kind == WATCH_NONE)
            return fail_with(failure, -EBADMSG,
                             "a cell's 'watch' must be a kind of watch, but is '%.40s'",
                             given ? given : "missing");
        if (cell->watch.kind == WATCH_OUTSIDE)
            return fail_with(
                failure, -EBADMSG,
                "a cell asks for a watch of kind 'outside', which no probe carries out: "
                "its rows are made by who asks for looks");
        return 0;
    case FIELD_SWEEP:
        status = get_choice(frame, key, sweep_names, SWEEP_COUNT, &choice, failure);
        cell->command.sweep = (enum command_sweep)choice;
        return status;
    case FIELD_DETAIL:
        status = get_choice(frame, key, command_detail_names, DETAIL_COUNT, &choice, failure);
        cell->command.detail = (enum command_detail)choice;
        return status;
    case FIELD_CPU:
        if (wire_get_i64(frame, key, &cpu) < 0 || cpu < -1 || cpu > INT32_MAX)
            return fail_with(failure, -EBADMSG, "a cell's '%s' must be the number of a CPU, or -1",
                             key);
        *(int32_t *)(void *)((char *)cell + field->offset) = (int32_t)cpu;
        return 0;
    default:
        return get_number(frame, field, cell, failure);
    }
}

/* All fields of a group, or none of them; then what a check says of the cell, which is now what the
 * peer sent and not what we were asked. */
static int get_group(const struct wire_frame *frame, const struct field *fields, struct cell *cell,
                     int (*check)(const struct cell *cell, struct failure *failure),
                     struct failure *failure)
{
    bool there = false;
    int status = 0;
    for (const struct field *field = fields; field->key; field++)
        there = there || wire_field(frame, field->key);
    for (const struct field *field = fields; there && field->key && status == 0; field++)
        status = get_field(frame, field, cell, failure);
    if (status < 0)
        return status;
    struct failure why = {0};
    status = check(cell, &why);
    return status ? fail_with(failure, status == -EINVAL ? -EBADMSG : status, "%s", why.text) : 0;
}

int cell_get(const struct wire_frame *frame, struct cell *cell, struct failure *failure)
{
    *cell = (struct cell){0};
    int status = 0;
    /* Numbers first: they say how many events there are. */
    for (int words = 0; words < 2; words++)
        for (const struct field *field = core; field->key && status == 0; field++)
            if ((field->kind < FIELD_CPU) == words)
                status = get_field(frame, field, cell, failure);
    if (status == 0)
        status = get_group(frame, tour, cell, cell_check_tour, failure);
    if (status == 0)
        status = get_group(frame, watch, cell, cell_check_watch, failure);
    if (status == 0)
        status = get_group(frame, command, cell, cell_check_command, failure);
    if (status < 0)
        cell_release(cell);
    return status;
}

/* --- Copies --- */

static bool copy_word(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

int cell_copy(struct cell *to, const struct cell *from)
{
    bool copied = true;
    *to = *from;
    memset(to->events, 0, sizeof(to->events));
    for (size_t group = 0; group < GROUPS; group++)
        for (const struct field *field = groups[group]; field->key; field++)
            if (text_of(field, to))
                copied = copy_word(text_of(field, to), *text_of(field, from)) && copied;
    for (uint32_t i = 0; i < from->counters && copied; i++)
        copied = copy_word(&to->events[i], from->events[i]);
    if (copied)
        return 0;
    cell_release(to);
    return -ENOMEM;
}

void cell_release(struct cell *cell)
{
    for (size_t i = 0; i < CELL_MAX_COUNTERS; i++)
        free(cell->events[i]);
    for (size_t group = 0; group < GROUPS; group++)
        for (const struct field *field = groups[group]; field->key; field++)
            if (text_of(field, cell))
                free(*text_of(field, cell));
    *cell = (struct cell){0};
}
