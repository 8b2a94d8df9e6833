/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay lab: emulated machines whose counters are exact. Its option table, and the way to its three
 * parts. */
#include "commands/lab.h"

#include <errno.h>
#include <string.h>

#include "cli/deliver.h"
#include "cli/nearest.h"

#define MACHINE(letter, name, argument, help, member)                                              \
    {                                                                                              \
        letter, name, OPTION_STRING, argument, help, offsetof(struct lab_options, member), NULL    \
    }

static const struct option_spec specs[] = {
    MACHINE(0, "kernel", "NAME",
            "install: the kernel to fetch, one of those list shows or a metapackage's name such as "
            "cloud-arm64; run: the kernel to boot",
            kernel),
    MACHINE(0, "cpu", "MODEL", "run: the CPU to emulate", cpu),
    MACHINE(0, "memory", "MB", "run: the machine's memory", memory),
    MACHINE(0, "pmu", "on|off", "run: whether the CPU has performance counters", pmu),
    MACHINE(0, "user-access", "on|off",
            "run: whether programs may read counters without a system call", user_access),
    MACHINE(0, "paranoid", "N", "run: kernel.perf_event_paranoid", paranoid),
    MACHINE(0, "user", "root|nobody", "run: who runs the command", user),
    {0, "send", OPTION_FILES, "FILE",
     "run: a file to put into the command's working folder, with its mode; may be repeated",
     offsetof(struct lab_options, send), NULL},
    {0, "again", OPTION_FLAG, NULL,
     "install: fetch the kernel even when it is there in the version on offer",
     offsetof(struct lab_options, again), NULL},
    {0, "all", OPTION_FLAG, NULL,
     "list: every kernel on offer, not only the newest of each series and flavour",
     offsetof(struct lab_options, all), NULL},
    {0},
};

int lab_options_refuse(const struct lab_options *options, const char *part, unsigned has,
                       struct failure *failure)
{
    const struct {
        unsigned kind;
        const char *name, *owner;
        bool given;
    } all[] = {{LAB_KERNEL, "kernel", "install and run", options->kernel},
               {LAB_MACHINE, "cpu", "run", options->cpu},
               {LAB_MACHINE, "memory", "run", options->memory},
               {LAB_MACHINE, "pmu", "run", options->pmu},
               {LAB_MACHINE, "user-access", "run", options->user_access},
               {LAB_MACHINE, "paranoid", "run", options->paranoid},
               {LAB_MACHINE, "user", "run", options->user},
               {LAB_MACHINE, "send", "run", options->send.count > 0},
               {LAB_AGAIN, "again", "install", options->again},
               {LAB_ALL, "all", "list", options->all}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i].given && !(has & all[i].kind))
            return fail_with(failure, -EINVAL, "%s has no --%s: it is for %s", part, all[i].name,
                             all[i].owner);
    return 0;
}

static const struct part {
    const char *name;
    int (*run)(const struct lab_options *options, int word_count, char **words);
} parts[] = {
    {"install", lab_install_command},
    {"list", lab_list_command},
    {"run", lab_run_command},
};

static int refuse(const char *word)
{
    struct failure failure = {0};
    struct nearest nearest = {.word = word ? word : ""};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        nearest_offer(&nearest, parts[i].name);
    if (!word)
        fail_with(&failure, -EINVAL, "say what to do: install, list or run");
    else if (nearest.best)
        fail_with(&failure, -EINVAL, "unknown word '%.100s': did you mean '%s'?", word,
                  nearest.best);
    else
        fail_with(&failure, -EINVAL, "unknown word '%.100s': there are install, list and run",
                  word);
    return deliver_failure("lab", &failure, EXIT_USAGE);
}

static const struct option_hint hints[] = {
    {"via", "the lab is on this machine; --via lab:aarch64 belongs to the commands that measure"},
    {0},
};

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct lab_options *options = parsed;
    for (size_t i = 0; argument_count && i < sizeof(parts) / sizeof(*parts); i++)
        if (strcmp(arguments[0], parts[i].name) == 0)
            return parts[i].run(options, argument_count - 1, arguments + 1);
    return refuse(argument_count ? arguments[0] : NULL);
}

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done; of run: CMD ended with 0"},
    {EXIT_FAILED, "failed"},
    {EXIT_USAGE, "the command line is wrong"},
    {125, "run: the machine failed, or could not be started"},
    {126, "run: CMD cannot be run"},
    {127, "run: there is no CMD in the machine"},
    {EXIT_INTERRUPTED, "interrupted; run: 143 by SIGTERM, 141 when nobody reads"},
    {0},
};

const struct command command_lab = {
    .name = "lab",
    .group = GROUP_MACHINE,
    .summary = "emulated machines with exact counters: install, list, run",
    .synopsis = "install [ISA] | list | run ISA [-- CMD...]",
    .description =
        "The lab is a machine of another kind on this one: QEMU emulates an aarch64 CPU with a PMU "
        "and boots one of Debian's kernels on it, whose perf_event counts instructions exactly and "
        "the same in every run. Commands that measure reach it with --via lab:aarch64; everything "
        "they report from there is marked as emulated, because its times, cycles and caches are no "
        "hardware's.\n\n"
        "install fetches a kernel with this machine's own apt from its own mirrors into a private "
        "folder (ASSAY_LAB, else the user's cache); nothing foreign is installed here. list shows "
        "machines, kernels and CPU models, and what is missing. run boots a machine, runs CMD in "
        "it "
        "with standard input, output and error connected, and ends with its exit status; without "
        "CMD it is a shell. The settings may also stand behind the ISA, as behind --via lab: "
        "aarch64,cpu=max,paranoid=3.",
    .examples = "# fetch the kernel Debian chooses\n"
                "assay lab install aarch64\n"
                "# what is there, what could be had?\n"
                "assay lab list\n"
                "# run a program for aarch64\n"
                "assay lab run aarch64 --send ./program -- ./program -v\n"
                "# measure there\n"
                "assay measure --event instructions:u --specimen loop --via lab:aarch64\n",
    .options = specs,
    .exits = exits,
    .hints = hints,
    .stays_here = true,
    .options_size = sizeof(struct lab_options),
    .run = run,
};
