/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion for bash: one function that needs nothing but bash. Words are compared, never given to
 * compgen -W, which would evaluate them. */
#include "cli/completion.h"
#include "engine/options.h"

static const char head[] =
    "# bash completion for assay, made by `assay --completion bash`.\n"
    "\n"
    "# Those of the words $2... that begin with $1.\n"
    "_assay_words() {\n"
    "    local typed=$1 word\n"
    "    shift\n"
    "    for word in \"$@\"; do\n"
    "        [[ $word == \"$typed\"* ]] && COMPREPLY+=(\"$word\")\n"
    "    done\n"
    "    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null\n"
    "    return 0\n"
    "}\n"
    "\n"
    "# Files (-f), folders (-d) or commands (-c) that begin with $2.\n"
    "_assay_names() {\n"
    "    local name\n"
    "    while IFS= read -r name; do\n"
    "        COMPREPLY+=(\"$name\")\n"
    "    done < <(compgen \"$1\" -- \"$2\")\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    return 0\n"
    "}\n"
    "\n"
    "# The same behind the last comma of $1.\n"
    "_assay_list() {\n"
    "    local typed=$1 before= i\n"
    "    shift\n"
    "    [[ $typed == *,* ]] && before=${typed%,*},\n"
    "    _assay_words \"${typed##*,}\" \"$@\"\n"
    "    for i in \"${!COMPREPLY[@]}\"; do\n"
    "        COMPREPLY[i]=$before${COMPREPLY[i]}\n"
    "    done\n"
    "}\n"
    "\n";

/* What stands before the cursor: which command, after which option, and behind how many arguments.
 * Bash parts --option=value at the sign. */
static const char body[] =
    "_assay() {\n"
    "    local typed=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local command=${COMP_WORDS[1]} takes= kind= passes= arguments=0 i\n"
    "    local -a options=()\n"
    "    COMPREPLY=()\n"
    "    if [[ $typed == = ]]; then\n"
    "        typed=\n"
    "    elif [[ $before == = && COMP_CWORD -gt 2 ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        _assay_words \"$typed\" \"${_assay_commands[@]}\" help \"${_assay_own[@]}\"\n"
    "        return\n"
    "    fi\n";

static const char tail[] =
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in\n"
    "        --) arguments=$((COMP_CWORD - i)); break ;;\n"
    "        =) ((i++)) ;;\n"
    "        -*) [[ $takes == *\" ${COMP_WORDS[i]} \"* && ${COMP_WORDS[i + 1]} != = ]] && ((i++)) "
    ";;\n"
    "        *)\n"
    "            ((arguments++))\n"
    "            [[ $passes ]] && { arguments=$((COMP_CWORD - i + 1)); break; }\n"
    "            ;;\n"
    "        esac\n"
    "    done\n"
    "    if [[ $passes && arguments -gt 0 ]]; then\n"
    "        ((arguments == 1)) && _assay_names -c \"$typed\"\n"
    "        _assay_names -f \"$typed\"\n"
    "        return\n"
    "    fi\n"
    "    if [[ $takes != *\" $before \"* ]]; then\n"
    "        kind=arguments\n"
    "    fi\n"
    "    case $command:$kind:$before in\n";

struct writing {
    struct text *out;
    const struct command *command;
};

static void put_option(void *context, const struct option_spec *spec)
{
    const struct writing *writing = context;
    if (!completion_is_plain(spec->name))
        return;
    text_printf(writing->out, " --%s", spec->name);
    if (completion_has_letter(spec))
        text_printf(writing->out, " -%c", spec->letter);
}

/* Options that take something, with blanks around each. */
static void put_taking(void *context, const struct option_spec *spec)
{
    if (spec->argument)
        put_option(context, spec);
}

/* Plain words, as a list for a shell. */
static void put_words(const char *words, struct text *out)
{
    if (words[0])
        text_printf(out, " %s", words);
}

static void put_pattern(struct text *out, const struct command *command,
                        const struct option_spec *spec)
{
    text_printf(out, "    %s::--%s", command->name, spec->name);
    if (completion_has_letter(spec))
        text_printf(out, " | %s::-%c", command->name, spec->letter);
    text_puts(out, ") ");
}

