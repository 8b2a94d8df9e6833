/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads what the plugin wrote (qemu-plugin/account.h). */
#include "probe/sources/qemu.h"

#include <errno.h>

#include "probe/sources/program.h"

const char *const qemu_column_names[QEMU_COLUMN_COUNT] = {
#define NAME(symbol, name) [QEMU_##symbol] = (name),
    QEMU_COLUMNS(NAME)
#undef NAME
};

static bool take_header(struct stretch *span, const char *isa)
{
    if (!take(span, QEMU_OUTPUT_MAGIC) || !take(span, isa) || !take(span, "\ncolumns"))
        return false;
    for (int column = 0; column < QEMU_COLUMN_COUNT; column++)
        if (!take(span, " ") || !take(span, qemu_column_names[column]))
            return false;
    return take(span, "\n");
}

static bool take_pass(struct stretch *span, qemu_counts *row)
{
    for (int column = 0; column < QEMU_COLUMN_COUNT; column++)
        if (!take(span, " ") || !take_number(span, &(*row)[column]))
            return false;
    return take(span, "\n");
}

static int refuse(struct failure *failure, const char *what)
{
    return fail_with(failure, -EBADMSG,
                     "what the plugin in QEMU wrote cannot be read: %s. Is the plugin that of this "
                     "kit, and did the program end by itself?",
                     what);
}

int qemu_output_read(const char *text, size_t length, const char *isa, uint32_t passes,
                     qemu_counts *rows, struct failure *failure)
{
    struct stretch span = {text, text + length};
    uint64_t ended;
    uint32_t found = 0;
    if (!take_header(&span, isa))
        return refuse(failure, "it begins otherwise");
    while (take(&span, "pass")) {
        if (found == passes)
            return refuse(failure, "there are more passes through the window than runs");
        if (!take_pass(&span, &rows[found++]))
            return refuse(failure, "a line is damaged");
    }
    if (!take(&span, "end ") || !take_number(&span, &ended) || !take(&span, "\n") ||
        span.at != span.end)
        return refuse(failure, "its end is missing");
    if (ended != found || found != passes)
        return fail_with(failure, -EBADMSG,
                         "the plugin in QEMU saw %u passes through the window, not %u", found,
                         passes);
    return 0;
}
