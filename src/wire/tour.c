/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of a tour, read from their text. The plan's side writes it, the probe and whoever
 * judges a store read it; either may get one that nobody of us wrote. */
#include "wire/cell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One call of the text: where it begins, how long it is, which one it is, from 1. */
struct piece {
    const char *text;
    size_t length;
    size_t number;
};

#define QUOTED(piece) (int)((piece)->length < 80 ? (piece)->length : 80), (piece)->text

static bool is_of_name(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
}

/* Path, one dot, kind; neither may be empty. */
static int check_name(const struct piece *piece, size_t length, struct failure *failure)
{
    const char *dot = memchr(piece->text, '.', length);
    for (size_t i = 0; i < length; i++)
        if (!is_of_name(piece->text[i]) && piece->text + i != dot)
            return fail_with(failure, -EINVAL,
                             "call %zu of a tour, '%.*s', has a character that no operation has: "
                             "PATH.KIND is small letters, digits and '-' around one dot",
                             piece->number, QUOTED(piece));
    if (!dot)
        return fail_with(failure, -EINVAL,
                         "call %zu of a tour, '%.*s', has no dot between path and kind",
                         piece->number, QUOTED(piece));
    if (dot == piece->text || dot == piece->text + length - 1)
        return fail_with(failure, -EINVAL, "call %zu of a tour, '%.*s', lacks its %s",
                         piece->number, QUOTED(piece), dot == piece->text ? "path" : "kind");
    return 0;
}

/* The number behind the star: without sign and leading zeros, as all numbers of ours. */
static int parse_times(const struct piece *piece, const char *digits, uint32_t *times,
                       struct failure *failure)
{
    const char *end = piece->text + piece->length;
    uint32_t value = 0;
    bool good = digits < end && *digits != '0';
    for (; good && digits < end; digits++) {
        good = *digits >= '0' && *digits <= '9';
        value = good ? value * 10 + (uint32_t)(*digits - '0') : value;
        good = good && value <= TOUR_MOST_TIMES;
    }
    if (!good)
        return fail_with(
            failure, -EINVAL,
            "call %zu of a tour, '%.*s', must have a number from 1 to %u behind its star",
            piece->number, QUOTED(piece), TOUR_MOST_TIMES);
    *times = value;
    return 0;
}

static int parse_call(const struct piece *piece, struct tour_call *call, struct failure *failure)
{
    const char *star = memchr(piece->text, '*', piece->length);
    size_t length = star ? (size_t)(star - piece->text) : piece->length;
    if (piece->length == 0)
        return fail_with(failure, -EINVAL, "call %zu of a tour is empty", piece->number);
    if (length >= TOUR_NAME)
        return fail_with(failure, -EINVAL,
                         "call %zu of a tour, '%.*s', has a name of more than %d characters",
                         piece->number, QUOTED(piece), TOUR_NAME - 1);
    int error = check_name(piece, length, failure);
    call->times = 1;
    if (!error && star)
        error = parse_times(piece, star + 1, &call->times, failure);
    if (error)
        return error;
    memcpy(call->operation, piece->text, length);
    call->operation[length] = '\0';
    return 0;
}

static size_t count_calls(const char *text)
{
    size_t count = 1;
    for (; *text; text++)
        count += *text == ',';
    return count;
}

int tour_parse(const char *text, struct tour_call **calls, size_t *count, struct failure *failure)
{
    *calls = NULL;
    *count = 0;
    if (!text || !*text)
        return fail_with(failure, -EINVAL, "a tour without a call");
    size_t length = count_calls(text);
    if (length > TOUR_MOST_CALLS)
        return fail_with(failure, -EINVAL, "a tour of %zu calls, more than the %u it may have",
                         length, TOUR_MOST_CALLS);
    struct tour_call *parsed = calloc(length, sizeof(*parsed));
    if (!parsed)
        return fail_with(failure, -ENOMEM, "no memory for the calls of a tour");
    for (size_t i = 0; i < length; i++) {
        struct piece piece = {text, strcspn(text, ","), i + 1};
        int error = parse_call(&piece, &parsed[i], failure);
        if (error) {
            free(parsed);
            return error;
        }
        text += piece.length + 1;
    }
    *calls = parsed;
    *count = length;
    return 0;
}
