/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rule of independence, in one place: what code each source relies on. Two sources are
 * independent when nothing in these sets is common; what they do not share cannot be wrong in both
 * by the same mistake. */
#include "specimens/specimen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SINGLE_STEP = 1 << 0, /* the CPU's exception after every instruction */
    VEX = 1 << 1,         /* Valgrind's translator */
    TCG = 1 << 2,         /* QEMU's */
    CAPSTONE = 1 << 3,
    BINUTILS = 1 << 4,
    WALK = 1 << 5, /* our own spreading of counts over decoded code, by the specimen's trips */
    RUSAGE = 1 << 6,
    PERF = 1 << 7,
    PAGEMAP = 1 << 8,
    GETCPU = 1 << 9,
    PROCFS = 1 << 10,
    HANDLER = 1 << 11, /* a signal handler of the specimen's own */
};

/* fp: what is added for classes of floating-point instructions, which QEMU tells apart by its
 * disassembler's text, and that disassembler is Capstone. told: it is told how often branches are
 * taken, so it is no witness of that. */
static const struct source {
    const char *name;
    unsigned relies, fp;
    bool told;
} sources[] = {
    {"step", SINGLE_STEP, 0, false},
    {"trap", SINGLE_STEP, 0, false},
    {"valgrind", VEX, 0, false},
    {"qemu", TCG, CAPSTONE, false},
    {"pmu", TCG, 0, false}, /* that of the lab's machine */
    {"decode/capstone", WALK | CAPSTONE, 0, true},
    {"decode/objdump", WALK | BINUTILS, 0, true},
    {"rusage", RUSAGE, 0, false},
    {"perf", PERF, 0, false},
    {"pagemap", PAGEMAP, 0, false},
    {"getcpu", GETCPU, 0, false},
    {"procfs", PROCFS, 0, false},
    {"ptrace", SINGLE_STEP, 0, false}, /* and stops at system calls */
    {"handler", HANDLER, 0, false},
};

static const struct source *find_source(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (strncmp(sources[i].name, name, length) == 0 && !sources[i].name[length])
            return &sources[i];
    return NULL;
}

bool proof_knows(const char *source, size_t length)
{
    return find_source(source, length) != NULL;
}

/* -taken and -not-taken: what depends on the way the branches went. */
static bool depends_on_trips(const char *class)
{
    size_t end = strlen("-taken");
    size_t length = strlen(class);
    return length > end && strcmp(class + length - end, "-taken") == 0;
}

/* What a source relies on for a class; 0: it does not count. */
static unsigned relies_on(const char *class, const char *name, size_t length)
{
    const struct source *source = find_source(name, length);
    if (!source || (source->told && depends_on_trips(class)))
        return 0;
    return source->relies | (strncmp(class, "fp-", 3) == 0 ? source->fp : 0);
}

/* Calls it with each of the list in turn; false at the end. */
static bool next_source(const char **list, const char **name, size_t *length)
{
    *list += strspn(*list, ",");
    *name = *list;
    *length = strcspn(*list, ",");
    *list += *length;
    return *length != 0;
}

bool proof_suffices(const char *class, const char *list)
{
    const char *first, *second;
    size_t first_length, second_length;
    while (next_source(&list, &first, &first_length)) {
        unsigned one = relies_on(class, first, first_length);
        for (const char *rest = list; next_source(&rest, &second, &second_length);) {
            unsigned other = relies_on(class, second, second_length);
            if (one && other && !(one & other))
                return true;
        }
    }
    return false;
}

static int compare(const void *key, const void *element)
{
    const struct proof *wanted = key;
    const struct proof *row = element;
    int order = strcmp(wanted->specimen, row->specimen);
    return order ? order : strcmp(wanted->class, row->class);
}

const char *proof_sources(const char *specimen, const char *class)
{
    const struct proof wanted = {.specimen = specimen, .class = class};
    const struct proof *found =
        bsearch(&wanted, proof_records, proof_record_count, sizeof(*proof_records), compare);
    return found ? found->sources : "";
}

/* Some source of the list was told what the class counts. */
static bool any_told(const char *class, const char *list)
{
    const char *name;
    size_t length;
    while (depends_on_trips(class) && next_source(&list, &name, &length)) {
        const struct source *source = find_source(name, length);
        if (source && source->told)
            return true;
    }
    return false;
}

enum truth_grade proof_grade(const struct specimen *specimen, const struct truth *truth,
                             char *words, size_t size)
{
    const char *confirmed = proof_sources(specimen->name, truth->class);
    snprintf(words, size, "%s", truth->why ? truth->why : "");
    if (truth->grade != TRUTH_PROVEN || proof_suffices(truth->class, confirmed))
        return truth->grade;
    if (*confirmed) {
        /* Who confirmed it, and why that is no proof. */
        char names[256] = "";
        size_t at = 0;
        for (const char *from = confirmed; *from && at + 2 < sizeof(names); from++) {
            names[at++] = *from;
            if (*from == ',')
                names[at++] = ' ';
        }
        names[at] = '\0';
        snprintf(
            words, size,
            "follows from the code, and is confirmed by %s alone: a proof takes two sources that "
            "share no code%s",
            names,
            any_told(truth->class, confirmed)
                ? ", and decode is none here, because it is told how often "
                  "branches are taken"
                : "");
    } else
        snprintf(words, size, "follows from the code, and no source has confirmed it yet");
    return TRUTH_MODEL;
}
