/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A case in a process of its own, for what is the whole process's: include behind cmocka.h. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITTEN_MOST 100000u

/* What the case writes to the descriptor, and the process at its end, which must be a good one; the
 * caller frees it. */
static char *written_alone(void (*run)(int descriptor))
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run(ends[1]);
        exit(0);
    }
    close(ends[1]);
    char *text = calloc(1, WRITTEN_MOST);
    assert_non_null(text);
    ssize_t got;
    for (size_t used = 0; (got = read(ends[0], text + used, WRITTEN_MOST - 1 - used)) > 0;)
        used += (size_t)got;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return text;
}
