/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parses a command line by a command's option table, with getopt_long. First step of every
 * command; knows nothing of what the options mean. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "engine/options.h"
#include "output/output.h"

/* ----------------------------------------------------------------------------------------------
 * The forms an option's value may have: whole numbers as people write them, durations, lists. */

/* Copies digits without the underscores that may stand between two of them. */
static int strip_underscores(const char *text, char *plain, size_t size)
{
    size_t length = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '_') {
            if (at == text || !isxdigit((unsigned char)at[-1]) || !isxdigit((unsigned char)at[1]))
                return -EINVAL;
            continue;
        }
        if (length + 1 >= size)
            return -EINVAL;
        plain[length++] = *at;
    }
    plain[length] = '\0';
    return length ? 0 : -EINVAL;
}

static int append_digit(uint64_t *value, unsigned base, unsigned digit)
{
    if (__builtin_mul_overflow(*value, base, value) || __builtin_add_overflow(*value, digit, value))
        return -ERANGE;
    return 0;
}

static int hexadecimal(const char *digits, uint64_t *value)
{
    if (!*digits)
        return -EINVAL;
    *value = 0;
    for (; *digits; digits++) {
        if (!isxdigit((unsigned char)*digits))
            return -EINVAL;
        int lower = tolower((unsigned char)*digits);
        unsigned digit = (unsigned)(lower <= '9' ? lower - '0' : lower - 'a' + 10);
        int error = append_digit(value, 16, digit);
        if (error < 0)
            return error;
    }
    return 0;
}

/* digits[.digits][e[+]digits], which must come out whole: 1.5e3 is 1500, 1.5 is refused. */
static int decimal(const char *text, uint64_t *value)
{
    *value = 0;
    unsigned fraction = 0;
    bool point = false, digits = false;
    int error;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        digits = true;
        fraction += point;
        error = append_digit(value, 10, (unsigned)(*text - '0'));
        if (error < 0)
            return error;
    }
    unsigned exponent = 0;
    if (digits && (*text == 'e' || *text == 'E')) {
        text++;
        text += *text == '+';
        if (!isdigit((unsigned char)*text))
            return -EINVAL;
        for (; isdigit((unsigned char)*text); text++)
            exponent = exponent > 1000 ? exponent : exponent * 10 + (unsigned)(*text - '0');
    }
    if (!digits || *text || fraction > exponent)
        return -EINVAL;
    for (exponent -= fraction; exponent && *value; exponent--) {
        error = append_digit(value, 10, 0);
        if (error < 0)
            return error;
    }
    return 0;
}

int value_u64(const char *text, uint64_t *value)
{
    char plain[64] = "";
    int error = strip_underscores(text, plain, sizeof(plain));
    if (error < 0)
        return error;
    if (plain[0] == '0' && (plain[1] == 'x' || plain[1] == 'X'))
        return hexadecimal(plain + 2, value);
    return decimal(plain, value);
}

static int value_i64(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    uint64_t magnitude;
    int error = value_u64(text + (negative || *text == '+'), &magnitude);
    if (error < 0)
        return error;
    if (magnitude > (uint64_t)INT64_MAX)
        return -ERANGE;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return 0;
}

int value_duration(const char *text, uint64_t *milliseconds)
{
    static const struct {
        const char *unit;
        uint64_t milliseconds;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"min", 60000}, {"h", 3600000}, {"", 1000}};
    size_t length = strlen(text), digits = length;
    while (digits && isalpha((unsigned char)text[digits - 1]))
        digits--;
    char number[64];
    if (!digits || digits + sizeof("e3") > sizeof(number))
        return -EINVAL;
    memcpy(number, text, digits);
    number[digits] = '\0';
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(text + digits, units[i].unit) != 0)
            continue;
        uint64_t value;
        /* A fraction of a second (1.5s) is whole in milliseconds. */
        if (units[i].milliseconds == 1000)
            return value_u64(strcat(number, "e3"), milliseconds);
        int error = value_u64(number, &value);
        if (error == 0 && __builtin_mul_overflow(value, units[i].milliseconds, milliseconds))
            error = -ERANGE;
        return error;
    }
    return -EINVAL;
}

/* A duration, but not 0. */
static int value_budget(const char *text, uint64_t *milliseconds)
{
    const int error = value_duration(text, milliseconds);
    return error == 0 && *milliseconds == 0 ? -EINVAL : error;
}

