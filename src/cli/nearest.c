/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Edit distance over short words: command and option names, never anything long. */
#include "cli/nearest.h"

#include <string.h>

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
