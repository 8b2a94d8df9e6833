/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion of command lines: shells get a script that asks `assay __complete` at every key, and
 * that answers from the tables by which options are parsed. It asks no machine and no store: what
 * only they know (events, paths, clocks) would take too long for somebody who waits for a key. */
#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "commands/help.h"
#include "engine/options.h"

/* ----------------------------------------------------------------------------------------------
 * The scripts, in the folder completions. Nothing that was typed is evaluated there: words go to
 * assay as they are, and lines come back. A line is a candidate, or TAB and what the shell knows
 * better: "files", "directories", or "command N", a command line of its own from the Nth word on.
 */

bool completion_script(const char *shell, struct text *out)
{
    const struct {
        const char *shell;
        const unsigned char *script;
    } scripts[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
        if (strcmp(scripts[i].shell, shell) == 0) {
            text_puts(out, (const char *)scripts[i].script);
            return true;
        }
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * What is asked: the words before the one that is typed, and that one. */

struct asked {
    const char **words; /* the command's name first */
    size_t *places;     /* of each among the shell's words; one more: of what is typed */
    size_t count;
    const char *typed;
    size_t kept;   /* so many of its bytes the shell leaves as they are */
    bool sentence; /* the shell shows what a candidate is */
    struct text *out;
};

/* Of what bash makes of --option=exec:value: it parts words at these signs, and replaces only what
 * stands behind the last. */
static bool parts_words(const char *word)
{
    return *word && word[strspn(word, "=:")] == '\0';
}

static void read_words(struct asked *asked, const char *const *words, size_t count, bool parted)
{
    asked->words = memory_new(count + 1, sizeof(*asked->words));
    asked->places = memory_new(count + 1, sizeof(*asked->places));
    asked->typed = "";
    for (size_t i = 0, last = 0; i < count; i++) {
        const bool goes_on =
            parted && i > 0 && *words[i] && (parts_words(words[i]) || parts_words(words[i - 1]));
        last = i == 0 ? 0 : goes_on ? last : last + 1;
        asked->kept = goes_on ? strlen(asked->words[last]) : 0;
        asked->words[last] =
            goes_on ? memory_format("%s%s", asked->words[last], words[i]) : words[i];
        asked->places[last] = goes_on ? asked->places[last] : i + 1;
        if (parted && parts_words(words[i]))
            asked->kept = strlen(asked->words[last]);
        asked->count = last;
        asked->typed = asked->words[last];
    }
}

/* ----------------------------------------------------------------------------------------------
 * What is answered. */

#define LEAST_BRIEF 12 /* bytes: what is said first in less is of what, "run: the CPU" */

/* What a sentence of help says first, up to a colon or semicolon. */
static void put_brief(const char *sentence, struct text *out)
{
    const char *end = sentence;
    while (*end &&
           !((*end == ':' || *end == ';') && end[1] == ' ' && end - sentence >= LEAST_BRIEF))
        end++;
    text_append(out, sentence, (size_t)(end - sentence));
}

/* The first `before` bytes of what is typed, and a word. help: what it is; NULL: it says that. */
static void offer(const struct asked *asked, size_t before, const char *word, size_t length,
                  const char *help)
{
    AUTO_TEXT struct text whole = {0};
    text_append(&whole, asked->typed, before);
    text_append(&whole, word, length);
    for (const char *at = asked->typed; *at; at++)
        if (iscntrl((unsigned char)*at))
            return;
    if (strncmp(text_string(&whole), asked->typed, strlen(asked->typed)) != 0 ||
        whole.length <= asked->kept)
        return;
    text_puts(asked->out, text_string(&whole) + asked->kept);
    if (help && asked->sentence) {
        text_putc(asked->out, '\t');
        put_brief(help, asked->out);
    }
    text_putc(asked->out, '\n');
}

static void offer_word(const struct asked *asked, const char *word, const char *help)
{
    offer(asked, 0, word, strlen(word), help);
}

static void offer_commands(const struct asked *asked)
{
    for (const struct command *const *at = command_registry; *at; at++)
        offer_word(asked, (*at)->name, (*at)->summary);
}

static void offer_option(const struct asked *asked, const struct option_spec *spec)
{
    AUTO_TEXT struct text name = {0};
    text_printf(&name, "--%s", spec->name);
    offer_word(asked, text_string(&name), spec->help);
    if (spec->letter)
        offer_word(asked, (const char[]){'-', spec->letter, '\0'}, spec->help);
}

static bool is_list(const struct option_spec *spec)
{
    return (spec->type & OPTION_TYPES) == OPTION_LIST;
}

/* Is the word among those with commas between? */
static bool is_there(const char *list, const char *end, const char *word, size_t length)
{
    for (size_t item; list < end; list += item + 1) {
        item = strcspn(list, ",");
        if (item == length && memcmp(list, word, length) == 0)
            return true;
    }
    return false;
}

static bool names_file(const char *argument, size_t length)
{
    return (length == 4 && memcmp(argument, "FILE", length) == 0) ||
           (length == 5 && memcmp(argument, "STORE", length) == 0);
}

/* What an option takes, from the byte on where its value begins in what is typed. */
static void offer_values(const struct asked *asked, const struct option_spec *spec, size_t begins)
{
    const char *value = asked->typed + begins, *comma = is_list(spec) ? strrchr(value, ',') : NULL;
    const size_t before = comma ? (size_t)(comma + 1 - asked->typed) : begins;
    if (names_file(spec->argument, strlen(spec->argument)))
        text_puts(asked->out, "\tfiles\n");
    if (strcmp(spec->argument, "DIR") == 0)
        text_puts(asked->out, "\tdirectories\n");
    for (const char *const *word = spec->words; word && *word; word++)
        if (!comma || !is_there(value, comma, *word, strlen(*word)))
            offer(asked, before, *word, strlen(*word), NULL);
    /* "on|off" says itself what it takes. */
    if (strchr(spec->argument, '|'))
        for (size_t at = 0, length; spec->argument[at];
             at += length + !!spec->argument[at + length]) {
            length = strcspn(spec->argument + at, "|");
            offer(asked, before, spec->argument + at, length, NULL);
        }
}

/* Words of a synopsis in small letters are typed as they are, "install [ISA] | list", the first
 * alone; "[STORE]" and "FILE..." are files, but behind an option, whose they are. */
static void offer_arguments(const struct asked *asked, const struct command *command, bool first)
{
    bool file = false, option = false, word = false;
    for (const char *at = command->synopsis; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " "), opens = strspn(at, "[");
        size_t small = 0, large = opens;
        while (islower((unsigned char)at[small]))
            small++;
        while (isupper((unsigned char)at[large]))
            large++;
        if (small && small == length && first)
            offer(asked, 0, at, length, NULL);
        word |= small && small == length;
        file |= !option && names_file(at + opens, large - opens);
        option = at[opens] == '-';
        at += length;
    }
    if (file && !word)
        text_puts(asked->out, "\tfiles\n");
}

/* ----------------------------------------------------------------------------------------------
 * Where in a command line that is. */

/* By its name, or the only one that begins so; -1: none. */
static int option_named(const struct command *command, const char *name, size_t length)
{
    const struct option_spec *spec;
    int found = -1;
    for (int i = 0; (spec = option_at(command, (size_t)i)); i++) {
        if (strncmp(spec->name, name, length) != 0)
            continue;
        if (!spec->name[length])
            return i;
        found = found == -1 ? i : -2;
    }
    return found;
}

static int option_lettered(const struct command *command, char letter)
{
    const struct option_spec *spec;
    for (int i = 0; (spec = option_at(command, (size_t)i)); i++)
        if (spec->letter == letter)
            return i;
    return -1;
}

/* The last option in a word, where it takes something; NULL: it does not, or is none. *value: where
 * that begins; 0: in the next word. All of them were given, then. */
static const struct option_spec *option_in(const struct command *command, const char *word,
                                           size_t *value, bool *given)
{
    const bool named = word[1] == '-';
    *value = 0;
    for (size_t at = named ? 2 : 1; word[at]; at++) {
        const size_t length = named ? strcspn(word + at, "=") : 1;
        const int index =
            named ? option_named(command, word + at, length) : option_lettered(command, word[at]);
        if (index < 0)
            return NULL;
        given[index] = true;
        const struct option_spec *spec = option_at(command, (size_t)index);
        if (spec->argument || named) {
            *value = word[at + length] ? at + length + named : 0;
            return spec->argument ? spec : NULL;
        }
    }
    return NULL;
}

static void offer_options(const struct asked *asked, const struct command *command,
                          const bool *given)
{
    const struct option_spec *spec;
    for (size_t i = 0; (spec = option_at(command, i)); i++)
        if (!given[i] || is_list(spec) || (spec->type & OPTION_TYPES) == OPTION_FILES)
            offer_option(asked, spec);
}

static void complete_command(const struct asked *asked, const struct command *command)
{
    size_t value, arguments = 0, options = 0;
    while (option_at(command, options))
        options++;
    bool *given = memory_new(options, sizeof(*given));
    const struct option_spec *waiting = NULL; /* the next word is its value */
    bool ended = false, others = false;
    size_t i;
    for (i = 1; i < asked->count && !others; i++) {
        const char *word = asked->words[i];
        if (waiting) {
            waiting = NULL;
        } else if (ended || word[0] != '-' || !word[1]) {
            arguments++;
            others = command->passes_on;
        } else if (strcmp(word, "--") == 0) {
            ended = true;
        } else {
            waiting = option_in(command, word, &value, given);
            waiting = value ? NULL : waiting;
        }
    }
    const char *typed = asked->typed;
    if (waiting) {
        offer_values(asked, waiting, 0);
    } else if (others || (command->passes_on && (ended || typed[0] != '-'))) {
        text_printf(asked->out, "\tcommand %zu\n", asked->places[others ? i - 1 : asked->count]);
    } else if (!ended && typed[0] == '-') {
        bool *here = memory_new(options, sizeof(*here));
        const struct option_spec *spec = option_in(command, typed, &value, here);
        if (value && spec)
            offer_values(asked, spec, value);
        else
            offer_options(asked, command, given);
    } else {
        const size_t length = asked->out->length;
        offer_arguments(asked, command, arguments == 0);
        if (asked->out->length == length && !ended && !typed[0])
            offer_options(asked, command, given);
    }
}

/* Behind an option of the program itself, which ends its command line. */
static void complete_own(const struct asked *asked, const struct option_spec *spec)
{
    if (asked->count == 1 && spec->words)
        offer_values(asked, spec, 0);
    else if (asked->count == 1 && spec->argument)
        offer_commands(asked);
}

void completion_answer(const char *shell, const char *const *words, size_t count, struct text *out)
{
    const bool bash = strcmp(shell, "bash") == 0;
    struct asked asked = {.sentence = !bash, .out = out};
    struct memory_scope scope;
    memory_scope_begin(&scope);
    read_words(&asked, words, count, bash);
    const char *first = asked.count ? asked.words[0] : "";
    const struct command *command = command_find(first);
    if (command)
        complete_command(&asked, command);
    if (asked.count == 0) {
        offer_commands(&asked);
        offer_word(&asked, "help", "explain a command");
    }
    for (const struct option_spec *own = program_options; own->name; own++) {
        if (asked.count == 0)
            offer_option(&asked, own);
        else if ((strncmp(first, "--", 2) == 0 && strcmp(first + 2, own->name) == 0) ||
                 (own->letter && strcmp(first, (const char[]){'-', own->letter, '\0'}) == 0) ||
                 (own->letter && strcmp(first, own->name) == 0))
            complete_own(&asked, own);
    }
    memory_scope_end(&scope);
}
