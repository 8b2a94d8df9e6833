/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Suites: lists of real programs as INI files (workloads/, docs/workloads.md). Inputs are made
 * here, the same bytes everywhere, and brought to the machine under test. */
#pragma once

#include <stdbool.h>

#include "base/failure.h"
#include "base/text.h"
#include "engine/session.h"

struct workload {
    char *name;
    char
        *command; /* quoted words; inputs are {brought}/NAME, or NAME where it works in {brought} */
    char *package; /* of Debian; "" for none */
    char *needs;   /* programs or files that must be there, with spaces; the first word else */
    char *input;   /* for its standard input; "" */
};
/* A file that is made for workloads. */
struct made_input {
    char *name;    /* plain: {brought}/NAME in commands */
    char *kind;    /* "text" …; NULL: it is a file beside the suite */
    char *file;    /* the name of that file; NULL: it is made */
    uint64_t size; /* bytes, at least; what is begun is completed */
    uint64_t seed;
};
struct suite {
    char *path;
    struct workload *list;
    size_t count;
    struct made_input *inputs; /* that commands mention */
    size_t input_count;
};
/* name: a file, or "open" for the suite that comes with assay. Hostile files get a sentence with
 * the line. */
int suite_read(const char *name, struct suite *suite, struct failure *failure);
/* Makes all inputs that these workloads mention and brings them to the machine under test. */
int suite_bring(const struct suite *suite, struct session *session, struct failure *failure);

/* Has the machine under test what the workload needs? -ENOENT with what it lacks and the package
 * that brings it; other errors: it could not be asked. */
int suite_lacks(const struct workload *workload, struct session *session, struct failure *failure);
/* Installs the packages of workloads whose programs this machine lacks, by apt-get. -EPERM: not
 * root, -ENOENT: no apt-get; the text says what to do instead. say: what is about to be installed,
 * and then each line of apt-get; NULL: nobody listens. stop: as of sessions. */
int suite_install(const struct suite *suite, const volatile int *stop, void (*say)(const char *),
                  struct failure *failure);

/* Makes the bytes of an input: the same on every machine. folder: of the suite, for files beside
 * it. */
int made_input_bytes(const struct made_input *input, const char *folder, struct text *bytes,
                     struct failure *failure);
/* Is it a kind of input that can be made? */
bool made_input_known(const char *kind);