/* The comma that ends the item at text, or the end of the text. */
static const char *item_end(const char *text)
{
    const char *at = text;
    while (isalnum((unsigned char)*at) || *at == '_' || *at == '-' || *at == '.')
        at++;
    if (at > text && *at == '/') {
        const char *close = strchr(at + 1, '/');
        at = close ? close : at + strlen(at);
    }
    return at + strcspn(at, ",");
}

int string_list_push(struct string_list *list, const char *item, size_t length)
{
    if (length == 0)
        return -EINVAL;
    *memory_add(list->items, list->count) = memory_format("%.*s", (int)length, item);
    return 0;
}

int string_list_add(struct string_list *list, const char *text)
{
    for (;;) {
        const char *end = item_end(text);
        int error = string_list_push(list, text, (size_t)(end - text));
        if (error < 0 || !*end)
            return error;
        text = end + 1;
    }
}

/* ----------------------------------------------------------------------------------------------
 * Edit distance over short words: command and option names, never anything long. */

#define LONGEST 64 /* bytes of a word that take part; what is longer is no typing error */

static size_t smaller(size_t left, size_t right)
{
    return left < right ? left : right;
}

size_t edit_distance(const char *left, const char *right)
{
    size_t rows = strnlen(left, LONGEST), columns = strnlen(right, LONGEST);
    /* Three rows suffice: a swap of neighbours looks two rows back. */
    size_t row[3][LONGEST + 1];
    for (size_t j = 0; j <= columns; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            now[j] = smaller(before[j] + 1, now[j - 1] + 1);
            now[j] = smaller(now[j], before[j - 1] + (left[i - 1] != right[j - 1]));
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                now[j] = smaller(now[j], earlier[j - 2] + 1);
        }
    }
    return row[rows % 3][columns];
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    size_t length = strlen(nearest->word);
    size_t allowed = length / 3 > 2 ? length / 3 : 2;
    size_t distance = edit_distance(nearest->word, candidate);
    /* A word cut short ("meas") means the longer one. */
    if (length >= 2 && strncmp(nearest->word, candidate, length) == 0)
        distance = 1;
    if (distance > allowed || distance >= length ||
        (nearest->best && distance >= nearest->distance))
        return;
    nearest->best = candidate;
    nearest->distance = distance;
}

/* ----------------------------------------------------------------------------------------------
 * Signals: the first asks the run to stop between two processes, the second to break off, and the
 * third does not ask. What a handler needs to know is the program's only mutable global state: it
 * has nothing else to go by. */

volatile int interrupted;

static const char *volatile patience;
static volatile int first_number; /* 0: none came */

void signals_answer(const char *words)
{
    patience = words;
}

int signals_status(void)
{
    return first_number ? 128 + first_number : EXIT_INTERRUPTED;
}

static void on_signal(int number)
{
    int count = interrupted + 1;
    if (count == 1)
        first_number = number;
    interrupted = count;
    if (count == 1 && patience)
        progress_interject(patience);
    if (count < 3)
        return;
    /* The probe ends by itself when its input does. */
    progress_restore_terminal();
    _exit(EXIT_INTERRUPTED);
}

void signals_install(void)
{
    /* No SA_RESTART: a wait for the probe must end when the user asks for it. */
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct sigaction before;
        /* Under nohup SIGHUP stays ignored. */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_IGN)
            continue;
        sigaction(numbers[i], &action, NULL);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
}

/* --- the command line --- */

#define FIRST_LONG 256 /* getopt_long's value for the i-th option: beyond every letter */

/* Ends with name NULL. */
static const struct option_spec common_option_specs[] = {
    {0, "json", OPTION_FLAG, NULL, "print one JSON object instead of text",
     offsetof(struct common_options, json), NULL},
    {0, "csv", OPTION_FLAG, NULL, "print the results alone, as comma-separated values",
     offsetof(struct common_options, csv), NULL},
    {0, "markdown", OPTION_FLAG, NULL, "print the results alone, as a Markdown table",
     offsetof(struct common_options, markdown), NULL},
    {'o', "output", OPTION_STRING, "FILE",
     "write the result to FILE, which appears whole or not at all",
     offsetof(struct common_options, output), NULL},
    {0, "via", OPTION_STRING, "TRANSPORT",
     "reach the machine under test through TRANSPORT: local, ssh:HOST (options of ssh before the "
     "host), lab:aarch64 for an emulated machine with exact counters (see assay lab), qemu:ISA for "
     "the code of another ISA, executed here and not measured, or exec:ARGV... with any prefix "
     "that "
     "runs a program there",
     offsetof(struct common_options, via), "local",
     .words = ONE_OF("local", "ssh:", "lab:", "qemu:", "exec:")},
    {'q', "quiet", OPTION_FLAG, NULL, "no progress and no remarks on standard error",
     offsetof(struct common_options, quiet), NULL},
    {'h', "help", OPTION_FLAG, NULL, "print this help", offsetof(struct common_options, help),
     NULL},
    {0},
};

