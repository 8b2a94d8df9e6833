/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a tool is: a program of the machine that counts events of perf_event while it runs a whole
 * command. To the controller it is a path; here it runs the harness as a source does, with the
 * specimen on path bare, and what it counts is all of that process, start and end too. */
#pragma once

#include "probe/driver/catalogue.h"
#include "probe/sources/source.h"

struct tool {
    const char *opt, *link, *pattern; /* of the one harness that it runs */
    const char *note;                 /* as of a path */
    struct source source;             /* its name is the path's; it has no events of its own */
};

extern const struct tool tool_perf_stat;

/* Adds every tool that works here as a path, and the others as absent with the reason. */
int tools_offer(struct offers *offers, const struct probe_kit *kit, struct failure *failure);
/* Who counts a cell on this path; NULL: the path's own windows do. */
const struct source *tool_source(const char *path);
