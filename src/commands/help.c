/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Help texts for a terminal, from the same tables that parse the options. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "commands/help.h"
#include "engine/claims.h"
#include "engine/command-line.h"
#include "engine/finish.h"
#include "engine/options.h"
#include "engine/study.h"
#include "output/field.h"
#include "output/json.h"
#include "output/table.h"

#define NAME_COLUMN 2
#define TEXT_COLUMN 26 /* where an option's help begins */

static const struct exit_meaning exit_meanings[] = {
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

static const struct exit_meaning *exit_meanings_of(const struct command *command)
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

static void option_entry(struct text *out, const struct option_spec *spec)
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
    entry(out, name, text_string(&help));
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

void help_program(struct text *out)
{
    text_puts(out, "usage: assay [--help | --version] COMMAND [options]\n\n");
    wrap(out,
         "Tells how far each performance counter of a machine can be trusted, why, and how to "
         "measure so that the error is smallest: every count with its error bar.",
         0, 0, HELP_WIDTH);
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

    heading(out, "Options");
    entry(out, "-h, --help", "print this help");
    entry(out, "    --version", "print the version");
    entry(out, "    --man [COMMAND]", "print a manual page in roff, for man -l");
    entry(out, "    --completion SHELL", "print what completes command lines in bash, zsh or fish");
    exit_entries(out, exit_meanings);
    text_puts(out, "\n`assay COMMAND --help` explains a command and its options; begin with `assay "
                   "run\n--quick`.\n");
}

/* Its paragraphs, with what is only known from the registry. */
static void described(const struct command *command, struct text *words)
{
    const char *at = command->put_listed ? strstr(command->description, "%s") : NULL;
    if (at) {
        text_append(words, command->description, (size_t)(at - command->description));
        command->put_listed(words);
    }
    text_puts(words, at ? at + 2 : command->description);
}

void help_command(struct text *out, const struct command *command)
{
    AUTO_TEXT struct text words = {0};
    described(command, &words);
    text_printf(out, "usage: assay %s %s\n\n", command->name, command->synopsis);
    wrap(out, text_string(&words), 0, 0, HELP_WIDTH);
    heading(out, "Options");
    for (size_t i = 0; option_at(command, i); i++)
        option_entry(out, option_at(command, i));
    if (command->examples)
        example_entries(out, command->examples);
    exit_entries(out, exit_meanings_of(command));
}

/* ----------------------------------------------------------------------------------------------
 * Manual pages in roff, from the same tables that parse the options; the build calls `assay --man
 * COMMAND` to make the pages it installs. */

/* Words as roff text: a backslash would start an escape, a hyphen is typeset as a dash, and a dot
 * or quote at the start of a line is a request. */
static void escaped(struct text *out, const char *words, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool line_start = !out->length || out->bytes[out->length - 1] == '\n';
        switch (words[i]) {
        case '\\':
            text_puts(out, "\\e");
            break;
        case '-':
            text_puts(out, "\\-");
            break;
        case '.':
        case '\'':
            text_puts(out, line_start ? "\\&" : "");
            text_putc(out, words[i]);
            break;
        default:
            text_putc(out, words[i]);
        }
    }
}

static void escape(struct text *out, const char *words)
{
    escaped(out, words, strlen(words));
}

/* Prose: an empty line becomes a paragraph. */
static void prose(struct text *out, const char *words)
{
    while (*words) {
        const char *gap = strstr(words, "\n\n");
        size_t length = gap ? (size_t)(gap - words) : strlen(words);
        escaped(out, words, length);
        text_putc(out, '\n');
        words += length;
        if (gap) {
            words += strspn(words, "\n");
            text_puts(out, ".PP\n");
        }
    }
}

static void title(struct text *out, const char *name, const char *version)
{
    text_puts(out, ".TH ");
    for (; *name; name++) {
        char upper = (char)toupper((unsigned char)*name);
        escaped(out, &upper, 1);
    }
    text_printf(out, " 1 \"\" \"assay %s\" \"User Commands\"\n", version);
}

