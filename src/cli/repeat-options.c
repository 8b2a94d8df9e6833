/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What can be wrong with a command line of `assay repeat`, said before a machine is reached. */
#include <errno.h>
#include <string.h>

#include "engine/options.h"
#include "cli/repeat-run.h"
#include "output/output.h"

#define MOST_RUNS 10000u
#define MOST_CPUS 65536u

static int check_from(const struct repeat_options *options, size_t words, struct failure *failure)
{
    if (!options->from.count)
        return 0;
    if (options->resume || options->store)
        return fail_with(failure, -EINVAL,
                         "--from judges stored runs again: --store and --resume measure one");
    if (words || options->suite.count || options->event.count || options->source.count ||
        options->control.count || options->no_control.count || options->sweep.count ||
        options->bring.count || options->keep.count || options->input || options->directory ||
        options->runs.given || options->quick || options->budget)
        return fail_with(failure, -EINVAL,
                         "--from judges everything that is stored: leave out the command and what "
                         "says how it is executed");
    return 0;
}

static int check_resume(const struct repeat_options *options, size_t words, struct failure *failure)
{
    if (!options->resume)
        return 0;
    if (words || options->suite.count || options->event.count || options->source.count ||
        options->control.count || options->no_control.count || options->sweep.count ||
        options->bring.count || options->keep.count || options->input || options->directory ||
        options->runs.given || options->cpu.given || options->quick || options->no_subjects ||
        options->show_output)
        return fail_with(failure, -EINVAL,
                         "--resume goes on with what the run began with: leave out the command and "
                         "what says how it is executed");
    return 0;
}

/* What belongs to a command only. */
static int check_command(const struct repeat_options *options, size_t words,
                         struct failure *failure)
{
    if (words && options->suite.count)
        return fail_with(failure, -EINVAL,
                         "either a command is repeated or the programs of --suite, not both");
    if (options->install && !options->suite.count)
        return fail_with(failure, -EINVAL, "--install is for the packages of --suite");
    if (options->no_subjects && !words && !options->suite.count && !options->resume)
        return fail_with(failure, -EINVAL,
                         "there is nothing to repeat: give a command, or leave out --no-subjects "
                         "to repeat the programs of the kit");
    if (!words && !options->resume &&
        (options->input || options->directory || options->show_output))
        return fail_with(failure, -EINVAL,
                         "--input, --directory and --show-output are about a command, and there is "
                         "none");
    return 0;
}

static int check_numbers(const struct repeat_options *options, struct failure *failure)
{
    int error = options_check_number("runs", &options->runs, MOST_RUNS, failure);
    if (error == 0 && options->runs.given && options->runs.value < 2)
        error = fail_with(failure, -EINVAL,
                          "--runs must be at least 2: what is executed once does not vary");
    if (error == 0 && options->cpu.given && options->cpu.value >= MOST_CPUS)
        error = fail_with(failure, -EINVAL, "--cpu: there is no such CPU");
    if (error == 0 && (options->timeout == 0 || options->timeout > COMMAND_MOST_MS))
        error = fail_with(failure, -EINVAL, "--timeout must be between 1ms and a week");
    return error;
}

static void put_controls(struct text *out)
{
    for (int control = 0; control < CONTROL_COUNT; control++)
        text_printf(out, "%s%s", control ? ", " : "", control_names[control]);
}

static int check_controls(const char *option, const struct string_list *list,
                          struct failure *failure)
{
    for (size_t i = 0; i < list->count; i++) {
        AUTO_TEXT struct text known = {0};
        if (control_from_name(list->items[i]) >= 0)
            continue;
        put_controls(&known);
        return fail_with(failure, -EINVAL, "--%s: there is no control '%.60s', but %s", option,
                         list->items[i], text_string(&known));
    }
    return 0;
}

static int check_sweeps(const struct string_list *list, struct failure *failure)
{
    for (size_t i = 0; i < list->count; i++)
        if (sweep_from_name(list->items[i]) == SWEEP_NONE)
            return fail_with(failure, -EINVAL,
                             "--sweep: '%.60s' cannot be swept, but env, stack and aslr can",
                             list->items[i]);
    return 0;
}

static int check_names(const struct repeat_options *options, struct failure *failure)
{
    int error = check_controls("control", &options->control, failure);
    if (error == 0)
        error = check_controls("no-control", &options->no_control, failure);
    if (error == 0)
        error = check_sweeps(&options->sweep, failure);
    for (size_t i = 0; i < options->keep.count && error == 0; i++)
        if (strpbrk(options->keep.items[i], "= \t\n"))
            error = fail_with(failure, -EINVAL,
                              "--keep takes names of variables alone, not '%.80s': assay gives it "
                              "the value that it has itself",
                              options->keep.items[i]);
    return error;
}

int repeat_check_options(const struct repeat_options *options, size_t word_count)
{
    struct failure failure = {0};
    int error = check_from(options, word_count, &failure);
    if (error == 0)
        error = check_resume(options, word_count, &failure);
    if (error == 0)
        error = check_command(options, word_count, &failure);
    if (error == 0)
        error = check_numbers(options, &failure);
    if (error == 0)
        error = check_names(options, &failure);
    if (error == 0)
        error = output_check(options->common.output, &failure);
    return error < 0 ? repeat_fail(&failure) : EXIT_DONE;
}
