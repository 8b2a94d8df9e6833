/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tools, and which of them can be used here. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe/sources/tool.h"

#define REASON_BYTES 1024

/* The path whose windows hold the specimen and nothing else. */
static const char held[] = "bare";

static const struct tool *const tools[] = {&tool_perf_stat, NULL};

/* The harness that a tool runs; NULL: this kit, or this machine, has none. */
static const struct offer *find_harness(const struct offers *offers, const struct probe_kit *kit,
                                        const struct tool *tool)
{
    for (size_t index = 0; index < offers->count; index++) {
        const struct offer *offer = &offers->list[index];
        if (strcmp(offer->path, held) == 0 && strcmp(offer->opt, tool->opt) == 0 &&
            strcmp(kit->harnesses[offer->harness].link, tool->link) == 0)
            return offer;
    }
    return NULL;
}

static int offer_tool(struct offers *offers, const struct probe_kit *kit, const struct tool *tool)
{
    char reason[REASON_BYTES] = "this kit has no harness that it could run";
    const struct offer *harness = find_harness(offers, kit, tool);
    int usable = harness ? tool->source.usable(kit->folder, reason, sizeof(reason)) : -ENOENT;
    if (usable < 0)
        return offers_add_absence(offers, "path", tool->source.name, -usable, reason);
    return offers_add(offers, tool->source.name, tool->opt, tool->pattern, "perf_event", tool->note,
                      harness->harness);
}

int tools_offer(struct offers *offers, const struct probe_kit *kit, struct failure *failure)
{
    for (size_t index = 0; tools[index]; index++)
        if (offer_tool(offers, kit, tools[index]) < 0)
            return fail_with(failure, -ENOMEM, "out of memory");
    return 0;
}

const struct source *tool_source(const char *path)
{
    for (size_t index = 0; tools[index]; index++)
        if (strcmp(tools[index]->source.name, path) == 0)
            return &tools[index]->source;
    return NULL;
}
