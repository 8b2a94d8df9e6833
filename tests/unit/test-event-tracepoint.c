/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tracepoints: a recorded tracefs, a closed one, and this machine's own. */
#include "case.h"
#include "recorded.h"

#define TRACING "/sys/kernel/tracing/events/"

static const struct tree_file traced[] = {{TRACING "enable", "0\n"},
                                          {TRACING "syscalls/enable", "0\n"},
                                          {TRACING "syscalls/sys_enter_getppid/id", "305\n"},
                                          {TRACING "syscalls/sys_enter_getpid/id", "304\n"},
                                          {TRACING "syscalls/sys_exit_getppid/id", "303\n"},
                                          {TRACING "sched/sched_switch/id", "281\n"},
                                          {TRACING "sched/sched_damaged/id", "rubbish\n"},
                                          {DEVICES "tracepoint/type", "2\n"},
                                          {NULL, NULL}};

TEST(the_number_comes_from_tracefs)
{
    struct recorded machine;
    recorded_begin(&machine, traced);
    struct event event = resolved(&machine.view, "syscalls:sys_enter_getppid");
    assert_int_equal(event.kind, EVENT_TRACEPOINT);
    assert_int_equal(event.attr.type, PERF_TYPE_TRACEPOINT);
    assert_int_equal(event.attr.config, 305);
    event_release(&event);
    event = resolved(&machine.view, "sched:sched_switch:u");
    assert_int_equal(event.attr.config, 281);
    assert_true(event.attr.exclude_kernel);
    event_release(&event);
    event = resolved(&machine.view, "tracepoint/config=305/");
    assert_int_equal(event.attr.type, PERF_TYPE_TRACEPOINT);
    assert_int_equal(event.attr.config, 305);
    event_release(&event);
    recorded_end(&machine);
}

TEST(unknown_tracepoints_get_the_nearest_of_their_system)
{
    struct recorded machine;
    recorded_begin(&machine, traced);
    const struct event_view *view = &machine.view;
    refused(view, "syscalls:sys_enter_getpppid", -ENOENT,
            WORDS("did you mean syscalls:sys_enter_getppid"));
    refused(view, "syscal:sys_enter_getppid", -ENOENT, WORDS("syscalls:sys_enter_getppid"));
    refused(view, "page-fault:uk", -ENOENT, WORDS("page-faults"));
    refused(view, "zzzz:yyyy", -ENOENT, WORDS("zzzz:yyyy"));
    refused(view, "sched:sched_damaged", -EINVAL, WORDS("no number"));
    refused(view, "syscalls:enable", -ENOENT, NULL);
    recorded_end(&machine);
}

TEST(a_closed_tracefs_says_how_to_open_it)
{
    struct event_view view = {.root = "/nonexistent", .tracefs = -1, .tracefs_error = EACCES};
    refused(&view, "sched:sched_switch", -EACCES,
            WORDS("remount,mode=750,gid=", "tracepoint/config="));
    view.tracefs_error = EPERM;
    refused(&view, "sched:sched_switch", -EACCES, WORDS("mount -t tracefs", "root"));
    view.tracefs_error = ENODEV;
    refused(&view, "sched:sched_switch", -ENOENT, WORDS("no tracepoints"));
}

static int error_after_closing(const struct recorded *machine, const char *folder)
{
    char path[128];
    struct event_view view;
    snprintf(path, sizeof(path), "%s%s", machine->root, folder);
    assert_int_equal(chmod(machine->root, 0755), 0);
    assert_int_equal(chmod(path, 0), 0);
    uid_t self = geteuid();
    assert_int_equal(self ? 0 : seteuid(65534), 0); /* nothing is closed to root */
    event_view_open(&view, machine->root);
    assert_int_equal(self ? 0 : seteuid(self), 0);
    assert_int_equal(chmod(path, 0755), 0);
    event_view_close(&view);
    return view.tracefs_error;
}

/* A remount of what is not mounted there would fail: the advice hangs on this errno. */
TEST(closed_debugfs_does_not_mean_that_tracefs_is_closed)
{
    static const struct tree_file old[] = {
        {"/sys/kernel/tracing/.empty", ""},
        {"/sys/kernel/debug/tracing/events/sched/sched_switch/id", "314\n"},
        {NULL, NULL},
    };
    struct recorded machine;
    recorded_begin(&machine, old);
    assert_int_equal(error_after_closing(&machine, "/sys/kernel/debug"), ENOENT);
    assert_int_equal(error_after_closing(&machine, "/sys/kernel/tracing"), EACCES);
    recorded_end(&machine);
}

struct listed {
    char names[1024];
};

static int collect(void *context, const char *name, enum event_kind kind)
{
    struct listed *listed = context;
    size_t used = strlen(listed->names);
    snprintf(listed->names + used, sizeof(listed->names) - used, "%s ", name);
    assert_int_equal(kind, EVENT_TRACEPOINT);
    return 0;
}

TEST(globs_list_tracepoints_in_order)
{
    static const struct {
        const char *glob, *names;
    } cases[] = {{"syscalls:sys_enter_*", "syscalls:sys_enter_getpid syscalls:sys_enter_getppid "},
                 {"*:*switch", "sched:sched_switch "},
                 {"sched:*", "sched:sched_damaged sched:sched_switch "},
                 {"no:*", ""},
                 {"syscalls:e*", ""},
                 /* without a colon, too */
                 {"sched*", "sched:sched_damaged sched:sched_switch "},
                 {"*getppid", "syscalls:sys_enter_getppid syscalls:sys_exit_getppid "},
                 {"s?scalls*pid", "syscalls:sys_enter_getpid syscalls:sys_enter_getppid "
                                  "syscalls:sys_exit_getppid "},
                 {"sched", ""},
                 {"schedule*", ""}};
    struct recorded machine;
    recorded_begin(&machine, traced);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct listed listed = {0};
        assert_int_equal(event_list(&machine.view, cases[i].glob, collect, &listed), 0);
        assert_string_equal(listed.names, cases[i].names);
    }
    recorded_end(&machine);
}

static int collect_tracepoints(void *context, const char *name, enum event_kind kind)
{
    return kind == EVENT_TRACEPOINT ? collect(context, name, kind) : 0;
}

TEST(without_a_glob_those_with_a_class_are_listed)
{
    static const char *const globs[] = {NULL, "", "*"};
    struct recorded machine;
    recorded_begin(&machine, traced);
    for (size_t i = 0; i < 3; i++) {
        struct listed listed = {0};
        assert_int_equal(event_list(&machine.view, globs[i], collect_tracepoints, &listed), 0);
        assert_string_equal(listed.names, "syscalls:sys_enter_getppid syscalls:sys_enter_getpid ");
    }
    recorded_end(&machine);
}
