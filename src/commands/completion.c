/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which script a shell gets, and what can follow an option or stand as an argument, whatever the
 * shell. */
#include <ctype.h>
#include <string.h>

#include "commands/help.h"
#include "engine/options.h"

/* ----------------------------------------------------------------------------------------------
 * What can follow an option or stand as an argument, whatever the shell. */

#define SHELLS "bash zsh fish"

/* Every command, at *at, whose name a shell reads as it is. */
#define EACH_COMMAND()                                                                             \
    for (const struct command *const *at = command_registry; *at; at++)                            \
        if (completion_is_plain((*at)->name))
/* The same of the options of `command`, as `spec`. */
#define EACH_OPTION()                                                                              \
    for (size_t i = 0; (spec = option_at(command, i)); i++)                                        \
        if (completion_is_plain(spec->name))

/* Options of the program itself. */
struct completion_own {
    const char *name; /* "--help" */
    const char *help;
    bool command; /* the name of a command may follow */
    bool shell;   /* the name of a shell follows */
};
static const struct completion_own completion_own[] = {
    {"--help", "print help", true, false},
    {"--version", "print the version", false, false},
    {"--man", "print a manual page in roff", true, false},
    {"--completion", "print a script for a shell", false, true},
    {0},
};

/* Letters, digits and what shells read as themselves: nothing that a shell evaluates or splits. */
static bool completion_is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.:/+";
    return *word && word[strspn(word, plain)] == '\0';
}

/* Has it one, and is that plain? */
static bool completion_has_letter(const struct option_spec *spec)
{
    const char letter[] = {spec->letter, '\0'};
    return completion_is_plain(letter);
}

void completion_put_quoted(const char *sentence, struct text *out)
{
    text_putc(out, '\'');
    for (; *sentence; sentence++) {
        if (*sentence == '\'')
            text_puts(out, "'\\''");
        else
            text_putc(out, iscntrl((unsigned char)*sentence) ? ' ' : *sentence);
    }
    text_putc(out, '\'');
}

#define LEAST_BRIEF 12 /* bytes: what is said first in less is of what, "run: the CPU" */

void completion_put_brief(const char *sentence, struct text *out)
{
    const char *end = sentence;
    while (*end &&
           !((*end == ':' || *end == ';') && end[1] == ' ' && end - sentence >= LEAST_BRIEF))
        end++;
    text_append(out, sentence, (size_t)(end - sentence));
}

static bool is_file(const char *argument)
{
    static const char *const files[] = {"FILE", "STORE"};
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (strcmp(files[i], argument) == 0)
            return true;
    return false;
}

/* "on|off" names its words itself. */
static bool put_alternatives(const char *argument, struct text *words)
{
    AUTO_TEXT struct text all = {0};
    size_t count = 0;
    for (const char *at = argument; *at; at += *at == '|') {
        const size_t length = strcspn(at, "|");
        AUTO_TEXT struct text word = {0};
        text_append(&word, at, length);
        if (!completion_is_plain(text_string(&word)))
            return false;
        text_printf(&all, "%s%s", count++ ? " " : "", text_string(&word));
        at += length;
    }
    if (count > 1)
        text_puts(words, text_string(&all));
    return count > 1;
}

/* What follows an option. words: those few, with a space between. */
static enum completion_kind completion_of(const struct command *command,
                                          const struct option_spec *spec, struct text *words)
{
    if (!spec->argument)
        return COMPLETION_NOTHING;
    if (is_file(spec->argument))
        return COMPLETION_FILE;
    if (strcmp(spec->argument, "DIR") == 0)
        return COMPLETION_FOLDER;
    if (!put_alternatives(spec->argument, words) &&
        !completion_words(command, spec->argument, words))
        return COMPLETION_ANY;
    return (spec->type & OPTION_TYPES) == OPTION_LIST ? COMPLETION_LIST : COMPLETION_WORDS;
}