static void man_option_entry(struct text *out, const struct option_spec *spec)
{
    text_puts(out, ".TP\n");
    if (spec->letter)
        text_printf(out, "\\fB\\-%c\\fR, ", spec->letter);
    text_puts(out, "\\fB\\-\\-");
    escape(out, spec->name);
    text_puts(out, "\\fR");
    if (spec->argument) {
        text_puts(out, " \\fI");
        escape(out, spec->argument);
        text_puts(out, "\\fR");
    }
    text_putc(out, '\n');
    escape(out, spec->help);
    if (spec->initial) {
        text_puts(out, " (default: ");
        escape(out, spec->initial);
        text_putc(out, ')');
    }
    text_puts(out, ".\n");
}

static void exit_section(struct text *out, const struct exit_meaning *exit)
{
    text_puts(out, ".SH EXIT STATUS\n");
    for (; exit->meaning; exit++) {
        text_printf(out, ".TP\n%d\n", exit->code);
        escape(out, exit->meaning);
        text_puts(out, ".\n");
    }
}

static void example_section(struct text *out, const char *examples)
{
    text_puts(out, ".SH EXAMPLES\n.nf\n");
    while (*examples) {
        size_t length = strcspn(examples, "\n");
        escaped(out, examples, length);
        text_putc(out, '\n');
        examples += length + (examples[length] == '\n');
    }
    text_puts(out, ".fi\n");
}

void man_program(struct text *out, const char *version)
{
    title(out, "assay", version);
    text_puts(out, ".SH NAME\nassay \\- tell how far performance counters can be trusted\n"
                   ".SH SYNOPSIS\n.B assay\n[\\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR] "
                   "\\fICOMMAND\\fR [\\fIoptions\\fR]\n.SH DESCRIPTION\n");
    prose(out, "assay measures code whose counts are known beforehand, through every way a count "
               "can be had on this machine, and says what each count is worth: its error, its "
               "cause, and how to measure so that the error is smallest.");
    text_puts(out,
              ".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR [\\fICOMMAND\\fR]\n"
              "Print help, on a command where one is named.\n"
              ".TP\n\\fB\\-\\-version\\fR\nPrint the version.\n"
              ".TP\n\\fB\\-\\-man\\fR [\\fICOMMAND\\fR]\nPrint a manual page in roff.\n"
              ".TP\n\\fB\\-\\-completion\\fR \\fISHELL\\fR\nPrint what completes command lines "
              "in bash, zsh or fish; an installation has them where these shells look.\n"
              ".SH COMMANDS\n");
    for (const struct command *const *at = command_registry; *at; at++) {
        text_puts(out, ".TP\n\\fBassay ");
        escape(out, (*at)->name);
        text_puts(out, "\\fR\n");
        escape(out, (*at)->summary);
        text_puts(out, ".\n");
    }
    exit_section(out, exit_meanings);
    text_puts(out,
              ".SH ENVIRONMENT\n.TP\n.B ASSAY_KIT\nThe folder that holds the probe and its "
              "harness executables, instead of the installed one.\n.TP\n.B ASSAY_LAB\n"
              "The folder that holds the kernels of the lab; without it XDG_CACHE_HOME/assay/lab "
              "or ~/.cache/assay/lab.\n.TP\n.B ASSAY_QEMU\nThe program that emulates, instead "
              "of the one in PATH.\n.TP\n.B NO_COLOR\n"
              "No colours, whatever the terminal offers.\n.TP\n.B XDG_STATE_HOME\n"
              "Runs are stored below its folder assay; without it below "
              "~/.local/state.\n.SH SEE ALSO\n");
    for (const struct command *const *at = command_registry; *at; at++) {
        text_puts(out, ".BR assay\\-");
        escape(out, (*at)->name);
        text_puts(out, " (1),\n");
    }
    text_puts(out, ".BR perf_event_open (2)\n");
}

