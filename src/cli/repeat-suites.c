/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Suites as programs of `assay repeat`: read, what is missing installed or left out by name, and
 * their inputs brought to the machine under test. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "cli/deliver.h"
#include "cli/repeat-run.h"

static void say(const char *line)
{
    deliver_message("repeat", line);
}

static void say_nothing(const char *line)
{
    (void)line;
}

static int install(struct repeating *repeating, const struct suite *suite, struct failure *failure)
{
    const struct repeat_options *options = repeating->run.options;
    if (!options->install || options->resume)
        return 0;
    if (strcmp(options->common.via, "local") != 0)
        return fail_with(failure, -EINVAL,
                         "--install installs packages on this machine, not on one behind --via: "
                         "install them there yourself");
    return suite_install(suite, &interrupted, options->common.quiet ? say_nothing : say, failure);
}

static int add(struct repeating *repeating, const struct workload *workload,
               struct failure *failure)
{
    struct repeat_wanted *program =
        list_add(&repeating->programs, &repeating->program_count, sizeof(*program));
    if (!program)
        return fail_with(failure, -ENOMEM, "out of memory");
    *program = (struct repeat_wanted){.name = strdup(workload->name),
                                      .words = strdup(workload->command),
                                      .input = *workload->input ? strdup(workload->input) : NULL,
                                      .threaded = workload->threaded};
    if (!program->name || !program->words || (*workload->input && !program->input))
        return fail_with(failure, -ENOMEM, "out of memory");
    return 0;
}

/* Those that are there; the others are left out by name, with the package that brings them. */
static int add_workloads(struct repeating *repeating, const struct suite *suite,
                         struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < suite->count && error == 0; i++) {
        struct failure why = {0};
        error = suite_lacks(&suite->list[i], repeating->session, &why);
        if (error == -ENOENT)
            error = skips_add(&repeating->run.skips, suite->list[i].name, why.text, ENOENT);
        else if (error == 0)
            error = add(repeating, &suite->list[i], failure);
        else
            *failure = why;
    }
    return error;
}

static int take(struct repeating *repeating, const char *name, struct failure *failure)
{
    struct suite *suite = list_add(&repeating->suites, &repeating->suite_count, sizeof(*suite));
    if (!suite)
        return fail_with(failure, -ENOMEM, "out of memory");
    int error = suite_read(name, suite, failure);
    if (error == 0)
        error = install(repeating, suite, failure);
    if (error == 0)
        error = add_workloads(repeating, suite, failure);
    return error < 0 ? error : suite_bring(suite, repeating->session, failure);
}

int repeat_find_suites(struct repeating *repeating, struct failure *failure)
{
    const struct string_list *names = &repeating->run.options->suite;
    int error = 0;
    for (size_t i = 0; i < names->count && error == 0; i++)
        error = take(repeating, names->items[i], failure);
    if (error == 0 && names->count && !repeating->program_count)
        error = fail_with(
            failure, -ENODEV,
            "none of the programs of the suite is installed on the machine under test: "
            "%s",
            repeating->run.skips.count ? repeating->run.skips.list[0].reason : "it has none");
    return error;
}
