/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the frozen table of specimens. */
#include "specimens.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void refuse(const char *file, int line)
{
    fprintf(stderr, "%s:%d: cannot be read as a table of specimens\n", file, line);
    exit(1);
}

static enum truth_grade grade_from_name(const char *name)
{
    if (strcmp(name, "proven") == 0)
        return TRUTH_PROVEN;
    if (strcmp(name, "bounded") == 0)
        return TRUTH_BOUNDED;
    return TRUTH_MODEL;
}

static bool read_class(struct frozen_specimen *specimen, const char *words)
{
    if (specimen->class_count == COUNT(specimen->classes))
        return false;
    struct law *law = &specimen->classes[specimen->class_count++];
    char grade[16];
    int read = sscanf(words, "%39s %15s %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, law->name,
                      grade, &law->base, &law->each, &law->high_base, &law->high_each);
    if (read != 4 && read != 6)
        return false;
    law->grade = grade_from_name(grade);
    if (read == 4) {
        law->high_base = law->base;
        law->high_each = law->each;
    }
    return true;
}

static bool read_opcode(struct frozen_specimen *specimen, const char *words)
{
    if (specimen->opcode_count == COUNT(specimen->opcodes))
        return false;
    struct law *law = &specimen->opcodes[specimen->opcode_count++];
    if (sscanf(words, "%39s %" SCNd64 " %" SCNd64, law->name, &law->base, &law->each) != 3)
        return false;
    for (char *c = law->name; *c; c++)
        if (*c == '_')
            *c = ' ';
    law->grade = TRUTH_PROVEN;
    law->high_base = law->base;
    law->high_each = law->each;
    return true;
}

static bool read_zeros(struct frozen_specimen *specimen, char *words)
{
    char *rest = NULL;
    for (char *word = strtok_r(words, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        if (specimen->class_count == COUNT(specimen->classes))
            return false;
        struct law *law = &specimen->classes[specimen->class_count++];
        snprintf(law->name, sizeof(law->name), "%s", word);
        law->grade = TRUTH_PROVEN;
    }
    return true;
}

static bool read_line(struct frozen_specimens *specimens, char *line)
{
    struct frozen_specimen *last =
        specimens->count > 0 ? &specimens->list[specimens->count - 1] : NULL;
    if (strncmp(line, "specimen ", 9) == 0) {
        if (specimens->count == COUNT(specimens->list))
            return false;
        return sscanf(line + 9, "%39s", specimens->list[specimens->count++].name) == 1;
    }
    if (!last)
        return false;
    if (strncmp(line, "class ", 6) == 0)
        return read_class(last, line + 6);
    if (strncmp(line, "opcode ", 7) == 0)
        return read_opcode(last, line + 7);
    return strncmp(line, "zero ", 5) == 0 && read_zeros(last, line + 5);
}

void specimens_read(const char *file, struct frozen_specimens *specimens)
{
    AUTO_FILE FILE *stream = fopen(file, "re");
    if (!stream) {
        fprintf(stderr, "%s: %m\n", file);
        exit(1);
    }
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    for (int number = 1; getline(&line, &size, stream) >= 0; number++)
        if (line[0] != '#' && !read_line(specimens, line))
            refuse(file, number);
}

const struct frozen_specimen *specimens_find(const struct frozen_specimens *specimens,
                                             const char *name)
{
    for (size_t i = 0; i < specimens->count; i++)
        if (strcmp(specimens->list[i].name, name) == 0)
            return &specimens->list[i];
    return NULL;
}

const struct law *law_find(const struct law *laws, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(laws[i].name, name) == 0)
            return &laws[i];
    return NULL;
}

int64_t law_low(const struct law *law, uint64_t n)
{
    return law->base + law->each * (int64_t)n;
}

int64_t law_high(const struct law *law, uint64_t n)
{
    return law->high_base + law->high_each * (int64_t)n;
}

double specimen_class_at(const struct frozen_specimen *specimen, const char *class, uint64_t n)
{
    const struct law *law = law_find(specimen->classes, specimen->class_count, class);
    return law ? (double)law_low(law, n) : 0;
}
