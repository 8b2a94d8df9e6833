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

#define KEY_BYTES 16

static const char *event_key(char key[KEY_BYTES], uint32_t counter)
{
    snprintf(key, KEY_BYTES, "event%u", counter);
    return key;
}

/* An absent workload travels as an empty one. */
static void put_watch(struct wire_writer *writer, const struct cell_watch *watch)
{
    const unsigned kind = (unsigned)watch->kind;
    wire_put_string(writer, "watch", kind < WATCH_KINDS ? watch_kind_names[kind] : "");
    wire_put_string(writer, "workload", watch->workload ? watch->workload : "");
    wire_put_u64(writer, "length", watch->length);
    wire_put_u64(writer, "threads", watch->threads);
    wire_put_u64(writer, "moves", watch->moves);
    wire_put_u64(writer, "handover", watch->handover);
    wire_put_u64(writer, "awake", watch->awake);
    wire_put_i64(writer, "partner", watch->partner);
}

/* Eleven fields, or none. Texts that there need not be travel as empty ones. */
static const struct {
    const char *key;
    size_t offset;
    bool needed;
} texts[] = {
    {"words", offsetof(struct cell_command, words), true},
    {"name", offsetof(struct cell_command, name), true},
    {"directory", offsetof(struct cell_command, directory), false},
    {"input", offsetof(struct cell_command, input), false},
    {"keep", offsetof(struct cell_command, keep), false},
};
enum { TEXTS = sizeof(texts) / sizeof(*texts) };

int cell_put(struct wire_writer *writer, const struct cell *cell)
{
    char key[KEY_BYTES];
    wire_begin(writer, "cell");
    wire_put_u64(writer, "id", cell->id);
    wire_put_u64(writer, "counters", cell->counters);
    for (uint32_t i = 0; i < cell->counters; i++)
        wire_put_string(writer, event_key(key, i), cell->events[i]);
    wire_put_string(writer, "path", cell->path);
    wire_put_string(writer, "pattern", pattern_names[cell->pattern]);
    wire_put_string(writer, "specimen", cell->specimen);
    wire_put_u64(writer, "n", cell->n);
    wire_put_string(writer, "opt", cell->opt);
    wire_put_string(writer, "link", cell->link);
    wire_put_u64(writer, "runs", cell->runs);
    wire_put_u64(writer, "separate", cell->separate);
    wire_put_i64(writer, "cpu", cell->cpu);
    if (cell->tour.calls) {
        wire_put_string(writer, "calls", cell->tour.calls);
        wire_put_string(writer, "counted", cell->tour.counted);
        wire_put_u64(writer, "open", cell->tour.open);
        wire_put_u64(writer, "cold", cell->tour.cold);
    }
    if (cell->watch.kind != WATCH_NONE)
        put_watch(writer, &cell->watch);
    if (cell->command.words) {
        const unsigned sweep = (unsigned)cell->command.sweep,
                       detail = (unsigned)cell->command.detail;
        for (size_t i = 0; i < TEXTS; i++) {
            const char *text =
                *(char *const *)(const void *)((const char *)&cell->command + texts[i].offset);
            wire_put_string(writer, texts[i].key, text ? text : "");
        }
        wire_put_u64(writer, "controls", cell->command.controls);
        wire_put_string(writer, "sweep", sweep < SWEEP_COUNT ? sweep_names[sweep] : "?");
        wire_put_u64(writer, "swept", cell->command.swept);
        wire_put_u64(writer, "timeout", cell->command.timeout);
        wire_put_string(writer, "detail",
                        detail < DETAIL_COUNT ? command_detail_names[detail] : "?");
        wire_put_u64(writer, "shown", cell->command.shown ? 1u + (unsigned)cell->command.lent : 0u);
    }
    return wire_end(writer);
}

