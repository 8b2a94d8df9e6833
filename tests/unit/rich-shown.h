/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * TEST_WITH(name, build_rich, release_rich) begins with a rich run, of whatever study: include it
 * behind that study's *-shown.h. */
#pragma once

static int build_rich(void **state)
{
    static struct shown shown;
    shown_build_rich(&shown);
    *state = &shown;
    return 0;
}

static int release_rich(void **state)
{
    shown_end(*state);
    return 0;
}