/* Words of a synopsis in small letters are to be typed as they are: "install [ISA] | list". */
static bool is_literal(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)word[i]))
            return false;
    return length > 0;
}

/* "[STORE]" and "FILE..." are files. */
static bool names_file(const char *word)
{
    char name[32];
    size_t length = 0;
    word += strspn(word, "[");
    while (length < sizeof(name) - 1 && isupper((unsigned char)word[length]))
        length++;
    memcpy(name, word, length);
    name[length] = '\0';
    return is_file(name);
}

enum completion_kind completion_of_arguments(const struct command *command, struct text *words)
{
    bool file = false, option = false;
    for (const char *at = command->synopsis; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (is_literal(at, length))
            text_printf(words, "%s%.*s", words->length ? " " : "", (int)length, at);
        file |= !option && names_file(at);
        /* What follows an option is its own. */
        option = at[0] == '-' || (at[0] == '[' && at[1] == '-');
        at += length;
    }
    if (words->length)
        return COMPLETION_WORDS;
    return file ? COMPLETION_FILE : COMPLETION_NOTHING;
}

/* ----------------------------------------------------------------------------------------------
 * Completion for bash: one function that needs nothing but bash. Words are compared, never given
 * to compgen -W, which would evaluate them. */

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

static void put_option(const struct option_spec *spec, struct text *out)
{
    text_printf(out, " --%s", spec->name);
    if (completion_has_letter(spec))
        text_printf(out, " -%c", spec->letter);
}

/* Plain words, as a list for a shell. */
static void put_words(const char *words, struct text *out)
{
    if (words[0])
        text_printf(out, " %s", words);
}

static void put_case(const struct command *command, const struct option_spec *spec,
                     struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const enum completion_kind kind = completion_of(command, spec, &words);
    if (kind == COMPLETION_NOTHING || kind == COMPLETION_ANY)
        return;
    text_printf(out, "    %s::--%s", command->name, spec->name);
    if (completion_has_letter(spec))
        text_printf(out, " | %s::-%c", command->name, spec->letter);
    text_puts(out, ") ");

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
    const struct option_spec *spec;
    text_printf(out, "    %s)\n        options=(", command->name);
    EACH_OPTION()
    put_option(spec, out);
    /* Those that take something, with blanks around each. */
    text_puts(out, " )\n        takes='");
    EACH_OPTION()
    if (spec->argument)
        put_option(spec, out);
    text_printf(out, " '\n        passes=%s\n        ;;\n", command->passes_on ? "yes" : "");
}