static int cell_get_number(const struct wire_frame *frame, const char *key, uint64_t lowest,
                           uint64_t highest, uint64_t *value, struct failure *failure)
{
    int status = wire_get_u64(frame, key, value);
    if (status == 0 && *value >= lowest && *value <= highest)
        return 0;
    const char *given = wire_get(frame, key);
    return fail_with(
        failure, -EBADMSG, "a cell's '%s' must be a number from %llu to %llu, but is '%.40s'", key,
        (unsigned long long)lowest, (unsigned long long)highest, given ? given : "missing");
}

/* A word that must not be empty, copied. */
static int cell_get_word(const struct wire_frame *frame, const char *key, char **word,
                         struct failure *failure)
{
    const char *given = wire_get(frame, key);
    if (!given || !*given)
        return fail_with(failure, -EBADMSG, "a cell must name its '%s'", key);
    *word = strdup(given);
    return *word ? 0 : fail_with(failure, -ENOMEM, "no memory for a cell");
}

static int get_pattern(const struct wire_frame *frame, enum pattern *pattern,
                       struct failure *failure)
{
    const char *given = wire_get(frame, "pattern");
    int found = given ? pattern_from_name(given) : -1;
    if (found < 0)
        return fail_with(failure, -EBADMSG, "a cell's 'pattern' must be ar, ao, rr or ro");
    *pattern = (enum pattern)found;
    return 0;
}

static int get_numbers(const struct wire_frame *frame, struct cell *cell, struct failure *failure)
{
    uint64_t id;
    uint64_t counters;
    uint64_t runs;
    uint64_t separate;
    int64_t cpu;
    int status;
    if ((status = cell_get_number(frame, "id", 0, UINT32_MAX, &id, failure)) < 0 ||
        (status = cell_get_number(frame, "counters", 1, CELL_MAX_COUNTERS, &counters, failure)) <
            0 ||
        (status = cell_get_number(frame, "n", 0, UINT64_MAX, &cell->n, failure)) < 0 ||
        (status = cell_get_number(frame, "runs", 1, CELL_MAX_RUNS, &runs, failure)) < 0 ||
        (status = cell_get_number(frame, "separate", 0, 1, &separate, failure)) < 0)
        return status;
    if (wire_get_i64(frame, "cpu", &cpu) < 0 || cpu < -1 || cpu > INT32_MAX)
        return fail_with(failure, -EBADMSG, "a cell's 'cpu' must be the number of a CPU, or -1");
    cell->id = (uint32_t)id;
    cell->counters = (uint32_t)counters;
    cell->runs = (uint32_t)runs;
    cell->separate = separate != 0;
    cell->cpu = (int32_t)cpu;
    return 0;
}

static int get_words(const struct wire_frame *frame, struct cell *cell, struct failure *failure)
{
    char key[KEY_BYTES];
    int status = 0;
    for (uint32_t i = 0; i < cell->counters && status == 0; i++)
        status = cell_get_word(frame, event_key(key, i), &cell->events[i], failure);
    if (status < 0 || (status = cell_get_word(frame, "path", &cell->path, failure)) < 0 ||
        (status = get_pattern(frame, &cell->pattern, failure)) < 0 ||
        (status = cell_get_word(frame, "specimen", &cell->specimen, failure)) < 0 ||
        (status = cell_get_word(frame, "opt", &cell->opt, failure)) < 0 ||
        (status = cell_get_word(frame, "link", &cell->link, failure)) < 0)
        return status;
    return 0;
}

/* Is one of these keys there? Ends with NULL. */
static bool cell_has_any(const struct wire_frame *frame, const char *const *keys)
{
    bool there = false;
    for (; *keys; keys++)
        there = there || wire_field(frame, *keys);
    return there;
}

/* What a check said of a cell, which is now what the peer sent and not what we were asked. */
static int cell_judge_sent(int status, const struct failure *why, struct failure *failure)
{
    return status ? fail_with(failure, status == -EINVAL ? -EBADMSG : status, "%s", why->text) : 0;
}