void man_command(struct text *out, const struct command *command, const char *version)
{
    AUTO_TEXT struct text words = {0};
    described(command, &words);
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "assay-%s", command->name);
    title(out, text_string(&name), version);
    text_puts(out, ".SH NAME\n");
    escape(out, text_string(&name));
    text_puts(out, " \\- ");
    escape(out, command->summary);
    text_puts(out, "\n.SH SYNOPSIS\n\\fBassay ");
    escape(out, command->name);
    text_puts(out, "\\fR ");
    escape(out, command->synopsis);
    text_puts(out, "\n.SH DESCRIPTION\n");
    prose(out, text_string(&words));
    text_puts(out, ".SH OPTIONS\n");
    for (size_t i = 0; option_at(command, i); i++)
        man_option_entry(out, option_at(command, i));
    if (command->examples)
        example_section(out, command->examples);
    exit_section(out, exit_meanings_of(command));
    text_puts(out, ".SH SEE ALSO\n.BR assay (1)\n");
}

/* ----------------------------------------------------------------------------------------------
 * Parses what a command was given, and runs it. */

/* In the generated registry. */
const struct command *command_find(const char *name)
{
    for (const struct command *const *at = command_registry; *at; at++) {
        if (strcmp((*at)->name, name) == 0)
            return *at;
    }
    return NULL;
}

int invoke(const struct command *command, int argc, char **argv, struct retold *retold)
{
    struct memory_scope scope;
    memory_scope_begin(&scope);
    memory_scope_ends_with(command->passes_on ? EXIT_OURS : EXIT_FAILED);
    void *options = memory_new(1, command->options_size);
    /* getopt moves the words about; records show them as they were given. */
    char **given = memory_new((size_t)argc + 2, sizeof(*given));
    memcpy(given, argv - 1, ((size_t)argc + 1) * sizeof(*given));
    struct common_options *common = options;
    common->argc = argc + 1;
    common->argv = given;
    common->retold = retold;
    struct failure failure = {0};
    int first = 1, status;
    int error = options_parse(command, argc, argv, options, &first, &failure);
    if (common->help) {
        AUTO_TEXT struct text out = {0};
        help_command(&out, command);
        fputs(text_string(&out), stdout);
        status = EXIT_DONE;
    } else if (error < 0) {
        status =
            deliver_failure(command->name, &failure, error == -EINVAL ? EXIT_USAGE : EXIT_FAILED);
        status = command->passes_on ? EXIT_OURS : status;
        fprintf(stderr, "Try `assay %s --help`.\n", command->name);
    } else {
        status = command->study ? study_run(command, options, argc - first, argv + first)
                                : command->run(options, argc - first, argv + first);
    }
    memory_scope_end(&scope);
    return status;
}

int retell(const char *const *words, size_t count, struct retold *retold)
{
    const struct command *command = command_find(words[0]);
    /* The whole line, "assay" first; the words may be moved about. */
    AUTO_MEMORY char **line = memory_new(count + 2, sizeof(*line));
    static char program[] = "assay";
    line[0] = program;
    memcpy(line + 1, words, count * sizeof(*line));
    return invoke(command, (int)count, line + 1, retold);
}

/* ----------------------------------------------------------------------------------------------
 * What the JSON of every command is made of, from the tables of all of them. */

static void put_json(json_t *schema, struct text *out)
{
    char *dump = json_dumps(schema, JSON_INDENT(1));
    text_printf(out, "%s\n", dump ? dump : "");
    free(dump);
    json_decref(schema);
}

bool schema_put(const char *what, struct text *out)
{
    struct described *commands = NULL;
    size_t count = 0;
    for (const struct command *const *at = command_registry; *at; at++) {
        const struct fields *file = (*at)->leaves;
        if (what && file && strcmp(what, file->name) == 0) {
            put_json(schema_of_table(file), out);
            return true;
        }
        *memory_add(commands, count) =
            (struct described){(*at)->name, (*at)->results, (*at)->instead, (*at)->analysis};
    }
    const struct schema_envelope envelope = {&machine_table, &skipped_table, &finding_table,
                                             &gate_table,    commands,       count};
    if (!what)
        put_json(schema_json(&envelope), out);
    else if (strcmp(what, "reference") == 0)
        schema_put_reference(&envelope, out);
    else
        return false;
    return true;
}
