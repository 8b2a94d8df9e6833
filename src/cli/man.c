/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Manual pages in roff, from the same tables that parse the options; the build calls
 * `assay --man COMMAND` to make the pages it installs. */
#include "commands/help.h"

#include <ctype.h>
#include <string.h>

#include "engine/options.h"

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

static void option_entry(void *context, const struct option_spec *spec)
{
    struct text *out = context;
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
    prose(out, command->description);
    text_puts(out, ".SH OPTIONS\n");
    options_each(command, option_entry, out);
    if (command->examples)
        example_section(out, command->examples);
    exit_section(out, exit_meanings_of(command));
    text_puts(out, ".SH SEE ALSO\n.BR assay (1)\n");
}
