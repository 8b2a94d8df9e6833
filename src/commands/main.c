/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay, the controller: finds the command, parses its options, runs it.
 *
 * The folder:
 *
 *     main.c                  finds the command and runs it
 *     help.h, .c              help and manual pages, from option tables
 *     completion.c            what shells complete, from the same tables
 *     run.h, .c, run-parts.c  assay run
 *     reported.h, .c          stored runs judged again, and a report of them
 *     page.h, .c              a report as one HTML file
 *     report.c                assay report
 *     compare/                assay compare
 *     doctor.h, .c            assay doctor
 *     events.c, specimens.h, .c
 *                             assay events
 *     export.h, .c, export-tables.c
 *                             assay export
 *     merge.c                 assay merge
 *     lab.c                   assay lab
 *     no-extensions.c         for a static build: no dlopen */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <jansson.h>

#include "base/memory.h"
#include "commands/help.h"
#include "engine/command.h"
#include "engine/finish.h"
#include "engine/options.h"
#include "output/table.h"

static int print(struct text *text)
{
    fputs(text_string(text), stdout);
    return EXIT_DONE;
}

static int unknown_command(const char *word)
{
    struct nearest nearest = {.word = word};
    for (const struct command *const *at = command_registry; *at; at++)
        nearest_offer(&nearest, (*at)->name);
    AUTO_TEXT struct text clean = {0};
    text_put_clean(&clean, word);
    fprintf(stderr, "assay: unknown %s '%.200s'%s%s%s\nTry `assay --help`.\n",
            word[0] == '-' ? "option" : "command", text_string(&clean),
            nearest.best ? ": did you mean '" : "", nearest.best ? nearest.best : "",
            nearest.best ? "'?" : "");
    return EXIT_USAGE;
}

static int run_word(const char *word, int argc, char **argv)
{
    const char *next = argc > 2 ? argv[2] : NULL;
    const bool man = strcmp(word, "--man") == 0;
    if (man || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
        strcmp(word, "help") == 0) {
        AUTO_TEXT struct text out = {0};
        const struct command *command = next ? command_find(next) : NULL;
        if (next && !command)
            return unknown_command(next);
        help_put(command, man, &out);
        return print(&out);
    }

    if (strcmp(word, "--completion") == 0) {
        AUTO_TEXT struct text out = {0};
        if (next && completion_script(next, &out))
            return print(&out);
        fputs("assay: --completion prints a script for a shell: bash, zsh or fish\n", stderr);
        return EXIT_USAGE;
    }
    if (strcmp(word, "__complete") == 0 && next) {
        AUTO_TEXT struct text out = {0};
        completion_answer(next, (const char *const *)argv + 3, (size_t)argc - 3, &out);
        return print(&out);
    }

    if (strcmp(word, "--schema") == 0) {
        AUTO_TEXT struct text out = {0};
        if (schema_put(next, &out))
            return print(&out);
        fputs("assay: --schema prints that of --json; besides there are passport and reference\n",
              stderr);
        return EXIT_USAGE;
    }

    if (strcmp(word, "--version") == 0) {
        printf("assay %s\n", ASSAY_VERSION);
        return EXIT_DONE;
    }
    const struct command *command = command_find(word);
    return command ? invoke(command, argc - 1, argv + 1, NULL) : unknown_command(word);
}

/* Where whoever started us forbade to read the CPU's counter of time, libraries that look at a
 * clock would end us. We may; the machine under test is to be seen as it was, so that probes on it
 * may not (src/engine/via/child.c). */
static void allow_ticks(void)
{
    int mode = 0;
    if (prctl(PR_GET_TSC, &mode, 0, 0, 0) < 0 || mode != PR_TSC_SIGSEGV)
        return;
    prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
    setenv("ASSAY_TICKS", "forbidden", 1);
}

int main(int argc, char **argv)
{
    allow_ticks();
    /* Standard descriptors that are closed would become numbers of other files, a store's even.
     * Held so, reading them finds the end and writing to them fails as before. */
    int fd;
    while ((fd = open("/dev/null", O_RDONLY)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd >= 0)
        close(fd);

    signals_install();
    text_on_failure(memory_end);
    json_set_alloc_funcs(memory_malloc, free);
    if (argc < 2) {
        AUTO_TEXT struct text out = {0};
        help_put(NULL, false, &out);
        fputs(text_string(&out), stderr);
        return EXIT_USAGE;
    }
    /* A result that could not be written is no result. A reader that left (head) is no error. */
    const int status = run_word(argv[1], argc, argv);
    bool failed_before = ferror(stdout); /* then it was said, and errno is another's */
    if (fflush(stdout) == 0 && !failed_before)
        return status;
    if (!failed_before && errno != EPIPE)
        fprintf(stderr, "assay: cannot write the output: %s\n", strerror(errno));
    return status ? status : EXIT_FAILED;
}
