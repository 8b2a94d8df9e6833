/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Completion scripts of a product whose texts are hostile: shells that read them execute nothing,
 * and still offer the rest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "commands/help.h"

/* The folder in which shells are started has a file "seen" if any of these is evaluated. */
#define HOSTILE "it's \"all\" `touch seen` $(touch seen) \\$(touch seen) \\' ; touch seen #[]"

static const struct option_spec specs[] = {
    {'g', "good", OPTION_STRING, "FILE", HOSTILE, 0, NULL},
    {'`', "tick", OPTION_FLAG, NULL, "a letter that is a sign\n$(touch seen)", 0, NULL},
    {0, "x$(touch seen)", OPTION_FLAG, NULL, "a name that is a command", 0, NULL},
    {0, "two words", OPTION_STRING, "WORD", "a name that is two", 0, NULL},
    {0, "odd", OPTION_STRING, "$(touch seen)", HOSTILE, 0, NULL},
    {0, "switch", OPTION_STRING, "on|off", "on or off", 0, NULL},
    {0, "worse", OPTION_STRING, "on|$(touch seen)", "on or worse", 0, NULL},
    {0, "one", OPTION_STRING, "WORD", "one of a few: " HOSTILE, 0, NULL},
    {0, "list", OPTION_LIST, "WORD", "several of a few; " HOSTILE, 0, NULL},
    {0},
};
static const struct command good = {
    .name = "good", .summary = HOSTILE, .synopsis = "$(touch seen) [FILE...]", .options = specs};
static const struct command passing = {.name = "passing",
                                       .summary = "it passes on",
                                       .synopsis = "[options] COMMAND",
                                       .options = specs,
                                       .passes_on = true};
static const struct command evil = {
    .name = "x;touch seen;", .summary = HOSTILE, .synopsis = "", .options = specs};
const struct command *const command_registry[] = {&good, &evil, &passing, NULL};

bool completion_words(const struct command *command, const char *argument, struct text *words)
{
    (void)command;
    if (strcmp(argument, "WORD") != 0)
        return false;
    text_puts(words, "first second: third");
    return true;
}

static char folder[] = "/tmp/assay-completion-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    unlink("script");
    unlink("said");
    unlink("seen");
    rmdir("fish"); /* its own */
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void write_script(const char *shell)
{
    AUTO_TEXT struct text text = {0};
    FILE *file = fopen("script", "w");
    assert_non_null(file);
    assert_true(completion_put(shell, &text));
    assert_false(text.failed);
    fputs(text_string(&text), file);
    assert_int_equal(fclose(file), 0);
}

/* What it says, in said; whether it ended well. 127: there is no such shell. */
static int run(const char *const *words, char *said, size_t size)
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (!freopen("said", "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
            _exit(126);
        setenv("HOME", folder, 1);
        setenv("XDG_DATA_HOME", folder, 1);
        setenv("XDG_CONFIG_HOME", folder, 1);
        execvp(words[0], (char *const *)words);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    FILE *file = fopen("said", "r");
    assert_non_null(file);
    said[fread(said, 1, size - 1, file)] = '\0';
    fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void try_shell(const char *shell, const char *flag, const char *code, const char *wanted)
{
    char said[4096];
    const char *const words[] = {shell, flag, "-c", code, NULL};
    write_script(shell);
    const int status = run(words, said, sizeof(said));
    if (status == 127)
        skip_because("%s is not installed", shell);
    if (status != 0 || !strstr(said, wanted))
        fail_msg("%s ended with %d: %s", shell, status, said);
    if (access("seen", F_OK) == 0)
        fail_msg("%s executed what was a text", shell);
}

TEST(bash_evaluates_nothing)
{
    try_shell(
        "bash", "--norc",
        "source ./script\n"
        "complete_at() { COMP_WORDS=(assay \"$@\"); COMP_CWORD=$#; _assay;"
        " printf '<%s>' \"${COMPREPLY[@]}\"; }\n"
        "complete_at ''; complete_at good -; complete_at good --one '';"
        " complete_at good --odd ''; complete_at good --worse ''; complete_at good --list first,;"
        " complete_at passing --odd x --; complete_at 'x;touch seen;' ''",
        "<good><passing><help>");
}

TEST(bash_offers_the_rest)
{
    try_shell("bash", "--norc",
              "source ./script; COMP_WORDS=(assay good -); COMP_CWORD=2; _assay;"
              " printf '<%s>' \"${COMPREPLY[@]}\"",
              "<--good><-g><--tick><--odd><--switch><--worse><--one><--list>");
}

TEST(zsh_evaluates_nothing)
{
    try_shell("zsh", "-f",
              "compdef() { : }\n_files() { : }\n"
              "_arguments() { print -r -- \"$@\"; line=(good); state=options; return 1 }\n"
              "_describe() { print -r -- $commands }\n"
              "source ./script; _assay_commands; _assay; true",
              "--good=[");
}

TEST(fish_evaluates_nothing)
{
    try_shell("fish", "--no-config",
              "source ./script; complete -C 'assay '; complete -C 'assay good --';"
              " complete -C 'assay good --one '; complete -C 'assay good --worse '; complete -C "
              "'assay good --list first,'",
              "--good");
}

TEST(a_sentence_stays_one_word_of_a_shell)
{
    AUTO_TEXT struct text quoted = {0};
    completion_put_quoted("it's\na `word`", &quoted);
    assert_string_equal(text_string(&quoted), "'it'\\''s a `word`'");
}

TEST(a_line_is_what_a_sentence_says_first)
{
    static const struct {
        const char *sentence, *brief;
    } cases[] = {{"spend about TIME: 20s, 5m", "spend about TIME"},
                 {"go on with a run; that of --store", "go on with a run"},
                 {"run: the CPU to emulate", "run: the CPU to emulate"},
                 {"a:b;c", "a:b;c"},
                 {"", ""}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_TEXT struct text brief = {0};
        completion_put_brief(cases[i].sentence, &brief);
        assert_string_equal(text_string(&brief), cases[i].brief);
    }
}

TEST(arguments_are_what_the_synopsis_says)
{
    static const struct {
        const char *synopsis, *words;
        enum completion_kind kind;
    } cases[] = {
        {"[options]", "", COMPLETION_NOTHING},
        {"[options] [STORE]", "", COMPLETION_FILE},
        {"[options] [FILE[#N]...]", "", COMPLETION_FILE},
        {"[options] FILE...", "", COMPLETION_FILE},
        {"--store FILE [options]", "", COMPLETION_NOTHING},
        {"[--store FILE] [EVENT...]", "", COMPLETION_NOTHING},
        {"install [ISA] | list | run ISA [-- CMD...]", "install list run", COMPLETION_WORDS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct command command = {.name = "any", .synopsis = cases[i].synopsis};
        AUTO_TEXT struct text words = {0};
        assert_int_equal(completion_of_arguments(&command, &words), cases[i].kind);
        assert_string_equal(text_string(&words), cases[i].words);
    }
}

GROUP(enter, leave)