/* All four fields, or none of them. */
static int get_tour(const struct wire_frame *frame, struct cell *cell, struct failure *failure)
{
    static const char *const keys[] = {"calls", "counted", "open", "cold", NULL};
    struct cell_tour *tour = &cell->tour;
    uint64_t open;
    uint64_t cold;
    const bool there = cell_has_any(frame, keys);
    int status;
    if (there &&
        ((status = cell_get_word(frame, "calls", &tour->calls, failure)) < 0 ||
         (status = cell_get_word(frame, "counted", &tour->counted, failure)) < 0 ||
         (status = cell_get_number(frame, "open", 1, CELL_MAX_COUNTERS, &open, failure)) < 0 ||
         (status = cell_get_number(frame, "cold", 0, 1, &cold, failure)) < 0))
        return status;
    if (there) {
        tour->open = (uint32_t)open;
        tour->cold = cold != 0;
    }
    struct failure why = {0};
    return cell_judge_sent(cell_check_tour(cell, &why), &why, failure);
}

static int get_kind(const struct wire_frame *frame, enum watch_kind *kind, struct failure *failure)
{
    const char *name = wire_get(frame, "watch");
    *kind = name ? watch_kind_from_name(name) : WATCH_NONE;
    if (*kind == WATCH_NONE)
        return fail_with(failure, -EBADMSG,
                         "a cell's 'watch' must be a kind of watch, but is '%.40s'",
                         name ? name : "missing");
    if (*kind == WATCH_OUTSIDE)
        return fail_with(failure, -EBADMSG,
                         "a cell asks for a watch of kind 'outside', which no probe carries out: "
                         "its rows are made by who asks for looks");
    return 0;
}

static int get_workload(const struct wire_frame *frame, char **workload, struct failure *failure)
{
    const char *given = wire_get(frame, "workload");
    if (!given)
        return fail_with(failure, -EBADMSG, "a watch must have a 'workload', be it empty");
    if (!*given)
        return 0;
    *workload = strdup(given);
    return *workload ? 0 : fail_with(failure, -ENOMEM, "no memory for a cell");
}

static int get_watch_fields(const struct wire_frame *frame, struct cell_watch *watch,
                            struct failure *failure)
{
    uint64_t threads, moves, handover, awake;
    int64_t partner;
    int status;
    if ((status = get_kind(frame, &watch->kind, failure)) < 0 ||
        (status = get_workload(frame, &watch->workload, failure)) < 0 ||
        (status = cell_get_number(frame, "length", 0, UINT64_MAX, &watch->length, failure)) < 0 ||
        (status = cell_get_number(frame, "threads", 1, WATCH_MOST_THREADS, &threads, failure)) <
            0 ||
        (status = cell_get_number(frame, "moves", 0, WATCH_MOST_MOVES, &moves, failure)) < 0 ||
        (status = cell_get_number(frame, "handover", 0, 1, &handover, failure)) < 0 ||
        (status = cell_get_number(frame, "awake", 0, 1, &awake, failure)) < 0)
        return status;
    if (wire_get_i64(frame, "partner", &partner) < 0 || partner < -1 || partner > INT32_MAX)
        return fail_with(failure, -EBADMSG,
                         "a cell's 'partner' must be the number of a CPU, or -1");
    watch->threads = (uint32_t)threads;
    watch->moves = (uint32_t)moves;
    watch->handover = handover != 0;
    watch->awake = awake != 0;
    watch->partner = (int32_t)partner;
    return 0;
}

/* All eight fields, or none of them. */
static int get_watch(const struct wire_frame *frame, struct cell *cell, struct failure *failure)
{
    static const char *const keys[] = {"watch",    "workload", "length",  "threads", "moves",
                                       "handover", "awake",    "partner", NULL};
    if (cell_has_any(frame, keys)) {
        int status = get_watch_fields(frame, &cell->watch, failure);
        if (status < 0)
            return status;
    }
    struct failure why = {0};
    return cell_judge_sent(cell_check_watch(cell, &why), &why, failure);
}

