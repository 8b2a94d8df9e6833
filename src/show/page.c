/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the page. */
#include "show/page.h"

#include <errno.h>

int page_write(const json_t *report, FILE *stream, struct failure *failure)
{
    (void)report;
    (void)stream;
    return fail_with(failure, -ENOSYS, "pages are not written yet");
}

bool page_is_report(const char *path)
{
    (void)path;
    return false;
}
