/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small trees of sys/ and proc/ written for one test: machines we do not have. Stands after
 * cmocka.h. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/event.h"

struct recorded {
    char root[64];
    struct event_view view;
};

struct recorded_file {
    const char *path; /* absolute, as on the machine; NULL ends a list */
    const char *content;
};

#define DEVICES "/sys/bus/event_source/devices/"

static inline void recorded_write(const struct recorded *recorded, const char *path,
                                  const char *content)
{
    char full[PATH_MAX];
    assert_true(snprintf(full, sizeof(full), "%s%s", recorded->root, path) < PATH_MAX);
    for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void recorded_begin(struct recorded *recorded, const struct recorded_file *files)
{
    strcpy(recorded->root, "/tmp/assay-test-XXXXXX");
    assert_non_null(mkdtemp(recorded->root));
    for (; files && files->path; files++)
        recorded_write(recorded, files->path, files->content);
    event_view_open(&recorded->view, recorded->root);
}

static inline int recorded_remove(const char *path, const struct stat *status, int type,
                                  struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static inline void recorded_end(struct recorded *recorded)
{
    event_view_close(&recorded->view);
    nftw(recorded->root, recorded_remove, 16, FTW_DEPTH | FTW_PHYS);
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