static int get_texts(const struct wire_frame *frame, struct cell_command *command,
                     struct failure *failure)
{
    int status = 0;
    for (size_t i = 0; i < TEXTS && status == 0; i++) {
        const char *given = wire_get(frame, texts[i].key);
        char **text = (char **)(void *)((char *)command + texts[i].offset);
        if (!given)
            return fail_with(failure, -EBADMSG, "a command must have '%s', be it empty",
                             texts[i].key);
        if (*given || texts[i].needed)
            status = cell_get_word(frame, texts[i].key, text, failure);
    }
    return status;
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

/* All eleven fields, or none of them. */
static int cell_get_command(const struct wire_frame *frame, struct cell *cell,
                            struct failure *failure)
{
    static const char *const keys[] = {"words", "name",  "directory", "input",  "keep",  "controls",
                                       "sweep", "swept", "timeout",   "detail", "shown", NULL};
    if (cell_has_any(frame, keys)) {
        int status;
        uint64_t controls, shown;
        unsigned sweep, detail;
        if (!((status = get_texts(frame, &cell->command, failure)) < 0 ||
              (status = cell_get_number(frame, "controls", 0, CONTROLS_ALL, &controls, failure)) <
                  0 ||
              (status = get_choice(frame, "sweep", sweep_names, SWEEP_COUNT, &sweep, failure)) <
                  0 ||
              (status = cell_get_number(frame, "swept", 0, SWEEP_MOST, &cell->command.swept,
                                        failure)) < 0 ||
              (status = cell_get_number(frame, "timeout", 0, COMMAND_MOST_MS,
                                        &cell->command.timeout, failure)) < 0 ||
              (status = get_choice(frame, "detail", command_detail_names, DETAIL_COUNT, &detail,
                                   failure)) < 0 ||
              (status = cell_get_number(frame, "shown", 0, LENT_COUNT, &shown, failure)) < 0)) {
            cell->command.controls = (uint32_t)controls;
            cell->command.sweep = (enum command_sweep)sweep;
            cell->command.detail = (enum command_detail)detail;
            cell->command.shown = shown != 0;
            cell->command.lent = (enum command_lent)(shown ? shown - 1 : 0);
            status = 0;
        }
        if (status < 0)
            return status;
    }
    struct failure why = {0};
    return cell_judge_sent(cell_check_command(cell, &why), &why, failure);
}

int cell_get(const struct wire_frame *frame, struct cell *cell, struct failure *failure)
{
    *cell = (struct cell){0};
    int status = get_numbers(frame, cell, failure);
    if (status == 0)
        status = get_words(frame, cell, failure);
    if (status == 0)
        status = get_tour(frame, cell, failure);
    if (status == 0)
        status = get_watch(frame, cell, failure);
    if (status == 0)
        status = cell_get_command(frame, cell, failure);
    if (status < 0)
        cell_release(cell);
    return status;
}

static bool copy_word(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return *to || !from;
}

int cell_copy(struct cell *to, const struct cell *from)
{
    *to = *from;
    memset(to->events, 0, sizeof(to->events));
    to->path = to->specimen = to->opt = to->link = to->tour.calls = to->tour.counted = NULL;
    to->watch.workload = NULL;
    to->command.words = to->command.name = to->command.directory = NULL;
    to->command.input = to->command.keep = NULL;
    bool copied = copy_word(&to->path, from->path) && copy_word(&to->specimen, from->specimen) &&
                  copy_word(&to->opt, from->opt) && copy_word(&to->link, from->link) &&
                  copy_word(&to->tour.calls, from->tour.calls) &&
                  copy_word(&to->tour.counted, from->tour.counted) &&
                  copy_word(&to->watch.workload, from->watch.workload) &&
                  copy_word(&to->command.words, from->command.words) &&
                  copy_word(&to->command.name, from->command.name) &&
                  copy_word(&to->command.directory, from->command.directory) &&
                  copy_word(&to->command.input, from->command.input) &&
                  copy_word(&to->command.keep, from->command.keep);
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
    free(cell->path);
    free(cell->specimen);
    free(cell->opt);
    free(cell->link);
    free(cell->tour.calls);
    free(cell->tour.counted);
    free(cell->watch.workload);
    free(cell->command.words);
    free(cell->command.name);
    free(cell->command.directory);
    free(cell->command.input);
    free(cell->command.keep);
    *cell = (struct cell){0};
}
