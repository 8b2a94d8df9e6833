/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Watches by their names, and the clocks that people bring along. */
#include "wire/watch.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/failure.h"
#include "base/text.h"

/* --- Names of the kinds --- */

const char *const watch_kind_names[WATCH_KINDS] = {"",      "interval", "row",    "steps",
                                                   "trips", "edges",    "outside"};

enum watch_kind watch_kind_from_name(const char *name)
{
    for (int kind = WATCH_NONE + 1; kind < WATCH_KINDS; kind++)
        if (strcmp(name, watch_kind_names[kind]) == 0)
            return (enum watch_kind)kind;
    return WATCH_NONE;
}

/* ----------------------------------------------------------------------------------------------
 * Clocks that people bring along, as text: written behind --clock, sent as the event of a cell,
 * kept in a store. Either end may get one that nobody of us wrote. */

static const struct {
    const char *prefix;
    enum external_way way;
} ways[] = {
    {"object:", EXTERNAL_OBJECT},
    {"ask:", EXTERNAL_ASK},
    {"run:", EXTERNAL_RUN},
};

/* What was written, as far as a message has room for it. */
struct quoted {
    char text[81];
};

static struct quoted quote(const char *text)
{
    struct quoted quoted = {0};
    printable_copy(quoted.text, sizeof(quoted.text), text, strlen(text));
    return quoted;
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool is_letter(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

static int take_name(const char *text, size_t length, struct external_clock *clock,
                     struct failure *failure)
{
    if (length == 0)
        return fail_with(failure, -EINVAL, "the clock '%s' has no name", quote(text).text);
    if (length >= CLOCK_NAME)
        return fail_with(
            failure, -EINVAL,
            "the clock '%s' has a name of more than %d characters: give it a shorter one",
            quote(text).text, CLOCK_NAME - 1);
    for (size_t i = 0; i < length; i++)
        if (!is_letter(text[i]) && !is_digit(text[i]) && (i == 0 || !strchr("._-", text[i])))
            return fail_with(failure, -EINVAL,
                             "the clock '%s' has a name that is none: it must be letters, digits, "
                             "'.', '_' and '-', and begin with a letter or digit",
                             quote(text).text);
    memcpy(clock->name, text, length);
    clock->name[length] = '\0';
    return 0;
}

/* Digits without sign and leading zeros, as all numbers of ours. */
static int take_hz(const char *text, const char *digits, const char *end,
                   struct external_clock *clock, struct failure *failure)
{
    bool good = digits < end && *digits != '0';
    uint64_t hz = 0;
    for (; good && digits < end; digits++) {
        good = is_digit(*digits);
        hz = good ? hz * 10 + (uint64_t)(*digits - '0') : hz;
        good = good && hz <= EXTERNAL_MOST_HZ;
    }
    if (!good)
        return fail_with(
            failure, -EINVAL,
            "the clock '%s' must have a number from 1 to %llu behind its '@', the ticks that it "
            "claims to make in a second; leave '@' out where it claims none",
            quote(text).text, (unsigned long long)EXTERNAL_MOST_HZ);
    clock->hz = hz;
    return 0;
}

static int take_way(const char *text, const char *behind, struct external_clock *clock,
                    struct failure *failure)
{
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        const size_t length = strlen(ways[i].prefix);
        if (strncmp(behind, ways[i].prefix, length) != 0)
            continue;
        clock->way = ways[i].way;
        clock->what = behind + length;
        if (clock->way == EXTERNAL_OBJECT) {
            /* FILE:SYMBOL; a file's name may have colons, a symbol has none. */
            const char *symbol = strrchr(clock->what, ':');
            bool good = symbol && symbol > clock->what && symbol[1] && !is_digit(symbol[1]);
            for (const char *letter = good ? symbol + 1 : ""; *letter; letter++)
                good = good && (is_letter(*letter) || is_digit(*letter) || *letter == '_');
            if (good)
                return 0;
            return fail_with(failure, -EINVAL,
                             "the clock '%s' must name a shared object and a function of it: "
                             "NAME=object:FILE:SYMBOL",
                             quote(text).text);
        }
        if (clock->what[strspn(clock->what, " ")])
            return 0;
        return fail_with(failure, -EINVAL, "the clock '%s' must name a command: NAME=%sCOMMAND",
                         quote(text).text, ways[clock->way].prefix);
    }
    return fail_with(failure, -EINVAL,
                     "the clock '%s' does not say how it is read: behind '=' must stand "
                     "object:FILE:SYMBOL, ask:COMMAND or run:COMMAND",
                     quote(text).text);
}

int external_clock_parse(const char *text, struct external_clock *clock, struct failure *failure)
{
    *clock = (struct external_clock){0};
    if (strlen(text) >= CLOCK_TEXT)
        return fail_with(failure, -EINVAL, "the clock '%s…' is longer than %d characters",
                         quote(text).text, CLOCK_TEXT - 1);
    for (const char *letter = text; *letter; letter++)
        if ((unsigned char)*letter < ' ' || *letter == '\x7f')
            return fail_with(failure, -EINVAL, "the clock '%s' has a control character in it",
                             quote(text).text);
    const char *equals = strchr(text, '=');
    const char *end = equals ? equals : text + strlen(text);
    const char *at = memchr(text, '@', (size_t)(end - text));
    int error = take_name(text, (size_t)((at ? at : end) - text), clock, failure);
    if (!error && at)
        error = take_hz(text, at + 1, end, clock, failure);
    if (error || !equals) {
        if (!error && at)
            error = fail_with(failure, -EINVAL,
                              "the clock '%s' claims ticks, but does not say how it is read: "
                              "NAME@HZ=object:FILE:SYMBOL, =ask:COMMAND or =run:COMMAND",
                              quote(text).text);
        return error;
    }
    error = take_way(text, equals + 1, clock, failure);
    return error ? error : 1;
}
