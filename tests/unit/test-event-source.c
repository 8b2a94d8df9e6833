/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Events of sources: SOURCE/CLASS/, known only to a program that says which sources it has. */
#include <errno.h>
#include <string.h>

#include "case.h"
#include "events/event.h"

static const char *const step_classes[] = {"instructions", "instructions-raw", "syscalls", NULL};
static const char *const tool_classes[] = {"loads", NULL};
static const struct event_source sources[] = {
    {"step", step_classes, 0, ""},
    {"tool", tool_classes, ENOENT, "the tool is not installed"},
    {NULL, NULL, 0, NULL},
};

static struct event_view view_with(const struct event_source *table)
{
    return (struct event_view){.root = "/nonexistent", .tracefs = -1, .sources = table};
}

static void assert_resolves(const char *name, const char *counts, const char *class)
{
    struct event_view view = view_with(sources);
    struct event event;
    struct failure failure = {0};
    assert_int_equal(event_resolve(&view, name, &event, &failure), 0);
    assert_int_equal(event.kind, EVENT_SOURCE);
    assert_string_equal(event.counts, counts);
    if (class)
        assert_string_equal(event_class(&event), class);
    else
        assert_null(event_class(&event));
    event_release(&event);
}

static void assert_refused(const struct event_source *table, const char *name, int code,
                           const char *words)
{
    struct event_view view = view_with(table);
    struct event event;
    struct failure failure = {0};
    assert_int_equal(event_resolve(&view, name, &event, &failure), code);
    if (!strstr(failure.text, words))
        fail_msg("'%s' does not say '%s'", failure.text, words);
    event_release(&event);
}

TEST(a_source_and_a_class_make_an_event)
{
    assert_string_equal(event_kind_name(EVENT_SOURCE), "source");
    assert_resolves("step/instructions/", "instructions", "instructions");
    assert_resolves("step/syscalls/u", "syscalls", "syscalls");
    assert_resolves("step/syscalls/:u", "syscalls", "syscalls");
    assert_resolves("  tool/loads/ ", "loads", "loads");
}

TEST(what_a_source_sees_itself_has_no_class)
{
    assert_resolves("step/instructions-raw/", "instructions-raw", NULL);
}

TEST(wrong_names_are_answered_with_the_nearest)
{
    assert_refused(sources, "step/instrutions/", -ENOENT, "did you mean instructions");
    assert_refused(sources, "step/loads/", -ENOENT,
                   "only: instructions, instructions-raw, syscalls");
    assert_refused(sources, "stp/instructions/", -ENOENT, "did you mean step");
    assert_refused(sources, "step/instructions", -EINVAL, "closing slash");
    assert_refused(sources, "step//", -ENOENT, "does not count \"\"");
    assert_refused(sources, "step/instructions/k", -EINVAL, "user code");
    assert_refused(sources, "step/instructions/uk", -EINVAL, "user code");
    assert_refused(sources, "step/instructions/x/", -EINVAL, "user code");
    assert_refused(sources, "step", -ENOENT, "no event is called");
}

/* The library must not promise what only the probe can do. */
TEST(without_a_table_no_source_is_known)
{
    assert_refused(NULL, "step/instructions/", -ENOENT, "no PMU \"step\"");
}

TEST(the_reason_of_a_source_that_cannot_count_is_its_own)
{
    struct event_view view = view_with(sources);
    struct event event;
    struct failure failure = {0};
    char reason[256];
    assert_int_equal(event_resolve(&view, "tool/loads/", &event, &failure), 0);
    assert_int_equal(event.source->error, ENOENT);
    event_open_reason(&view, &event, ENOENT, reason, sizeof(reason));
    assert_string_equal(reason, "the tool is not installed");
    event_release(&event);
}

static int gather(void *context, const char *name, enum event_kind kind)
{
    char *list = context;
    if (kind == EVENT_SOURCE) {
        strcat(list, name);
        strcat(list, " ");
    }
    return 0;
}

TEST(all_of_them_are_listed)
{
    struct event_view view = view_with(sources);
    char list[512] = "";
    assert_int_equal(event_list(&view, NULL, gather, list), 0);
    assert_string_equal(list,
                        "step/instructions/ step/instructions-raw/ step/syscalls/ tool/loads/ ");
    list[0] = '\0';
    assert_int_equal(event_list(&view, "*/loads/", gather, list), 0);
    assert_string_equal(list, "tool/loads/ ");
}
