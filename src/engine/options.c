/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parses a command line by a command's option table, with getopt_long. First step of every
 * command; knows nothing of what the options mean. */
#include "engine/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/nearest.h"

#define FIRST_LONG 256 /* getopt_long's value for the i-th option: beyond every letter */

const struct option_spec common_option_specs[] = {
    {0, "json", OPTION_FLAG, NULL, "print one JSON object instead of text",
     offsetof(struct common_options, json), NULL},
    {'o', "output", OPTION_STRING, "FILE",
     "write the result to FILE, which appears whole or not at all",
     offsetof(struct common_options, output), NULL},
    {0, "via", OPTION_STRING, "TRANSPORT",
     "reach the machine under test through TRANSPORT: local, ssh:HOST (options of ssh before the "
     "host), lab:aarch64 for an emulated machine with exact counters (see assay lab), qemu:ISA for "
     "the code of another ISA, executed here and not measured, or exec:ARGV... with any prefix "
     "that "
     "runs a program there",
     offsetof(struct common_options, via), "local"},
    {'q', "quiet", OPTION_FLAG, NULL, "no progress and no remarks on standard error",
     offsetof(struct common_options, quiet), NULL},
    {'h', "help", OPTION_FLAG, NULL, "print this help", offsetof(struct common_options, help),
     NULL},
    {0},
};

void options_each(const struct command *command, option_each *each, void *context)
{
    for (const struct option_spec *spec = command->options; spec && spec->name; spec++)
        each(context, spec);
    for (const struct option_spec *spec = common_option_specs; spec->name; spec++)
        if (!command->stays_here || spec->offset != offsetof(struct common_options, via))
            each(context, spec);
}

/* --- getopt's view of the table --- */

struct getopt_table {
    const struct option_spec **specs;
    struct option *longs;
    char *letters;
    size_t count;
};

static void count_spec(void *context, const struct option_spec *spec)
{
    (void)spec;
    (*(size_t *)context)++;
}

static void add_spec(void *context, const struct option_spec *spec)
{
    struct getopt_table *table = context;
    bool argument = spec->type != OPTION_FLAG;
    table->specs[table->count] = spec;
    table->longs[table->count] =
        (struct option){spec->name, argument ? required_argument : no_argument, NULL,
                        FIRST_LONG + (int)table->count};
    if (spec->letter) {
        char *end = table->letters + strlen(table->letters);
        *end++ = spec->letter;
        if (argument)
            *end = ':';
    }
    table->count++;
}

static void table_free(struct getopt_table *table)
{
    free(table->specs);
    free(table->longs);
    free(table->letters);
}

static int table_make(const struct command *command, struct getopt_table *table)
{
    size_t count = 0;
    options_each(command, count_spec, &count);
    *table = (struct getopt_table){
        .specs = calloc(count + 1, sizeof(*table->specs)),
        .longs = calloc(count + 1, sizeof(*table->longs)),
        .letters = calloc(2 * count + 3, 1),
    };
    if (!table->specs || !table->longs || !table->letters)
        return -ENOMEM;
    /* The colon makes getopt tell a missing argument from an unknown option; the plus makes it stop
     * at the first word that is none, whose own options are not ours. */
    strcpy(table->letters, command->passes_on ? "+:" : ":");
    options_each(command, add_spec, table);
    return 0;
}

static const struct option_spec *spec_for(const struct getopt_table *table, int value)
{
    if (value >= FIRST_LONG)
        return table->specs[value - FIRST_LONG];
    for (size_t i = 0; i < table->count; i++) {
        if (table->specs[i]->letter == value)
            return table->specs[i];
    }
    return NULL;
}

/* --- values --- */

static int store_value(const struct option_spec *spec, void *options, const char *text)
{
    void *place = (char *)options + spec->offset;
    struct seed *seed = place;
    struct optional *optional = place;
    switch (spec->type) {
    case OPTION_FLAG:
        *(bool *)place = true;
        return 0;
    case OPTION_STRING:
        *(const char **)place = text;
        return 0;
    case OPTION_U64:
        return value_u64(text, place);
    case OPTION_I64:
        return value_i64(text, place);
    case OPTION_DURATION:
        return value_duration(text, place);
    case OPTION_BUDGET:
        return value_budget(text, place);
    case OPTION_LIST:
        return string_list_add(place, text);
    case OPTION_FILES:
        return string_list_push(place, text, strlen(text));
    case OPTION_SEED:
        seed->given = true;
        return value_u64(text, &seed->value);
    case OPTION_OPTIONAL:
        optional->given = true;
        return value_u64(text, &optional->value);
    }
    return -EINVAL;
}

static const char *const value_forms[] = {
    [OPTION_U64] = "a whole number such as 1000, 1e6, 0x10 or 1_000_000",
    [OPTION_I64] = "a whole number, perhaps negative",
    [OPTION_OPTIONAL] = "a whole number such as 1000, 1e6, 0x10 or 1_000_000",
    [OPTION_DURATION] = "a duration such as 500ms, 60s, 5m or 1h",
    [OPTION_BUDGET] = "a duration of 1ms or more, such as 500ms, 60s, 5m or 1h",
    [OPTION_LIST] = "one or more items with single commas between them",
    [OPTION_FILES] = "the name of a file",
    [OPTION_SEED] = "a whole number such as 42 or 0x2a",
};