static bool has_own(const struct command *command, const char *name)
{
    for (const struct option_spec *spec = command->options; spec && spec->name; spec++)
        if (strcmp(spec->name, name) == 0)
            return true;
    return false;
}

/* Those that stay here reach no other machine; tables come of results that are described by one. */
static bool has_common(const struct command *command, const struct option_spec *spec)
{
    if (spec->offset == offsetof(struct common_options, via))
        return !command->stays_here;
    return (spec->offset != offsetof(struct common_options, csv) &&
            spec->offset != offsetof(struct common_options, markdown)) ||
           (command->results && !has_own(command, spec->name));
}

const struct option_spec *option_at(const struct command *command, size_t index)
{
    for (const struct option_spec *spec = command->options; spec && spec->name; spec++)
        if (index-- == 0)
            return spec;
    for (const struct option_spec *spec = common_option_specs; spec->name; spec++)
        if (has_common(command, spec) && index-- == 0)
            return spec;
    return NULL;
}

/* --- getopt's view of the table --- */

struct getopt_table {
    struct option *longs;
    char *letters;
    size_t count;
};

static void table_make(const struct command *command, struct getopt_table *table)
{
    const struct option_spec *spec;
    *table = (struct getopt_table){0};
    while (option_at(command, table->count))
        table->count++;
    table->longs = memory_new(table->count + 1, sizeof(*table->longs));
    char *end = table->letters = memory_new(2 * table->count + 3, 1);
    /* The colon makes getopt tell a missing argument from an unknown option; the plus makes it stop
     * at the first word that is none, whose own options are not ours. */
    end += sprintf(end, command->passes_on ? "+:" : ":");
    for (size_t i = 0; (spec = option_at(command, i)); i++) {
        bool argument = (spec->type & OPTION_TYPES) != OPTION_FLAG;
        table->longs[i] = (struct option){spec->name, argument ? required_argument : no_argument,
                                          NULL, FIRST_LONG + (int)i};
        if (spec->letter)
            end += sprintf(end, argument ? "%c:" : "%c", spec->letter);
    }
}

/* By getopt's value for it. */
static size_t option_for(const struct command *command, int value)
{
    const struct option_spec *spec;
    size_t i = value >= FIRST_LONG ? (size_t)(value - FIRST_LONG) : 0;
    while (value < FIRST_LONG && (spec = option_at(command, i)) && spec->letter != value)
        i++;
    return i;
}

