/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks that people bring along, as text. */
#include <string.h>

#include "base/failure.h"
#include "wire/watch.h"

int external_clock_parse(const char *text, struct external_clock *clock, struct failure *failure)
{
    (void)clock, (void)failure;
    return strchr(text, '=') ? -22 : 0;
}
