/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Classes are a vocabulary: every word that events and specimens use is explained in
 * docs/classes.md, and every word explained there is used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "events/form.h"
#include "specimens/specimen.h"

static const struct class_table *const tables[] = {
    &class_table_alias, &class_table_arm,  &class_table_intel,
    &class_table_amd,   &class_table_papi, &class_table_tracepoint,
};

/* Classes that no table holds: they follow from the kind of an event. */
static const char *const by_kind[] = {"breakpoint-exec",   "breakpoint-write", "breakpoint-read",
                                      "breakpoint-access", "uprobe-hits",      "uprobe-returns"};

struct words {
    char *text;     /* of the document */
    size_t unknown; /* classes it does not explain */
    char used[65536];
};

static void check(struct words *words, const char *class)
{
    char row[128];
    snprintf(row, sizeof(row), "| `%s` |", class);
    if (!strstr(words->text, row)) {
        print_error("docs/classes.md does not explain %s\n", class);
        words->unknown++;
    }
    size_t length = strlen(words->used);
    snprintf(words->used + length, sizeof(words->used) - length, " %s ", class);
}

static char *read_document(void)
{
    char path[4096];
    const char *source = getenv("ASSAY_SOURCE");
    assert_non_null(source);
    snprintf(path, sizeof(path), "%s/docs/classes.md", source);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Of every generic event: the operations and results of caches stand in the second and third byte.
 */
static void check_generic(struct words *words)
{
    static const uint32_t types[] = {PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE, PERF_TYPE_HW_CACHE};
    size_t known = 0;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        for (uint64_t config = 0; config < 1u << 18; config++) {
            const struct event event = {.attr = {.type = types[i], .config = config}};
            const char *class = event_class(&event);
            if (class)
                check(words, class);
            known += class != NULL;
        }
    assert_true(known > 40);
}

static void check_all(struct words *words)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (size_t row = 0; row < tables[i]->count; row++)
            check(words, tables[i]->rows[row].class);
    check_generic(words);
    for (size_t i = 0; i < sizeof(by_kind) / sizeof(by_kind[0]); i++)
        check(words, by_kind[i]);
    for (size_t i = 0; specimen_registry[i]; i++)
        for (const struct truth *truth = specimen_registry[i]->truth; truth->class; truth++)
            check(words, truth->class);
}

TEST(every_class_is_explained_and_every_explained_one_used)
{
    static struct words words;
    words.text = read_document();
    check_all(&words);
    assert_int_equal(words.unknown, 0);
    size_t idle = 0;
    char *rest = words.text, *line;
    while ((line = strsep(&rest, "\n"))) {
        char class[128], spaced[130];
        if (sscanf(line, "| `%127[^`]` |", class) != 1)
            continue;
        snprintf(spaced, sizeof(spaced), " %s ", class);
        if (!strstr(words.used, spaced)) {
            print_error("docs/classes.md explains %s, which nothing uses\n", class);
            idle++;
        }
    }
    free(words.text);
    assert_int_equal(idle, 0);
}

TEST(a_name_stands_once_in_its_table)
{
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (size_t row = 0; row < tables[i]->count; row++) {
            const struct class_row *own = &tables[i]->rows[row];
            const char *found = class_table_find(tables[i], own->name, strlen(own->name));
            assert_ptr_equal(found, own->class);
            for (size_t later = row + 1; later < tables[i]->count; later++)
                assert_string_not_equal(own->name, tables[i]->rows[later].name);
        }
}
