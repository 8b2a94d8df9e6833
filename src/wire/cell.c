/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cells on the wire: what the controller asks for, and the probe's reading of it. Whether the
 * factors exist on the machine is for the probe to say; here they only have to be well-formed. */
#include "wire/cell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/words.h"

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
static const struct field tour_fields[] = {
    {"calls", FIELD_WORD, offsetof(struct cell, tour.calls), 0, 0},
    {"counted", FIELD_WORD, offsetof(struct cell, tour.counted), 0, 0},
    {"open", FIELD_U32, offsetof(struct cell, tour.open), 1, CELL_MAX_COUNTERS},
    {"cold", FIELD_FLAG, offsetof(struct cell, tour.cold), 0, 1},
    {0},
};
static const struct field watch_fields[] = {
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
static const struct field command_fields[] = {
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
static const struct field *const groups[] = {core, tour_fields, watch_fields, command_fields};
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
        put_fields(writer, cell, tour_fields);
    if (cell->watch.kind != WATCH_NONE)
        put_fields(writer, cell, watch_fields);
    if (cell->command.words)
        put_fields(writer, cell, command_fields);
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
        status = get_group(frame, tour_fields, cell, cell_check_tour, failure);
    if (status == 0)
        status = get_group(frame, watch_fields, cell, cell_check_watch, failure);
    if (status == 0)
        status = get_group(frame, command_fields, cell, cell_check_command, failure);
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

/* Does a cell ask for something that makes sense? Its tour, its watch and its command, each whole
 * or none. Asked by the wire of what it got, by the store of what it is given and of what it finds
 * in itself. */

/* --- A tour: all of its fields, calls that can be read, and every pass whole --- */

static bool is(const char *word, const char *wanted)
{
    return word && strcmp(word, wanted) == 0;
}

/* "the tour of cell 7 has …", of what "the tour of ". */
__attribute__((format(printf, 4, 5))) static int
refuse(const struct cell *cell, const char *what, struct failure *failure, const char *format, ...)
{
    char why[sizeof(failure->text)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    return fail_with(failure, -EINVAL, "%scell %" PRIu32 " %s", what, cell->id, why);
}

static int check_no_tour(const struct cell *cell, struct failure *failure)
{
    const struct cell_tour *tour = &cell->tour;
    if (tour->counted || tour->open || tour->cold)
        return refuse(cell, "", failure, "is part of a tour, but has no calls");
    if (is(cell->path, "tour"))
        return refuse(cell, "", failure, "has path 'tour', but no calls");
    return 0;
}

int cell_check_tour(const struct cell *cell, struct failure *failure)
{
    const struct cell_tour *tour = &cell->tour;
    if (!tour->calls)
        return check_no_tour(cell, failure);
    if (!is(cell->path, "tour") || cell->pattern != PATTERN_RR || !is(cell->specimen, "null") ||
        cell->n != 0)
        return refuse(
            cell, "", failure,
            "has calls, so its path, pattern, specimen and n must be tour, rr, null and 0");
    if (!tour->counted || !*tour->counted)
        return refuse(cell, "the tour of ", failure,
                      "does not name the event 'counted' by its calls");
    if (tour->open < 1 || tour->open > CELL_MAX_COUNTERS)
        return refuse(cell, "the tour of ", failure,
                      "must have from 1 to %d counters 'open', but has %" PRIu32, CELL_MAX_COUNTERS,
                      tour->open);
    AUTO_FREE struct tour_call *calls = NULL;
    size_t length;
    int error = tour_parse(tour->calls, &calls, &length, failure);
    if (error)
        return error;
    if (cell->runs % length != 0)
        return refuse(cell, "the tour of ", failure,
                      "has %" PRIu32
                      " runs, which its %zu calls do not divide: every pass makes each call once",
                      cell->runs, length);
    return 0;
}

uint32_t cell_tour_length(const struct cell_tour *tour)
{
    uint32_t length = tour->calls != NULL;
    for (const char *at = tour->calls; at && *at; at++)
        length += *at == ',';
    return length;
}

bool cell_same_tour(const struct cell *left, const struct cell *right)
{
    const struct cell_tour *a = &left->tour, *b = &right->tour;
    if (!a->calls || !b->calls)
        return !a->calls && !b->calls;
    return strcmp(a->calls, b->calls) == 0 && strcmp(a->counted, b->counted) == 0 &&
           a->open == b->open && a->cold == b->cold;
}

/* --- A watch: what its kind allows --- */

/* What the kinds allow; wire/watch.h says why. */
static const struct {
    uint32_t least_columns, most_columns;
    uint64_t least_length, most_length;
} rules[WATCH_KINDS] = {
    [WATCH_INTERVAL] = {1, CELL_MAX_COUNTERS, 0, WATCH_MOST_MICROS},
    [WATCH_ROW] = {ROW_COLUMNS, ROW_COLUMNS, 1, WATCH_MOST_BLOCK},
    [WATCH_STEPS] = {2, 2, 1, WATCH_MOST_MICROS},
    [WATCH_TRIPS] = {1, CELL_MAX_COUNTERS, 0, 0},
    [WATCH_EDGES] = {2, CELL_MAX_COUNTERS, 1, WATCH_MOST_MICROS},
    [WATCH_OUTSIDE] = {3, CELL_MAX_COUNTERS, 0, 0},
};

static int check_workload(const struct cell *cell, struct failure *failure)
{
    const char *word = cell->watch.workload;
    if (cell->watch.kind != WATCH_INTERVAL)
        return word ? refuse(cell, "", failure, "has a workload, but watches no interval") : 0;
    const size_t length = word ? strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-") : 0;
    if (length == 0 || word[length] || length >= WATCH_WORKLOAD)
        return refuse(cell, "the interval of ", failure,
                      "must name its workload: at most %d small letters, digits and '-'",
                      WATCH_WORKLOAD - 1);
    return 0;
}

static int check_watch_numbers(const struct cell *cell, struct failure *failure)
{
    const struct cell_watch *watch = &cell->watch;
    const char *kind = watch_kind_names[watch->kind];
    const bool interval = watch->kind == WATCH_INTERVAL;
    if (watch->length < rules[watch->kind].least_length ||
        watch->length > rules[watch->kind].most_length)
        return refuse(
            cell, "", failure,
            "watches '%s', so its length must be from %" PRIu64 " to %" PRIu64 ", but is %" PRIu64,
            kind, rules[watch->kind].least_length, rules[watch->kind].most_length, watch->length);
    if (watch->threads < 1 || watch->threads > (interval ? WATCH_MOST_THREADS : 1))
        return refuse(cell, "", failure,
                      "watches '%s' with %" PRIu32 " threads: it may have from 1 to %u", kind,
                      watch->threads, interval ? WATCH_MOST_THREADS : 1);
    if (watch->moves > (interval ? WATCH_MOST_MOVES : 0))
        return refuse(cell, "", failure,
                      "watches '%s' with %" PRIu32 " moves: it may have at most %u", kind,
                      watch->moves, interval ? WATCH_MOST_MOVES : 0);
    if (watch->handover && !interval)
        return refuse(cell, "", failure, "hands over, but watches no interval");
    return 0;
}

/* Is the clock of this column in an earlier one, where the kind does not ask for that? */
static bool is_twice(const struct cell *cell, uint32_t column)
{
    const bool asks_again =
        cell->watch.kind == WATCH_OUTSIDE && column == cell->counters - 1 && column > 0;
    for (uint32_t before = asks_again ? 1 : 0; before < column; before++)
        if (strcmp(cell->events[before], cell->events[column]) == 0)
            return true;
    return false;
}

static bool columns_are(const struct cell *cell, uint32_t first, uint32_t last)
{
    for (uint32_t column = first + 1; column <= last; column++)
        if (strcmp(cell->events[first], cell->events[column]) != 0)
            return false;
    return true;
}

static int check_columns(const struct cell *cell, struct failure *failure)
{
    const enum watch_kind kind = cell->watch.kind;
    if (cell->counters < rules[kind].least_columns || cell->counters > rules[kind].most_columns)
        return refuse(cell, "", failure,
                      "watches '%s' with %" PRIu32 " columns: it must have from %" PRIu32
                      " to %" PRIu32,
                      watch_kind_names[kind], cell->counters, rules[kind].least_columns,
                      rules[kind].most_columns);
    struct external_clock clock;
    for (uint32_t i = 0; i < cell->counters; i++) {
        int status = external_clock_parse(cell->events[i] ? cell->events[i] : "", &clock, failure);
        if (status < 0 || !cell->events[i])
            return status < 0 ? status : -EINVAL;
    }
    if (kind == WATCH_ROW &&
        (!columns_are(cell, ROW_FIRST, ROW_WORST) || !columns_are(cell, ROW_BEFORE, ROW_AFTER)))
        return refuse(
            cell, "", failure,
            "watches a row, so its columns must be one clock four times and another twice");
    if (kind == WATCH_OUTSIDE && strcmp(cell->events[0], cell->events[cell->counters - 1]) != 0)
        return refuse(cell, "", failure,
                      "watches from outside, so its first and last column must be the same clock");
    for (uint32_t i = 0; i < cell->counters && kind != WATCH_ROW && kind != WATCH_STEPS; i++)
        if (is_twice(cell, i))
            return refuse(cell, "", failure, "reads the clock %.80s twice in a look",
                          cell->events[i]);
    return 0;
}

int cell_check_watch(const struct cell *cell, struct failure *failure)
{
    if (cell->watch.kind == WATCH_NONE) {
        if (is(cell->path, "watch"))
            return refuse(cell, "", failure, "has path 'watch', but no kind of watch");
        return 0;
    }
    int error = 0;
    if ((unsigned)cell->watch.kind >= WATCH_KINDS)
        error = refuse(cell, "", failure, "has a kind of watch that is none");
    else if (!is(cell->path, "watch") || cell->pattern != PATTERN_RR ||
             !is(cell->specimen, "null") || cell->n != 0 || cell->tour.calls)
        error = refuse(
            cell, "", failure,
            "is a watch, so its path, pattern, specimen and n must be watch, rr, null and 0");
    if (!error)
        error = check_workload(cell, failure);
    if (!error)
        error = check_watch_numbers(cell, failure);
    if (!error) {
        const int32_t partner = cell->watch.partner;
        if (cell->watch.kind != WATCH_TRIPS)
            error = partner == -1
                        ? 0
                        : refuse(cell, "", failure,
                                 "has a partner, CPU %" PRId32 ", but watches no trips", partner);
        else if (cell->cpu < 0 || partner < 0 || cell->cpu == partner)
            error = refuse(cell, "the trips of ", failure,
                           "need two CPUs, but have %" PRId32 " and %" PRId32, cell->cpu, partner);
    }
    if (!error)
        error = check_columns(cell, failure);
    if (error)
        return error;
    const uint32_t group = watch_group(cell->watch.kind, cell->watch.threads);
    if (group >= 1 && cell->runs >= 1 && cell->runs % group == 0)
        return 0;
    return refuse(cell, "", failure,
                  "watches '%s' with %" PRIu32 " runs, which are no multiple of the %" PRIu32
                  " looks that belong together",
                  watch_kind_names[cell->watch.kind], cell->runs, group);
}

bool cell_same_watch(const struct cell *left, const struct cell *right)
{
    const struct cell_watch *a = &left->watch, *b = &right->watch;
    if (a->kind == WATCH_NONE || b->kind == WATCH_NONE)
        return a->kind == b->kind;
    return a->kind == b->kind &&
           strcmp(a->workload ? a->workload : "", b->workload ? b->workload : "") == 0 &&
           a->length == b->length && a->threads == b->threads && a->moves == b->moves &&
           a->handover == b->handover && a->awake == b->awake && a->partner == b->partner;
}

/* ----------------------------------------------------------------------------------------------
 * A command: a program that can be named, in places that can be named, counted by one source. */

/* A program and its arguments, which may hold anything but their end. */
static int check_words(const struct cell *cell, struct failure *failure)
{
    AUTO_WORDS char **words = NULL;
    struct failure why = {0};
    if (strlen(cell->command.words) > COMMAND_MOST_BYTES)
        return refuse(cell, "the command of ", failure, "is longer than %u bytes",
                      COMMAND_MOST_BYTES);
    int count = words_split(cell->command.words, &words, &why);
    if (count == -ENOMEM)
        return fail_with(failure, -ENOMEM, "%s", why.text);
    if (count < 0)
        return refuse(cell, "the command of ", failure, "is no list of words: %s", why.text);
    if (count == 0 || !*words[0])
        return refuse(cell, "the command of ", failure, "names no program");
    return 0;
}

/* Names stand in tables: no control characters. */
static bool is_line(const char *text, size_t size)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return length >= 1 && length < size;
}

/* Variables with commas between them. */
static bool are_variables(const char *names)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (;; names++) {
        const size_t length = strspn(names, letters);
        if (length == 0 || (*names >= '0' && *names <= '9'))
            return false;
        names += length;
        if (*names != ',')
            return !*names;
    }
}

static int check_texts(const struct cell *cell, struct failure *failure)
{
    const struct cell_command *command = &cell->command;
    if (!command->name || !is_line(command->name, COMMAND_NAME))
        return refuse(cell, "the command of ", failure,
                      "must have a name of at most %d bytes without control characters",
                      COMMAND_NAME - 1);
    if ((command->directory && !is_line(command->directory, COMMAND_PLACE)) ||
        (command->input && !is_line(command->input, COMMAND_PLACE)))
        return refuse(cell, "the command of ", failure,
                      "has a directory or an input that is no path of at most %d bytes without "
                      "control characters",
                      COMMAND_PLACE - 1);
    if (command->keep && (strlen(command->keep) >= COMMAND_PLACE || !are_variables(command->keep)))
        return refuse(
            cell, "the command of ", failure,
            "keeps '%.80s', which is no list of names of variables with commas between them",
            command->keep);
    return 0;
}

static int check_command_numbers(const struct cell *cell, struct failure *failure)
{
    const struct cell_command *command = &cell->command;
    if (command->controls & ~CONTROLS_ALL)
        return refuse(cell, "the command of ", failure,
                      "has controls that there are not: 0x%" PRIx32,
                      command->controls & ~CONTROLS_ALL);
    if ((unsigned)command->sweep >= SWEEP_COUNT || (unsigned)command->detail >= DETAIL_COUNT)
        return refuse(cell, "the command of ", failure, "has a sweep or a detail that is none");
    if (command->swept > (command->sweep == SWEEP_NONE ? 0 : SWEEP_MOST))
        return refuse(cell, "the command of ", failure,
                      "is swept to %" PRIu64 ": at most %u, and 0 where nothing is swept",
                      command->swept, SWEEP_MOST);
    if (command->timeout > COMMAND_MOST_MS)
        return refuse(cell, "the command of ", failure,
                      "may take %" PRIu64 " ms: at most %" PRIu64 ", or 0 for as long as it likes",
                      command->timeout, COMMAND_MOST_MS);
    return 0;
}

int cell_check_command(const struct cell *cell, struct failure *failure)
{
    if (!cell->command.words) {
        if (is(cell->path, "command"))
            return refuse(cell, "", failure, "has path 'command', but no words");
        return 0;
    }
    int error = 0;
    if (!is(cell->path, "command") || cell->pattern != PATTERN_RR || !is(cell->specimen, "null") ||
        cell->n != 0 || cell->runs != 1)
        error = refuse(cell, "", failure,
                       "is a command, so its path, pattern, specimen, n and runs must be command, "
                       "rr, null, 0 and 1");
    else if (cell->tour.calls || cell->watch.kind != WATCH_NONE)
        error = refuse(cell, "", failure, "is a command, so it can be neither a tour nor a watch");
    if (!error)
        error = check_words(cell, failure);
    if (!error)
        error = check_texts(cell, failure);
    if (!error)
        error = check_command_numbers(cell, failure);
    if (error)
        return error;
    /* One counts, or nobody does and only what became of it is asked for; no column twice. */
    const char *counter = NULL;
    for (uint32_t i = 0; i < cell->counters; i++) {
        const char *event = cell->events[i] ? cell->events[i] : "";
        const char *source = command_source(event);
        if (!*event || (strncmp(event, "run/", 4) == 0 && *source))
            return refuse(cell, "the command of ", failure,
                          "has a column '%.80s', which there is not", event);
        if (counter && *source && strcmp(counter, source) != 0)
            return refuse(cell, "the command of ", failure,
                          "is to be counted by %s and by %s: one execution has one of them",
                          counter, source);
        if (*source)
            counter = source;
        for (uint32_t before = 0; before < i; before++)
            if (strcmp(cell->events[before], event) == 0)
                return refuse(cell, "the command of ", failure, "has the column '%.80s' twice",
                              event);
    }
    return 0;
}

static bool same_text(const char *left, const char *right)
{
    return strcmp(left ? left : "", right ? right : "") == 0;
}

bool cell_same_command(const struct cell *left, const struct cell *right)
{
    const struct cell_command *a = &left->command, *b = &right->command;
    if (!a->words || !b->words)
        return !a->words && !b->words;
    return same_text(a->words, b->words) && same_text(a->name, b->name) &&
           same_text(a->directory, b->directory) && same_text(a->input, b->input) &&
           same_text(a->keep, b->keep) && a->controls == b->controls && a->sweep == b->sweep &&
           a->swept == b->swept && a->timeout == b->timeout && a->detail == b->detail &&
           a->shown == b->shown;
}
