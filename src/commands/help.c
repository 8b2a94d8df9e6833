/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Help texts and manual pages, from the same tables that parse the options. */
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

/* Options of the program itself; each ends its command line, perhaps behind one more word. */
const struct option_spec program_options[] = {
    {'h', "help", OPTION_FLAG, "[COMMAND]", "print this help, or that of a command", 0, NULL},
    {0, "version", OPTION_FLAG, NULL, "print the version", 0, NULL},
    {0, "man", OPTION_FLAG, "[COMMAND]", "print a manual page in roff, for man -l", 0, NULL},
    {0, "completion", OPTION_STRING, "SHELL",
     "print what completes command lines in bash, zsh or fish", 0, NULL,
     .words = ONE_OF("bash", "zsh", "fish")},
    {0},
};

/* ----------------------------------------------------------------------------------------------
 * A page: help for a terminal, or a manual page in roff, which the build asks for with `assay
 * --man` and installs. */

struct page {
    struct text *out;
    bool roff;
};

/* Words as roff text: a backslash would start an escape, a hyphen is typeset as a dash, and a dot
 * or quote at the start of a line is a request. */
static void escape(struct text *out, const char *words)
{
    for (; *words; words++) {
        const bool line_start = !out->length || out->bytes[out->length - 1] == '\n';
        if (line_start && (*words == '.' || *words == '\''))
            text_puts(out, "\\&");
        if (*words == '\\')
            text_puts(out, "\\e");
        else if (*words == '-')
            text_puts(out, "\\-");
        else
            text_putc(out, *words);
    }
}

/* Letters as they are printed on a page of this kind. */
static void put(struct page *page, const char *words)
{
    if (page->roff)
        escape(page->out, words);
    else
        text_puts(page->out, words);
}

static void heading(struct page *page, const char *words)
{
    if (!page->roff) {
        text_printf(page->out, "\n%s:\n", words);
        return;
    }
    text_puts(page->out, ".SH ");
    for (; *words; words++)
        text_putc(page->out, (char)toupper((unsigned char)*words));
    text_putc(page->out, '\n');
}

/* A name at NAME_COLUMN and its help beside it, or below when the name is long. argument: what
 * follows it; NULL: nothing. */
static void entry(struct page *page, const char *name, const char *argument, const char *help)
{
    struct text *out = page->out;
    if (page->roff) {
        text_puts(out, ".TP\n\\fB");
        escape(out, name);
        text_puts(out, argument ? "\\fR \\fI" : "");
        escape(out, argument ? argument : "");
        text_puts(out, "\\fR\n");
        escape(out, help);
        text_puts(out, ".\n");
        return;
    }
    const size_t line = out->length;
    text_printf(out, "%*s%s%s%s", NAME_COLUMN, "", name, argument ? " " : "",
                argument ? argument : "");
    size_t at = out->length - line;
    if (at + 2 > TEXT_COLUMN) {
        text_putc(out, '\n');
        at = 0;
    }
    text_printf(out, "%*s", (int)(TEXT_COLUMN - at), "");
    wrap(out, help, TEXT_COLUMN, TEXT_COLUMN, HELP_WIDTH);
}

static void option_entry(struct page *page, const struct option_spec *spec)
{
    AUTO_TEXT struct text name = {0}, help = {0};
    if (spec->letter)
        text_printf(&name, "-%c, --%s", spec->letter, spec->name);
    else
        text_printf(&name, "%s--%s", page->roff ? "" : "    ", spec->name);
    text_puts(&help, spec->help);
    if (spec->initial)
        text_printf(&help, " (default: %s)", spec->initial);
    entry(page, text_string(&name), spec->argument, text_string(&help));
}

static void exit_entries(struct page *page, const struct exit_meaning *exit)
{
    heading(page, "Exit status");
    for (; exit->meaning; exit++) {
        const char *const code = memory_format("%d", exit->code);
        if (page->roff)
            entry(page, code, NULL, exit->meaning);
        else
            text_printf(page->out, "%*s%-5s%s\n", NAME_COLUMN, "", code, exit->meaning);
    }
}

/* Example lines are commands; comment lines lead them. */
static void example_entries(struct page *page, const char *examples)
{
    heading(page, "Examples");
    text_puts(page->out, page->roff ? ".nf\n" : "");
    while (*examples) {
        const size_t length = strcspn(examples, "\n");
        text_printf(page->out, "%*s", page->roff ? 0 : NAME_COLUMN, "");
        put(page, memory_format("%.*s\n", (int)length, examples));
        examples += length + (examples[length] == '\n');
    }
    text_puts(page->out, page->roff ? ".fi\n" : "");
}

/* Prose in roff: an empty line becomes a paragraph. */
static void paragraphs(struct text *out, const char *words)
{
    while (*words) {
        const char *const gap = strstr(words, "\n\n");
        const size_t length = gap ? (size_t)(gap - words) : strlen(words);
        escape(out, memory_format("%.*s\n", (int)length, words));
        words += length + strspn(words + length, "\n");
        text_puts(out, gap ? ".PP\n" : "");
    }
}