static void put_case(void *context, const struct option_spec *spec)
{
    const struct writing *writing = context;
    struct text *out = writing->out;
    AUTO_TEXT struct text words = {0};
    const enum completion_kind kind = completion_of(writing->command, spec, &words);
    if (kind == COMPLETION_NOTHING || kind == COMPLETION_ANY || !completion_is_plain(spec->name))
        return;
    put_pattern(out, writing->command, spec);
    if (kind == COMPLETION_FILE || kind == COMPLETION_FOLDER)
        text_printf(out, "_assay_names %s \"$typed\"", kind == COMPLETION_FILE ? "-f" : "-d");
    else
        text_puts(out,
                  kind == COMPLETION_LIST ? "_assay_list \"$typed\"" : "_assay_words \"$typed\"");
    put_words(text_string(&words), out);
    text_puts(out, " ;;\n");
}

/* Which options a command has, and which of them take something. */
static void put_command(struct text *out, const struct command *command)
{
    struct writing writing = {out, command};
    text_printf(out, "    %s)\n        options=(", command->name);
    options_each(command, put_option, &writing);
    text_puts(out, " )\n        takes='");
    options_each(command, put_taking, &writing);
    text_printf(out, " '\n        passes=%s\n        ;;\n", command->passes_on ? "yes" : "");
}

/* What its options take, and what its arguments are. */
static void put_cases(struct text *out, const struct command *command)
{
    struct writing writing = {out, command};
    AUTO_TEXT struct text words = {0};
    const enum completion_kind kind = completion_of_arguments(command, &words);
    options_each(command, put_case, &writing);
    text_printf(out, "    %s:arguments:*)\n", command->name);
    text_puts(out, "        if [[ $typed == -* ]]; then\n"
                   "            _assay_words \"$typed\" \"${options[@]}\"\n");
    if (command->passes_on)
        text_puts(out, "        else\n            _assay_names -c \"$typed\"\n");
    else if (kind == COMPLETION_WORDS)
        text_printf(out,
                    "        elif ((arguments == 0)); then\n"
                    "            _assay_words \"$typed\" %s\n",
                    text_string(&words));
    else if (kind == COMPLETION_FILE)
        text_puts(out, "        else\n            _assay_names -f \"$typed\"\n");
    text_puts(out, "        fi\n        ;;\n");
}

static void put_own_cases(struct text *out)
{
    for (const struct completion_own *own = completion_own; own->name; own++) {
        if (own->command)
            text_printf(out,
                        "    %s)\n        _assay_words \"$typed\" \"${_assay_commands[@]}\"\n"
                        "        return\n        ;;\n",
                        own->name);
        if (!own->shell)
            continue;
        text_printf(out, "    %s)\n        _assay_words \"$typed\"", own->name);
        for (size_t i = 0; completion_shells[i]; i++)
            text_printf(out, " %s", completion_shells[i]);
        text_puts(out, "\n        return\n        ;;\n");
    }
    text_puts(out, "    help)\n        _assay_words \"$typed\" \"${_assay_commands[@]}\"\n"
                   "        return\n        ;;\n    *) return ;;\n");
}

void completion_bash(struct text *out)
{
    text_puts(out, head);
    text_puts(out, "_assay_commands=(");
    for (const struct command *const *at = command_registry; *at; at++)
        if (completion_is_plain((*at)->name))
            text_printf(out, " %s", (*at)->name);
    text_puts(out, " )\n_assay_own=(");
    for (const struct completion_own *own = completion_own; own->name; own++)
        text_printf(out, " %s", own->name);
    text_printf(out, " -h )\n\n%s    case $command in\n", body);
    for (const struct command *const *at = command_registry; *at; at++)
        if (completion_is_plain((*at)->name))
            put_command(out, *at);
    put_own_cases(out);
    text_printf(out, "    esac\n%s", tail);
    for (const struct command *const *at = command_registry; *at; at++)
        if (completion_is_plain((*at)->name))
            put_cases(out, *at);
    text_puts(out, "    esac\n}\ncomplete -F _assay assay\n");
}