static int store_value(const struct option_spec *spec, void *options, const char *text)
{
    void *place = (char *)options + spec->offset;
    struct seed *seed = place;
    struct optional *optional = place;
    switch (spec->type & OPTION_TYPES) {
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

static int refuse_others(const struct option_spec *spec, const char *word, struct failure *failure)
{
    AUTO_TEXT struct text known = {0};
    for (const char *const *one = spec->words; *one; one++) {
        if (strcmp(*one, word) == 0)
            return 0;
        text_printf(&known, "%s%s", one == spec->words ? "" : one[1] ? ", " : " or ", *one);
    }
    return fail_with(failure, -EINVAL, "--%s takes %s, not '%.100s'", spec->name,
                     text_string(&known), word);
}

static int set_value(const struct option_spec *spec, void *options, const char *text,
                     struct failure *failure)
{
    int error = store_value(spec, options, text);
    if (error == 0 && spec->only) {
        const bool several = (spec->type & OPTION_TYPES) == OPTION_LIST;
        const struct string_list *list = (const void *)((const char *)options + spec->offset);
        for (size_t i = 0; error == 0 && i < (several ? list->count : 1); i++)
            error = refuse_others(spec, several ? list->items[i] : text, failure);
        return error;
    }
    if (error == -ERANGE)
        return fail_with(failure, -EINVAL, "--%s %.200s: the number is too large", spec->name,
                         text);
    /* What is taken as it is may be the name of something else. */
    if (error == -EINVAL && (spec->type & OPTION_TYPES) == OPTION_FILES &&
        strcmp(spec->argument, "FILE") != 0)
        return fail_with(failure, -EINVAL, "--%s '': expected a %s, which cannot be empty",
                         spec->name, spec->argument);
    if (error == -EINVAL)
        return fail_with(failure, -EINVAL, "--%s '%.200s': expected %s", spec->name, text,
                         value_forms[spec->type & OPTION_TYPES]);
    if (error < 0)
        return fail_with(failure, error, "--%s: %s", spec->name, strerror(-error));
    return 0;
}

/* --- errors --- */

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
    const struct option_spec *spec;
    for (size_t i = 0; (spec = option_at(command, i)); i++)
        nearest_offer(&nearest, spec->name);
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
            spec = option_at(command, option_for(command, optopt));
            return fail_with(failure, -EINVAL, "--%s needs %s", spec->name, spec->argument);
        case '?':
            /* A long flag given a value: getopt reports its own number. */
            if (optopt >= FIRST_LONG)
                return fail_with(failure, -EINVAL, "--%s takes no value",
                                 option_at(command, option_for(command, optopt))->name);
            return unknown_option(command, argv[optind - 1], optopt, failure);
        default:
            spec = option_at(command, option_for(command, value));
            given[option_for(command, value)] = true;
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
    const struct option_spec *spec;
    table_make(command, &table);
    bool *given = memory_new(table.count, sizeof(*given));
    int error = parse_words(command, &table, argc, argv, options, given, failure);
    *first = optind;
    for (size_t i = 0; error == 0 && (spec = option_at(command, i)); i++)
        if (!given[i] && spec->initial)
            error = set_value(spec, options, spec->initial, failure);
    const struct common_options *common = options;
    if (error == 0 && common->json + common->csv + common->markdown > 1)
        error = fail_with(failure, -EINVAL,
                          "--json, --csv and --markdown exclude each other: choose one");
    return error;
}

static const size_t value_sizes[] = {
    [OPTION_FLAG] = sizeof(bool),
    [OPTION_STRING] = sizeof(char *),
    [OPTION_U64] = sizeof(uint64_t),
    [OPTION_I64] = sizeof(int64_t),
    [OPTION_OPTIONAL] = sizeof(struct optional),
    [OPTION_DURATION] = sizeof(uint64_t),
    [OPTION_BUDGET] = sizeof(uint64_t),
    [OPTION_LIST] = sizeof(struct string_list),
    [OPTION_FILES] = sizeof(struct string_list),
    [OPTION_SEED] = sizeof(struct seed),
};

void option_copy(const struct option_spec *spec, const void *from, void *to)
{
    memcpy((char *)to + spec->offset, (const char *)from + spec->offset,
           value_sizes[spec->type & OPTION_TYPES]);
}

bool option_is_given(const struct option_spec *spec, const void *options)
{
    const void *place = (const char *)options + spec->offset;
    const struct string_list *list = place;
    union {
        bool flag;
        const char *string;
        uint64_t number;
        struct seed seed;
        struct optional optional;
        struct string_list list;
    } initial = {0};
    struct option_spec alone = *spec;
    alone.offset = 0;
    switch (spec->type & OPTION_TYPES) {
    case OPTION_LIST:
    case OPTION_FILES:
        return list->count > 1 ||
               (list->count && !(spec->initial && strcmp(list->items[0], spec->initial) == 0));
    case OPTION_STRING:
        return *(char *const *)place &&
               !(spec->initial && strcmp(*(char *const *)place, spec->initial) == 0);
    case OPTION_SEED:
        return ((const struct seed *)place)->given;
    case OPTION_OPTIONAL:
        return ((const struct optional *)place)->given;
    default:
        if (spec->initial)
            (void)store_value(&alone, &initial, spec->initial);
        return memcmp(place, &initial, value_sizes[spec->type & OPTION_TYPES]) != 0;
    }
}

int options_check_number(const char *name, const struct optional *number, uint64_t most,
                         struct failure *failure)
{
    if (!number->given || (number->value >= 1 && number->value <= most))
        return 0;
    return fail_with(failure, -EINVAL, "--%s must be between 1 and %llu", name,
                     (unsigned long long)most);
}