/* What its options take, and what its arguments are. */
static void put_cases(struct text *out, const struct command *command)
{
    const struct option_spec *spec;
    AUTO_TEXT struct text words = {0};
    const enum completion_kind kind = completion_of_arguments(command, &words);
    EACH_OPTION()
    put_case(command, spec, out);
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

static void completion_bash(struct text *out)
{
    text_puts(out, head);
    text_puts(out, "_assay_commands=(");
    EACH_COMMAND()
    text_printf(out, " %s", (*at)->name);
    text_puts(out, " )\n_assay_own=(");
    for (const struct completion_own *own = completion_own; own->name; own++)
        text_printf(out, " %s", own->name);
    text_printf(out, " -h )\n\n%s    case $command in\n", body);
    EACH_COMMAND()
    put_command(out, *at);
    for (const struct completion_own *own = completion_own; own->name; own++) {
        if (own->command)
            text_printf(out,
                        "    %s)\n        _assay_words \"$typed\" \"${_assay_commands[@]}\"\n"
                        "        return\n        ;;\n",
                        own->name);
        if (own->shell)
            text_printf(out,
                        "    %s)\n        _assay_words \"$typed\" " SHELLS
                        "\n        return\n        ;;\n",
                        own->name);
    }
    text_puts(out, "    help)\n        _assay_words \"$typed\" \"${_assay_commands[@]}\"\n"
                   "        return\n        ;;\n    *) return ;;\n");

    text_printf(out, "    esac\n%s", tail);
    EACH_COMMAND()
    put_cases(out, *at);
    text_puts(out, "    esac\n}\ncomplete -F _assay assay\n");
}

/* ----------------------------------------------------------------------------------------------
 * Completion for fish: a line for each command and option, with the sentence of help beside it.
 * What stands behind -a is evaluated by fish, so it holds plain words alone. */

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

/* For lists with commas fish has a function. */
static void put_taken(enum completion_kind kind, const char *words, struct text *out)
{
    static const struct {
        const char *before, *after; /* after NULL: no words */
    } forms[] = {[COMPLETION_NOTHING] = {"", NULL},
                 [COMPLETION_ANY] = {" -x", NULL},
                 [COMPLETION_FILE] = {" -r -F", NULL},
                 [COMPLETION_FOLDER] = {" -x -a '(__fish_complete_directories)'", NULL},
                 [COMPLETION_WORDS] = {" -x -a '", "'"},
                 [COMPLETION_LIST] = {" -x -a '(__fish_append , ", ")'"}};
    text_puts(out, forms[kind].before);
    if (forms[kind].after)
        text_printf(out, "%s%s", words, forms[kind].after);
}

static void fish_put_option(const struct command *command, const struct option_spec *spec,
                            struct text *out)
{
    AUTO_TEXT struct text words = {0}, brief = {0};
    const enum completion_kind kind = completion_of(command, spec, &words);
    put_line(for_command, command->name, out);
    if (completion_has_letter(spec))
        text_printf(out, " -s %c", spec->letter);
    text_printf(out, " -l %s", spec->name);
    put_taken(kind, text_string(&words), out);
    text_puts(out, " -d ");
    completion_put_brief(spec->help, &brief);
    put_quoted(text_string(&brief), out);
    text_putc(out, '\n');
}

static void fish_put_command(const struct command *command, struct text *out)
{
    const struct option_spec *spec;
    put_line("__assay_needs_command", NULL, out);
    text_printf(out, " -a %s -d ", command->name);
    put_quoted(command->summary, out);
    text_putc(out, '\n');
    EACH_OPTION()
    fish_put_option(command, spec, out);
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

static void completion_fish(struct text *out)
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
    for (const struct completion_own *own = completion_own; own->name; own++) {
        put_line("__assay_needs_command", NULL, out);
        text_printf(out, "%s -l %s", strcmp(own->name, "--help") == 0 ? " -s h" : "",
                    own->name + 2);
        text_printf(out, "%s -d '%s'\n", own->shell ? " -x -a '" SHELLS "'" : "", own->help);
    }
    put_line("__assay_needs_command", NULL, out);
    text_puts(out, " -a help -d 'explain a command'\n");
    put_line(for_command, "help --man --help", out);
    text_puts(out, " -a '");
    EACH_COMMAND()
    text_printf(out, "%s%s", at == command_registry ? "" : " ", (*at)->name);
    text_puts(out, "'\n");

    EACH_COMMAND()
    fish_put_command(*at, out);
}

/* ----------------------------------------------------------------------------------------------
 * Completion for zsh: a function for _arguments, with the sentence of help beside each option. */

/* A sentence within a specification of _arguments: brackets and colons part it, a backslash takes
 * that from them. */
static void put_escaped(const char *sentence, const char *special, struct text *out)
{
    for (; *sentence; sentence++) {
        if (strchr(special, *sentence))
            text_putc(out, '\\');
        text_putc(out, *sentence);
    }
}

static void put_sentence(const char *sentence, struct text *out)
{
    put_escaped(sentence, "[]:\\", out);
}

static void put_action(enum completion_kind kind, const char *argument, const char *words,
                       struct text *out)
{
    if (kind == COMPLETION_LIST)
        text_printf(out, "_values -s , %s ", argument);
    else
        text_puts(out, kind == COMPLETION_FILE     ? "_files"
                       : kind == COMPLETION_FOLDER ? "_files -/"
                       : kind == COMPLETION_WORDS  ? "("
                                                   : " ");
    if (kind == COMPLETION_WORDS || kind == COMPLETION_LIST)
        put_escaped(words, ":", out);
    text_puts(out, kind == COMPLETION_WORDS ? ")" : "");
}

static void put_form(const struct command *command, const struct option_spec *spec, bool letter,
                     struct text *out)
{
    AUTO_TEXT struct text words = {0}, form = {0}, brief = {0};
    const enum completion_kind kind = completion_of(command, spec, &words);
    /* What may be given once excludes itself in its other form. */
    if ((spec->type & OPTION_TYPES) == OPTION_LIST || (spec->type & OPTION_TYPES) == OPTION_FILES)
        text_putc(&form, '*');
    else if (completion_has_letter(spec))
        text_printf(&form, "(-%c --%s)", spec->letter, spec->name);

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
    text_puts(out, " \\\n            ");
    completion_put_quoted(text_string(&form), out);
}

static void zsh_put_command(const struct command *command, struct text *out)
{
    const struct option_spec *spec;
    text_printf(out, "        %s)\n        _arguments -s -S", command->name);
    EACH_OPTION()
    for (int letter = completion_has_letter(spec); letter >= 0; letter--)
        put_form(command, spec, letter, out);
    AUTO_TEXT struct text words = {0};
    const enum completion_kind kind = completion_of_arguments(command, &words);
    if (command->passes_on)
        text_puts(out, " \\\n            '(-)1:command:_command_names -e'"
                       " \\\n            '*::arguments:_normal'");
    else if (kind == COMPLETION_WORDS)
        text_printf(out, " \\\n            '1:what:(%s)'", text_string(&words));
    else if (kind == COMPLETION_FILE)
        text_puts(out, " \\\n            '*:file:_files'");

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

static void completion_zsh(struct text *out)
{
    text_puts(out, "#compdef assay\n"
                   "# zsh completion for assay, made by `assay --completion zsh`.\n\n"
                   "_assay_commands() {\n    local -a commands=(\n");
    EACH_COMMAND()
    put_described((*at)->name, (*at)->summary, out);
    put_described("help", "explain a command", out);
    text_puts(out, "    )\n    _describe command commands\n}\n\n"
                   "_assay() {\n    local state line curcontext=\"$curcontext\"\n"
                   "    typeset -A opt_args\n");
    text_puts(out, "    _arguments -C");
    for (const struct completion_own *own = completion_own; own->name; own++) {
        text_printf(out, " \\\n        '(- *)%s[%s]", own->name, own->help);
        if (own->command)
            text_puts(out, "::command:_assay_commands");
        text_puts(out, own->shell ? ":shell:(" SHELLS ")'" : "'");
    }
    text_puts(out, " \\\n        '(- *)-h[print help]::command:_assay_commands'"
                   " \\\n        '1:command:_assay_commands' \\\n        '*::options:->options' "
                   "&& return\n");

    text_puts(out, "    [[ $state == options ]] || return\n"
                   "    curcontext=\"${curcontext%:*}-$line[1]:\"\n"
                   "    case $line[1] in\n");
    EACH_COMMAND()
    zsh_put_command(*at, out);
    text_puts(out, "        help) _assay_commands ;;\n    esac\n}\n\n"
                   "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n    _assay \"$@\"\n"
                   "else\n    compdef _assay assay\nfi\n");
}

/* ----------------------------------------------------------------------------------------------
 * Which script a shell gets. */

bool completion_put(const char *shell, struct text *out)
{
    static const struct {
        const char *shell;
        void (*put)(struct text *out);
    } all[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (strcmp(all[i].shell, shell) == 0) {
            all[i].put(out);
            return true;
        }
    return false;
}
