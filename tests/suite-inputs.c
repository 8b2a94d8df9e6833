/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * suite-inputs SUITE FOLDER: makes the inputs of a suite in a folder and prints its workloads, one
 * a line with tabs: name, command, package, needs, input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/repeat/suite.h"

static int make(const struct made_input *input, const char *beside, const char *folder,
                struct failure *failure)
{
    AUTO_FREE char *path = NULL;
    AUTO_TEXT struct text bytes = {0};
    int error = made_input_bytes(input, beside, &bytes, failure);
    if (error)
        return error;
    if (asprintf(&path, "%s/%s", folder, input->name) < 0)
        return fail_with(failure, -1, "out of memory");
    AUTO_FILE FILE *file = fopen(path, "we");
    if (!file || fwrite(text_string(&bytes), 1, bytes.length, file) != bytes.length)
        return fail_with(failure, -1, "%s cannot be written", path);
    return 0;
}

int main(int argc, char **argv)
{
    struct suite suite;
    struct failure failure = {0};
    if (argc != 3)
        return 2;
    int error = suite_read(argv[1], &suite, &failure);
    if (error) {
        fprintf(stderr, "%s\n", failure.text);
        return 1;
    }
    AUTO_FREE char *beside = strdup(suite.path);
    char *slash = strrchr(beside, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < suite.input_count && !error; i++)
        error = make(&suite.inputs[i], slash ? beside : ".", argv[2], &failure);
    for (size_t i = 0; i < suite.count && !error; i++) {
        const struct workload *one = &suite.list[i];
        printf("%s\t%s\t%s\t%s\t%s\n", one->name, one->command, one->package, one->needs,
               one->input);
    }
    if (error)
        fprintf(stderr, "%s\n", failure.text);
    return error ? 1 : 0;
}
