/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small trees of sys/ and proc/ written for one test: machines we do not have. Stands after
 * cmocka.h. */
#pragma once

#include <fcntl.h>
#include <limits.h>

#include "events/event.h"
#include "tree.h"

struct recorded {
    char root[64];
    struct event_view view;
};

#define DEVICES "/sys/bus/event_source/devices/"

static inline void recorded_begin(struct recorded *recorded, const struct tree_file *files)
{
    struct tree tree;
    tree_make(&tree);
    strcpy(recorded->root, tree.root);
    for (; files && files->path; files++)
        tree_put(&tree, files->path, files->content);
    event_view_open(&recorded->view, recorded->root);
}

static inline void recorded_end(struct recorded *recorded)
{
    struct tree tree;
    event_view_close(&recorded->view);
    strcpy(tree.root, recorded->root);
    tree_remove(&tree);
}

/* Resolves and expects success; the caller releases the event. */
static inline struct event resolved(const struct event_view *view, const char *name)
{
    struct event event;
    struct failure failure = {0};
    int error = event_resolve(view, name, &event, &failure);
    if (error)
        print_error("%s: %s\n", name, failure.text);
    assert_int_equal(error, 0);
    assert_string_equal(event.name, name);
    return event;
}

/* Expects a refusal with this code whose text holds every one of the words (NULL ends them). */
static inline void refused(const struct event_view *view, const char *name, int code,
                           const char *const *words)
{
    struct event event;
    struct failure failure = {0};
    int error = event_resolve(view, name, &event, &failure);
    if (error != code)
        print_error("\"%.80s\" gave %d: %s\n", name, error, failure.text);
    assert_int_equal(error, code);
    assert_int_equal(failure.code, code);
    assert_true(failure.text[0]);
    assert_null(event.name);
    assert_null(event.target);
    for (; words && *words; words++) {
        if (!strstr(failure.text, *words))
            print_error("\"%s\" does not say \"%s\": %s\n", name, *words, failure.text);
        assert_non_null(strstr(failure.text, *words));
    }
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
