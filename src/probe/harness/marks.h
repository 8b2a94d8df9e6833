/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a window opens and closes, from the marks the template leaves beside its code: for tests
 * that count from outside what is executed between the two. */
#pragma once

#include "probe/harness/path.h"

extern const struct window_mark __start_assay_marks[], __stop_assay_marks[];

/* Address of the mark, or 0 where there is not exactly one: a compiler that doubled the window
 * would double it. */
static inline uintptr_t window_mark_address(const struct path *path, uint32_t pattern,
                                            enum specimen_form form, enum layout layout,
                                            uint32_t kind)
{
    uint32_t window = (pattern * SPECIMEN_FORMS + (uint32_t)form) * LAYOUT_COUNT + (uint32_t)layout;
    uintptr_t found = 0;
    for (const struct window_mark *mark = __start_assay_marks; mark < __stop_assay_marks; mark++)
        if ((uintptr_t)&mark->path + (uintptr_t)(intptr_t)mark->path == (uintptr_t)path &&
            mark->window == window && mark->kind == kind) {
            if (found)
                return 0;
            found = (uintptr_t)&mark->address + (uintptr_t)(intptr_t)mark->address;
        }
    return found;
}
