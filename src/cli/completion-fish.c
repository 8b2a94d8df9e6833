/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion for fish: a line for each command and option, with the sentence of help beside it.
 * What stands behind -a is evaluated by fish, so it holds plain words alone. */
#include <ctype.h>
#include <string.h>

#include "cli/completion.h"
#include "engine/options.h"

/* In fish a backslash before a quote or a backslash is the only escape within single quotes. */
static void put_quoted(const char *sentence, struct text *out)
{
    text_putc(out, '\'');
    for (; *sentence; sentence++) {
        if (*sentence == '\'' || *sentence == '\\')
            text_putc(out, '\\');
        text_putc(out, iscntrl((unsigned char)*sentence) ? ' ' : *sentence);
    }
    text_putc(out, '\'');
}

static void put_line(const char *condition, const char *command, struct text *out)
{
    text_printf(out, "complete -c assay -n '%s%s%s'", condition, command ? " " : "",
                command ? command : "");
}

static const char for_command[] = "__assay_command_is";

struct writing {
    struct text *out;
    const struct command *command;
};

/* For lists with commas fish has a function. */
static void put_taken(enum completion_kind kind, const char *words, struct text *out)
{
    switch (kind) {
    case COMPLETION_NOTHING:
        break;
    case COMPLETION_ANY:
        text_puts(out, " -x");
        break;
    case COMPLETION_FILE:
        text_puts(out, " -r -F");
        break;
    case COMPLETION_FOLDER:
        text_puts(out, " -x -a '(__fish_complete_directories)'");
        break;
    case COMPLETION_WORDS:
        text_printf(out, " -x -a '%s'", words);
        break;
    case COMPLETION_LIST:
        text_printf(out, " -x -a '(__fish_append , %s)'", words);
        break;
    }
}

static void put_option(void *context, const struct option_spec *spec)
{
    const struct writing *writing = context;
    struct text *out = writing->out;
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text brief = {0};
    const enum completion_kind kind = completion_of(writing->command, spec, &words);
    if (!completion_is_plain(spec->name))
        return;
    put_line(for_command, writing->command->name, out);
    if (completion_has_letter(spec))
        text_printf(out, " -s %c", spec->letter);
    text_printf(out, " -l %s", spec->name);
    put_taken(kind, text_string(&words), out);
    text_puts(out, " -d ");
    completion_put_brief(spec->help, &brief);
    put_quoted(text_string(&brief), out);
    text_putc(out, '\n');
}

static void put_arguments(const struct command *command, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const enum completion_kind kind = completion_of_arguments(command, &words);
    if (!command->passes_on && kind == COMPLETION_NOTHING)
        return;
    put_line(for_command, command->name, out);
    if (command->passes_on)
        text_puts(out, " -a '(__fish_complete_subcommand --fcs-skip=2)'\n");
    else if (kind == COMPLETION_FILE)
        text_puts(out, " -F\n");
    else
        text_printf(out, " -a '%s'\n", text_string(&words));
}

static void put_command(const struct command *command, struct text *out)
{
    struct writing writing = {out, command};
    put_line("__assay_needs_command", NULL, out);
    text_printf(out, " -a %s -d ", command->name);
    put_quoted(command->summary, out);
    text_putc(out, '\n');
    options_each(command, put_option, &writing);
    put_arguments(command, out);
}

static void put_own(struct text *out)
{
    for (const struct completion_own *own = completion_own; own->name; own++) {
        put_line("__assay_needs_command", NULL, out);
        text_printf(out, "%s -l %s", strcmp(own->name, "--help") == 0 ? " -s h" : "",
                    own->name + 2);
        text_puts(out, own->shell ? " -x -a '" : "");
        for (size_t i = 0; own->shell && completion_shells[i]; i++)
            text_printf(out, "%s%s", i ? " " : "", completion_shells[i]);
        text_printf(out, "%s -d '%s'\n", own->shell ? "'" : "", own->help);
    }
    put_line("__assay_needs_command", NULL, out);
    text_puts(out, " -a help -d 'explain a command'\n");
    put_line(for_command, "help --man --help", out);
    text_puts(out, " -a '");
    for (const struct command *const *at = command_registry; *at; at++)
        if (completion_is_plain((*at)->name))
            text_printf(out, "%s%s", at == command_registry ? "" : " ", (*at)->name);
    text_puts(out, "'\n");
}

void completion_fish(struct text *out)
{
    text_puts(out, "# fish completion for assay, made by `assay --completion fish`.\n\n"
                   "function __assay_needs_command\n"
                   "    test (count (commandline -opc)) -eq 1\n"
                   "end\n\n"
                   "function __assay_command_is\n"
                   "    set -l words (commandline -opc)\n"
                   "    test (count $words) -gt 1; and contains -- $words[2] $argv\n"
                   "end\n\n"
                   "complete -c assay -f\n");
    put_own(out);
    for (const struct command *const *at = command_registry; *at; at++)
        if (completion_is_plain((*at)->name))
            put_command(*at, out);
}
