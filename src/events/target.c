/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Events that watch the target of a specimen: mem:target:x, uprobe:target and so on. Who types such
 * a name cannot know the address, which differs from one harness to the next; so the name stays
 * without a place until the process that holds the target opens it. */
#include <errno.h>

#include "events/form.h"

int target_take(const struct event_view *view, const char *name, struct event *event,
                struct failure *failure)
{
    if (!view->has_target)
        return fail_with(failure, -ENOENT,
                         "\"%s\" watches the code of a specimen, which only assay's harnesses "
                         "hold: give an address or a file and a function instead",
                         name);
    event->own = true;
    return 0;
}

int target_each(const struct event_view *view, event_each *each, void *context)
{
    static const struct {
        const char *name;
        enum event_kind kind;
    } named[] = {
        {"mem:" TARGET_WORD ":x", EVENT_BREAKPOINT},  {"mem:" TARGET_WORD ":w", EVENT_BREAKPOINT},
        {"mem:" TARGET_WORD ":rw", EVENT_BREAKPOINT}, {"uprobe:" TARGET_WORD, EVENT_UPROBE},
        {"uretprobe:" TARGET_WORD, EVENT_UPROBE},
    };
    int stop = 0;
    for (size_t i = 0; view->has_target && i < sizeof(named) / sizeof(named[0]) && !stop; i++)
        stop = each(context, named[i].name, named[i].kind);
    return stop;
}