/* What it is called, what it is for, and how it is written. */
static void opening(struct page *page, const struct command *command, const char *description)
{
    struct text *out = page->out;
    const char *const name = command->name ? memory_format("assay %s", command->name) : "assay";
    if (!page->roff) {
        text_printf(out, "usage: %s %s\n\n", name, command->synopsis);
        wrap(out, description, 0, 0, HELP_WIDTH);
        return;
    }
    char *const file = memory_copy(name), *const title = memory_copy(name);
    for (size_t i = 0; name[i]; i++) {
        file[i] = name[i] == ' ' ? '-' : name[i];
        title[i] = (char)toupper((unsigned char)file[i]);
    }
    text_puts(out, ".TH ");
    escape(out, title);
    text_puts(out, " 1 \"\" \"assay " ASSAY_VERSION "\" \"User Commands\"\n.SH NAME\n");
    escape(out, memory_format("%s - %s", file, command->summary));
    text_puts(out, "\n.SH SYNOPSIS\n\\fB");
    escape(out, name);
    text_puts(out, "\\fR ");
    escape(out, command->synopsis);
    text_puts(out, "\n.SH DESCRIPTION\n");
    paragraphs(out, description);
}

static const struct command itself = {
    .synopsis = "[--help | --version] COMMAND [options]",
    .summary = "tell how far performance counters can be trusted",
    .description =
        "Tells how far each performance counter of a machine can be trusted, why, and how to "
        "measure so that the error is smallest: every count with its error bar.",
};

static void command_entries(struct page *page)
{
    static const char *const titles[] = {
        [GROUP_ALL] = "To begin with",
        [GROUP_MACHINE] = "What there is to count, and what is in the way",
        [GROUP_STUDY] = "How a machine counts, one question each",
        [GROUP_PROGRAM] = "Counts of a program",
        [GROUP_STORED] = "Runs that were stored",
    };
    for (size_t group = 0; group < sizeof(titles) / sizeof(titles[0]); group++) {
        heading(page, titles[group]);
        for (const struct command *const *at = command_registry; *at; at++)
            if ((*at)->group == (enum command_group)group)
                entry(page, page->roff ? memory_format("assay %s", (*at)->name) : (*at)->name, NULL,
                      (*at)->summary);
    }
}

static void put_program(struct page *page)
{
    opening(page, &itself, itself.description);
    command_entries(page);
    heading(page, "Options");
    for (const struct option_spec *spec = program_options; spec->name; spec++)
        option_entry(page, spec);
    exit_entries(page, exit_meanings);
    if (!page->roff) {
        text_puts(page->out, "\n`assay COMMAND --help` explains a command and its options; begin "
                             "with `assay run\n--quick`.\n");
        return;
    }
    heading(page, "Environment");
    entry(page, "ASSAY_KIT", NULL,
          "The folder that holds the probe and its harness executables, instead of the installed "
          "one");
    entry(page, "ASSAY_LAB", NULL,
          "The folder that holds the kernels of the lab; without it XDG_CACHE_HOME/assay/lab or "
          "~/.cache/assay/lab");
    entry(page, "ASSAY_QEMU", NULL, "The program that emulates, instead of the one in PATH");
    entry(page, "NO_COLOR", NULL, "No colours, whatever the terminal offers");
    entry(page, "XDG_STATE_HOME", NULL,
          "Runs are stored below its folder assay; without it below ~/.local/state");
    heading(page, "See also");
    for (const struct command *const *at = command_registry; *at; at++)
        text_printf(page->out, ".BR assay\\-%s (1),\n", (*at)->name);
    text_puts(page->out, ".BR perf_event_open (2)\n");
}

static void put_command(struct page *page, const struct command *command)
{
    /* Its paragraphs, with what is only known from the registry. */
    AUTO_TEXT struct text words = {0};
    const char *at = command->put_listed ? strstr(command->description, "%s") : NULL;
    if (at) {
        text_append(&words, command->description, (size_t)(at - command->description));
        command->put_listed(&words);
    }
    text_puts(&words, at ? at + 2 : command->description);

    opening(page, command, text_string(&words));
    heading(page, "Options");
    for (size_t i = 0; option_at(command, i); i++)
        option_entry(page, option_at(command, i));
    if (command->examples)
        example_entries(page, command->examples);
    exit_entries(page, exit_meanings_of(command));
    if (page->roff)
        text_puts(page->out, ".SH SEE ALSO\n.BR assay (1)\n");
}

void help_put(const struct command *command, bool roff, struct text *out)
{
    struct page page = {.out = out, .roff = roff};
    struct memory_scope scope;
    memory_scope_begin(&scope);
    if (command)
        put_command(&page, command);
    else
        put_program(&page);
    memory_scope_end(&scope);
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
    struct memory_scope own = {0}, *scope = retold ? &retold->memory : &own;
    memory_scope_begin(scope);
    if (!retold)
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
        help_put(command, false, &out);
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
    if (retold)
        memory_scope_leave(scope);
    else
        memory_scope_end(scope);
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
        *memory_add(commands, count) = (struct described){
            (*at)->name, (*at)->results, (*at)->instead ? (*at)->instead() : NULL, (*at)->analysis};
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
