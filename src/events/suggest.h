/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The nearest names to one that does not exist. Offer candidates one by one; the best few stay. */
#pragma once

#include <stddef.h>

#define SUGGEST_COUNT 3
#define SUGGEST_NAME  128 /* longer candidates and longer wishes are not compared */

struct suggestions {
    const char *wanted; /* set this, zero the rest */
    size_t count;
    struct {
        char name[SUGGEST_NAME];
        size_t rank; /* 0: the very name */
    } best[SUGGEST_COUNT];
};

/* Edits (insert, delete, replace, swap neighbours) between two names, letter case ignored. */
size_t suggest_distance(const char *one, const char *other);

void suggest_consider(struct suggestions *suggestions, const char *candidate);

/* "; did you mean a, b or c?" or "" when nothing is near. */
void suggest_sentence(const struct suggestions *suggestions, char *sentence, size_t size);
