/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the page of the report on standard input, whoever made that up. */
#include <stdio.h>

#include "output/page.h"

int main(void)
{
    struct failure failure = {0};
    json_error_t wrong;
    json_t *report = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, &wrong);
    if (!report) {
        fprintf(stderr, "page-sample: %s\n", wrong.text);
        return 2;
    }
    int error = page_write(report, stdout, &failure);
    json_decref(report);
    if (error < 0)
        fprintf(stderr, "page-sample: %s\n", failure.text);
    return error < 0 || fflush(stdout) != 0;
}
