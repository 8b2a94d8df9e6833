/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion for zsh: a function for _arguments, with the sentence of help beside each option. */
#include <string.h>

#include "cli/completion.h"
#include "engine/options.h"

/* A sentence within a specification of _arguments: brackets and colons part it, a backslash takes
 * that from them. */
static void put_sentence(const char *sentence, struct text *out)
{
    for (; *sentence; sentence++) {
        if (strchr("[]:\\", *sentence))
            text_putc(out, '\\');
        text_putc(out, *sentence);
    }
}

static void put_colons(const char *words, struct text *out)
{
    for (; *words; words++) {
        if (*words == ':')
            text_putc(out, '\\');
        text_putc(out, *words);
    }
}

static void put_action(enum completion_kind kind, const char *argument, const char *words,
                       struct text *out)
{
    switch (kind) {
    case COMPLETION_FILE:
        text_puts(out, "_files");
        break;
    case COMPLETION_FOLDER:
        text_puts(out, "_files -/");
        break;
    case COMPLETION_WORDS:
        text_puts(out, "(");
        put_colons(words, out);
        text_puts(out, ")");
        break;
    case COMPLETION_LIST:
        text_printf(out, "_values -s , %s ", argument);
        put_colons(words, out);
        break;
    case COMPLETION_NOTHING:
    case COMPLETION_ANY:
        text_putc(out, ' ');
        break;
    }
}

struct writing {
    struct text *out;
    const struct command *command;
};

/* What may be given once excludes itself in its other form. */
static void put_exclusion(const struct option_spec *spec, struct text *out)
{
    if (spec->type == OPTION_LIST || spec->type == OPTION_FILES)
        text_putc(out, '*');
    else if (completion_has_letter(spec))
        text_printf(out, "(-%c --%s)", spec->letter, spec->name);
}

static void put_form(const struct writing *writing, const struct option_spec *spec, bool letter)
{
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text form = {0};
    AUTO_TEXT struct text brief = {0};
    const enum completion_kind kind = completion_of(writing->command, spec, &words);
    put_exclusion(spec, &form);
    if (letter)
        text_printf(&form, "-%c%s", spec->letter, spec->argument ? "+" : "");
    else
        text_printf(&form, "--%s%s", spec->name, spec->argument ? "=" : "");
    text_putc(&form, '[');
    completion_put_brief(spec->help, &brief);
    put_sentence(text_string(&brief), &form);
    text_putc(&form, ']');
    const char *named =
        spec->argument && completion_is_plain(spec->argument) ? spec->argument : spec->name;
    if (spec->argument) {
        text_printf(&form, ":%s:", named);
        put_action(kind, named, text_string(&words), &form);
    }
    text_puts(writing->out, " \\\n            ");
    completion_put_quoted(text_string(&form), writing->out);
}

static void put_option(void *context, const struct option_spec *spec)
{
    const struct writing *writing = context;
    if (!completion_is_plain(spec->name))
        return;
    if (completion_has_letter(spec))
        put_form(writing, spec, true);
    put_form(writing, spec, false);
}

static void put_arguments(const struct command *command, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const enum completion_kind kind = completion_of_arguments(command, &words);
    if (command->passes_on)
        text_puts(out, " \\\n            '(-)1:command:_command_names -e'"
                       " \\\n            '*::arguments:_normal'");
    else if (kind == COMPLETION_WORDS)
        text_printf(out, " \\\n            '1:what:(%s)'", text_string(&words));
    else if (kind == COMPLETION_FILE)
        text_puts(out, " \\\n            '*:file:_files'");
}

static void put_command(const struct command *command, struct text *out)
{
    struct writing writing = {out, command};
    text_printf(out, "        %s)\n        _arguments -s -S", command->name);
    options_each(command, put_option, &writing);
    put_arguments(command, out);
    text_puts(out, "\n        ;;\n");
}

/* "name:summary" for _describe. */
static void put_described(const char *name, const char *words, struct text *out)
{
    AUTO_TEXT struct text described = {0};
    text_printf(&described, "%s:", name);
    put_sentence(words, &described);
    text_puts(out, "        ");
    completion_put_quoted(text_string(&described), out);
    text_putc(out, '\n');
}

static void put_own(struct text *out)
{
    text_puts(out, "    _arguments -C");
    for (const struct completion_own *own = completion_own; own->name; own++) {
        text_printf(out, " \\\n        '(- *)%s[%s]", own->name, own->help);
        if (own->command)
            text_puts(out, "::command:_assay_commands");
        if (own->shell)
            text_puts(out, ":shell:(");
        for (size_t i = 0; own->shell && completion_shells[i]; i++)
            text_printf(out, "%s%s", i ? " " : "", completion_shells[i]);
        text_puts(out, own->shell ? ")'" : "'");
    }
    text_puts(out, " \\\n        '(- *)-h[print help]::command:_assay_commands'"
                   " \\\n        '1:command:_assay_commands' \\\n        '*::options:->options' "
                   "&& return\n");
}

void completion_zsh(struct text *out)
{
    text_puts(out, "#compdef assay\n"
                   "# zsh completion for assay, made by `assay --completion zsh`.\n\n"
                   "_assay_commands() {\n    local -a commands=(\n");
    for (const struct command *const *at = command_registry; *at; at++)
        if (completion_is_plain((*at)->name))
            put_described((*at)->name, (*at)->summary, out);
    put_described("help", "explain a command", out);
    text_puts(out, "    )\n    _describe command commands\n}\n\n"
                   "_assay() {\n    local state line curcontext=\"$curcontext\"\n"
                   "    typeset -A opt_args\n");
    put_own(out);
    text_puts(out, "    [[ $state == options ]] || return\n"
                   "    curcontext=\"${curcontext%:*}-$line[1]:\"\n"
                   "    case $line[1] in\n");
    for (const struct command *const *at = command_registry; *at; at++)
        if (completion_is_plain((*at)->name))
            put_command(*at, out);
    text_puts(out, "        help) _assay_commands ;;\n    esac\n}\n\n"
                   "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n    _assay \"$@\"\n"
                   "else\n    compdef _assay assay\nfi\n");
}
