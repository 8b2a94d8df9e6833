/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay lab run: one command in a machine of its own. Its settings come from the word behind `run`
 * and from options; the machine's end is the command's. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "cli/lab-relay.h"
#include "commands/lab.h"
#include "cli/signals.h"
#include "lab/machine.h"
#include "lab/plan.h"
#include "engine/via-parts.h"

#define MACHINE_FAILED 125 /* as timeout(1) says that it failed itself */

static int take_settings(const struct lab_options *options, const char *words,
                         struct lab_settings *settings, struct failure *failure)
{
    const struct {
        const char *key, *value;
    } given[] = {{"kernel", options->kernel},
                 {"cpu", options->cpu},
                 {"memory", options->memory},
                 {"pmu", options->pmu},
                 {"user-access", options->user_access},
                 {"paranoid", options->paranoid},
                 {"user", options->user}};
    int status = lab_settings_parse(settings, words, failure);
    for (size_t i = 0; status == 0 && i < sizeof(given) / sizeof(*given); i++)
        if (given[i].value)
            status = lab_settings_set(settings, given[i].key, given[i].value, failure);
    return status;
}

/* A shell on a terminal where there is one, else one that reads its input. */
static void plan_shell(struct text *plan)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    plan_put(plan, "run", "sh");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return;
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    char words[32];
    snprintf(words, sizeof(words), "%dx%d", size.ws_row ? size.ws_row : 24,
             size.ws_col ? size.ws_col : 80);
    plan_put(plan, "terminal", words);
}

static void plan_command(struct text *plan, int count, char **words)
{
    plan_put(plan, "folder", "/work");
    for (int i = 0; i < count; i++)
        plan_put(plan, "run", words[i]);
    if (count == 0)
        plan_shell(plan);
}

static int refuse_options(const struct lab_options *options, int word_count,
                          struct failure *failure)
{
    if (word_count == 0)
        return fail_with(failure, -EINVAL, "run needs a machine: assay lab run aarch64 -- CMD...");
    if (options->common.json || options->common.output)
        return fail_with(failure, -EINVAL,
                         "--%s is not for run: standard output is the command's own",
                         options->common.json ? "json" : "output");
    return lab_options_refuse(options, "run", LAB_KERNEL | LAB_MACHINE, failure);
}

/* Starts the machine and stays with it to its end; its exit status or negative errno. */
static int run_machine(const struct lab_order *order, struct lab_relay *relay,
                       struct failure *failure)
{
    AUTO_LAB_MACHINE struct lab_machine machine = {.archive = -1};
    struct via_link link = {.pid = -1, .to_probe = -1, .from_probe = -1, .errors = -1};
    int status = lab_machine_prepare(&machine, order, failure);
    if (status == 0)
        status = child_start_with(&link, (const char *const *)(uintptr_t)machine.argv,
                                  machine.inherited, machine.inherited_count, failure);
    if (status < 0)
        return status;
    return lab_relay_run(relay, &link, failure);
}

/* A program that is here and not there was meant to be sent. */
static void hint_at_send(const struct common_options *common, const char *machine,
                         const char *command)
{
    const char *slash = strrchr(command, '/');
    struct stat facts;
    if (stat(command, &facts) == 0 && S_ISREG(facts.st_mode))
        deliver_remark(common,
                       "%s is a file of this machine; to run it there: assay lab run %s --send %s "
                       "-- ./%s",
                       command, machine, command, slash ? slash + 1 : command);
}

int lab_run_command(const struct lab_options *options, int word_count, char **words)
{
    struct failure failure = {0};
    struct lab_settings settings = {0};
    int status = refuse_options(options, word_count, &failure);
    if (status == 0)
        status = take_settings(options, words[0], &settings, &failure);
    if (status < 0)
        return deliver_failure("lab", &failure, EXIT_USAGE);
    AUTO_KIT struct kit kit = {0};
    if (kit_find(&kit, settings.isa, &failure) < 0)
        return deliver_failure("lab", &failure, MACHINE_FAILED);
    AUTO_TEXT struct text plan = {0};
    plan_command(&plan, word_count - 1, words + 1);
    struct lab_relay relay;
    status = lab_relay_open(&relay, word_count == 1, &failure);
    if (status == 0)
        status = run_machine(&(struct lab_order){.settings = &settings,
                                                 .kit_folder = kit.folder,
                                                 .plan = &plan,
                                                 .files = options->send.items,
                                                 .file_count = options->send.count,
                                                 .verbose = child_verbose(),
                                                 .errors = relay.errors[1],
                                                 .status = relay.status[1]},
                             &relay, &failure);
    const bool absent = lab_relay_absent(&relay);
    lab_relay_close(&relay);
    if (absent && word_count > 1)
        hint_at_send(&options->common, words[0], words[1]);
    if (status >= 0)
        return status;
    if (status == -EINTR)
        return signals_status();
    return deliver_failure("lab", &failure, status == -EINVAL ? EXIT_USAGE : MACHINE_FAILED);
}
