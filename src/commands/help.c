/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Help texts for a terminal, from the same tables that parse the options. */
#include "commands/help.h"

#include <stdio.h>
#include <string.h>

#include "engine/options.h"
#include "show/wrap.h"

#define NAME_COLUMN 2
#define TEXT_COLUMN 26 /* where an option's help begins */

const struct exit_meaning exit_meanings[] = {
    {EXIT_DONE, "done"},
    EXIT_ROW_FAILED,
    EXIT_ROW_USAGE,
    {EXIT_LACKING, "the machine lacks what was asked, and the reason was said"},
    {EXIT_VERDICT, "--fail-on: what it names was found, or what was named was not judged"},
    {EXIT_INTERRUPTED, "interrupted; what was measured is kept"},
    {0},
};

/* Commands that only read what is stored ask nothing of the machine. */
static const struct exit_meaning stored_meanings[] = {
    {EXIT_DONE, "done"}, EXIT_ROW_FAILED, EXIT_ROW_USAGE, {EXIT_INTERRUPTED, "interrupted"}, {0},
};

const struct exit_meaning *exit_meanings_of(const struct command *command)
{
    if (command->exits)
        return command->exits;
    return command->group == GROUP_STORED ? stored_meanings : exit_meanings;
}

static void heading(struct text *out, const char *word)
{
    text_printf(out, "\n%s:\n", word);
}

/* A name at NAME_COLUMN and its help beside it, or below when the name is long. */
static void entry(struct text *out, const char *name, const char *help)
{
    text_printf(out, "%*s%s", NAME_COLUMN, "", name);
    size_t at = NAME_COLUMN + strlen(name);
    if (at + 2 > TEXT_COLUMN) {
        text_putc(out, '\n');
        at = 0;
    }
    text_printf(out, "%*s", (int)(TEXT_COLUMN - at), "");
    wrap(out, help, TEXT_COLUMN, TEXT_COLUMN, HELP_WIDTH);
}

static void option_entry(void *context, const struct option_spec *spec)
{
    char name[128];
    int length = spec->letter ? snprintf(name, sizeof(name), "-%c, --%s", spec->letter, spec->name)
                              : snprintf(name, sizeof(name), "    --%s", spec->name);
    if (spec->argument)
        snprintf(name + length, sizeof(name) - (size_t)length, " %s", spec->argument);
    AUTO_TEXT struct text help = {0};
    text_puts(&help, spec->help);
    if (spec->initial)
        text_printf(&help, " (default: %s)", spec->initial);
    entry(context, name, text_string(&help));
}

static void exit_entries(struct text *out, const struct exit_meaning *exit)
{
    heading(out, "Exit status");
    for (; exit->meaning; exit++)
        text_printf(out, "%*s%-5d%s\n", NAME_COLUMN, "", exit->code, exit->meaning);
}

/* Example lines are commands; comment lines lead them. */
static void example_entries(struct text *out, const char *examples)
{
    heading(out, "Examples");
    while (*examples) {
        size_t length = strcspn(examples, "\n");
        text_printf(out, "%*s%.*s\n", NAME_COLUMN, "", (int)length, examples);
        examples += length + (examples[length] == '\n');
    }
}

static void command_entries(struct text *out)
{
    static const char *const titles[] = {
        [GROUP_ALL] = "To begin with",
        [GROUP_MACHINE] = "What there is to count, and what is in the way",
        [GROUP_STUDY] = "How a machine counts, one question each",
        [GROUP_PROGRAM] = "Counts of a program",
        [GROUP_STORED] = "Runs that were stored",
    };
    for (size_t group = 0; group < sizeof(titles) / sizeof(titles[0]); group++) {
        heading(out, titles[group]);
        for (const struct command *const *at = command_registry; *at; at++)
            if ((*at)->group == (enum command_group)group)
                entry(out, (*at)->name, (*at)->summary);
    }
}

void help_program(struct text *out)
{
    text_puts(out, "usage: assay [--help | --version] COMMAND [options]\n\n");
    wrap(out,
         "Tells how far each performance counter of a machine can be trusted, why, and how to "
         "measure so that the error is smallest: every count with its error bar.",
         0, 0, HELP_WIDTH);
    command_entries(out);
    heading(out, "Options");
    entry(out, "-h, --help", "print this help");
    entry(out, "    --version", "print the version");
    entry(out, "    --man [COMMAND]", "print a manual page in roff, for man -l");
    entry(out, "    --completion SHELL", "print what completes command lines in bash, zsh or fish");
    exit_entries(out, exit_meanings);
    text_puts(out, "\n`assay COMMAND --help` explains a command and its options; begin with `assay "
                   "run\n--quick`.\n");
}

void help_command(struct text *out, const struct command *command)
{
    text_printf(out, "usage: assay %s %s\n\n", command->name, command->synopsis);
    wrap(out, command->description, 0, 0, HELP_WIDTH);
    heading(out, "Options");
    options_each(command, option_entry, out);
    if (command->examples)
        example_entries(out, command->examples);
    exit_entries(out, exit_meanings_of(command));
}