static int set_value(const struct option_spec *spec, void *options, const char *text,
                     struct failure *failure)
{
    int error = store_value(spec, options, text);
    if (error == -ERANGE)
        return fail_with(failure, -EINVAL, "--%s %.200s: the number is too large", spec->name,
                         text);
    /* What is taken as it is may be the name of something else. */
    if (error == -EINVAL && spec->type == OPTION_FILES && strcmp(spec->argument, "FILE") != 0)
        return fail_with(failure, -EINVAL, "--%s '': expected a %s, which cannot be empty",
                         spec->name, spec->argument);
    if (error == -EINVAL)
        return fail_with(failure, -EINVAL, "--%s '%.200s': expected %s", spec->name, text,
                         value_forms[spec->type]);
    if (error < 0)
        return fail_with(failure, error, "--%s: %s", spec->name, strerror(-error));
    return 0;
}

struct defaulting {
    void *options;
    const bool *given; /* by position in the table */
    size_t position;
    int error;
    struct failure *failure;
};

static void set_default(void *context, const struct option_spec *spec)
{
    struct defaulting *defaulting = context;
    bool given = defaulting->given[defaulting->position++];
    if (given || !spec->initial || defaulting->error < 0)
        return;
    defaulting->error = set_value(spec, defaulting->options, spec->initial, defaulting->failure);
}

/* --- errors --- */

static void offer_spec(void *context, const struct option_spec *spec)
{
    nearest_offer(context, spec->name);
}

static int unknown_option(const struct command *command, const char *word, int letter,
                          struct failure *failure)
{
    char name[64];
    const char *start = word + strspn(word, "-");
    const bool short_one = letter && letter < FIRST_LONG;
    if (short_one)
        snprintf(name, sizeof(name), "%c", letter);
    else
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(start, "="), start);
    for (const struct option_hint *known = command->hints; known && known->option; known++)
        if (strcmp(known->option, name) == 0)
            return fail_with(failure, -EINVAL, "no option %s%s: %s", short_one ? "-" : "--", name,
                             known->hint);
    if (short_one)
        return fail_with(failure, -EINVAL, "unknown option -%c", letter);
    struct nearest nearest = {.word = name};
    options_each(command, offer_spec, &nearest);
    if (nearest.best)
        return fail_with(failure, -EINVAL, "unknown option --%s: did you mean --%s?", name,
                         nearest.best);
    return fail_with(failure, -EINVAL, "unknown option --%s", name);
}

static int parse_words(const struct command *command, const struct getopt_table *table, int argc,
                       char **argv, void *options, bool *given, struct failure *failure)
{
    opterr = 0;
    optind = 0; /* GNU: start afresh */
    for (;;) {
        int value = getopt_long(argc, argv, table->letters, table->longs, NULL);
        const struct option_spec *spec;
        switch (value) {
        case -1:
            return 0;
        case ':':
            spec = spec_for(table, optopt);
            return fail_with(failure, -EINVAL, "--%s needs %s", spec->name, spec->argument);
        case '?':
            /* A long flag given a value: getopt reports its own number. */
            if (optopt >= FIRST_LONG)
                return fail_with(failure, -EINVAL, "--%s takes no value",
                                 spec_for(table, optopt)->name);
            return unknown_option(command, argv[optind - 1], optopt, failure);
        default:
            spec = spec_for(table, value);
            for (size_t i = 0; i < table->count; i++)
                given[i] |= table->specs[i] == spec;
            int error = set_value(spec, options, optarg, failure);
            if (error < 0)
                return error;
        }
    }
}

int options_parse(const struct command *command, int argc, char **argv, void *options, int *first,
                  struct failure *failure)
{
    struct getopt_table table;
    int error = table_make(command, &table);
    AUTO_FREE bool *given = error < 0 ? NULL : calloc(table.count, sizeof(*given));
    if (!given) {
        error = fail_with(failure, -ENOMEM, "out of memory");
    } else {
        error = parse_words(command, &table, argc, argv, options, given, failure);
        *first = optind;
    }
    if (error == 0) {
        struct defaulting defaulting = {.options = options, .given = given, .failure = failure};
        options_each(command, set_default, &defaulting);
        error = defaulting.error;
    }
    table_free(&table);
    return error;
}

static void release_value(void *options, const struct option_spec *spec)
{
    if (spec->type == OPTION_LIST || spec->type == OPTION_FILES)
        string_list_free((struct string_list *)(void *)((char *)options + spec->offset));
}

void options_release(const struct command *command, void *options)
{
    options_each(command, release_value, options);
}

int options_check_number(const char *name, const struct optional *number, uint64_t most,
                         struct failure *failure)
{
    if (!number->given || (number->value >= 1 && number->value <= most))
        return 0;
    return fail_with(failure, -EINVAL, "--%s must be between 1 and %llu", name,
                     (unsigned long long)most);
}
