/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Nearest names by edit distance, for messages that help instead of only refusing. */
#include "events/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

static bool same(char one, char other)
{
    return tolower((unsigned char)one) == tolower((unsigned char)other);
}

/* Three rows of the usual table are enough: a swap looks two rows back. */
size_t suggest_distance(const char *one, const char *other)
{
    size_t height = strlen(one), width = strlen(other);
    if (height >= SUGGEST_NAME || width >= SUGGEST_NAME)
        return height > width ? height : width;
    size_t rows[3][SUGGEST_NAME];
    for (size_t x = 0; x <= width; x++)
        rows[0][x] = x;
    for (size_t y = 1; y <= height; y++) {
        size_t *row = rows[y % 3], *above = rows[(y + 2) % 3], *above2 = rows[(y + 1) % 3];
        row[0] = y;
        for (size_t x = 1; x <= width; x++) {
            size_t replace = above[x - 1] + (same(one[y - 1], other[x - 1]) ? 0 : 1);
            row[x] = smaller(replace, smaller(above[x], row[x - 1]) + 1);
            if (y > 1 && x > 1 && same(one[y - 1], other[x - 2]) && same(one[y - 2], other[x - 1]))
                row[x] = smaller(row[x], above2[x - 2] + 1);
        }
    }
    return rows[height % 3][width];
}

/* A wish that is the beginning of a name, or part of one, is near although many letters are
 * missing. */
static size_t nearness(const char *wanted, const char *candidate, size_t distance)
{
    size_t length = strlen(wanted);
    if (length >= 3 && strncasecmp(wanted, candidate, length) == 0)
        return smaller(distance, 1);
    if (length >= 3 && strcasestr(candidate, wanted))
        return smaller(distance, 2);
    return distance;
}

/* Keeps the list sorted; of two equally near names the one with fewer edits wins. */
static void insert(struct suggestions *suggestions, const char *candidate, size_t rank)
{
    size_t place = suggestions->count;
    while (place && suggestions->best[place - 1].rank > rank)
        place--;
    if (place == SUGGEST_COUNT)
        return;
    if (suggestions->count < SUGGEST_COUNT)
        suggestions->count++;
    memmove(&suggestions->best[place + 1], &suggestions->best[place],
            (suggestions->count - place - 1) * sizeof(suggestions->best[0]));
    suggestions->best[place].rank = rank;
    snprintf(suggestions->best[place].name, SUGGEST_NAME, "%s", candidate);
}

void suggest_consider(struct suggestions *suggestions, const char *candidate)
{
    size_t length = strlen(suggestions->wanted);
    if (strlen(candidate) >= SUGGEST_NAME || length >= SUGGEST_NAME)
        return;
    size_t distance = suggest_distance(suggestions->wanted, candidate);
    size_t near = nearness(suggestions->wanted, candidate, distance);
    size_t limit = length < 6 ? 2 : length / 3 + 1;
    if (near <= limit)
        insert(suggestions, candidate, near * SUGGEST_NAME + distance);
}

void suggest_sentence(const struct suggestions *suggestions, char *sentence, size_t size)
{
    sentence[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; i < suggestions->count && used < size; i++) {
        const char *joint = i == 0                        ? "; did you mean "
                            : i + 1 == suggestions->count ? " or "
                                                          : ", ";
        int wrote =
            snprintf(sentence + used, size - used, "%s%s", joint, suggestions->best[i].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (suggestions->count && used + 1 < size)
        snprintf(sentence + used, size - used, "?");
}
