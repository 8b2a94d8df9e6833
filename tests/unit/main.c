/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every program of unit tests: runs the chapters that are named, or all of them; --list names them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

static struct unit_case *cases;  /* by file and line */
static struct CMUnitTest *tests; /* of the chapter that is run */
static size_t count, room;

void unit_register(struct unit_case *added)
{
    struct unit_case **at = &cases;
    for (; *at; at = &(*at)->next) {
        int order = strcmp((*at)->file, added->file);
        if (order > 0 || (order == 0 && (*at)->line > added->line))
            break;
    }
    added->next = *at;
    *at = added;
}

static void add(struct CMUnitTest test)
{
    if (count == room) {
        room = 2 * room + 32;
        tests = realloc(tests, room * sizeof(*tests));
        if (!tests)
            abort();
    }
    tests[count++] = test;
}

void unit_example(const char *name, CMUnitTestFunction function, const void *state)
{
    add((struct CMUnitTest){
        .name = name, .test_func = function, .initial_state = (void *)(uintptr_t)state});
}

/* "clocks-trust" of ".../test-clocks-trust.c". */
static const char *chapter_of(const struct unit_case *one, char *name, size_t size)
{
    const char *slash = strrchr(one->file, '/');
    const char *base = slash ? slash + 1 : one->file;
    base += strncmp(base, "test-", 5) == 0 ? 5 : 0;
    snprintf(name, size, "%.*s", (int)strcspn(base, "."), base);
    return name;
}

static const struct unit_case *next_chapter(const struct unit_case *first)
{
    const struct unit_case *at = first;
    while (at && strcmp(at->file, first->file) == 0)
        at = at->next;
    return at;
}

static int run(const struct unit_case *first)
{
    char name[128];
    CMFixtureFunction setup = NULL;
    CMFixtureFunction teardown = NULL;
    count = 0;
    for (const struct unit_case *at = first; at != next_chapter(first); at = at->next)
        if (at->skip) {
            printf("1..0 # SKIP %s\n", at->skip);
            return 0;
        } else if (at->examples) {
            at->examples();
        } else if (at->test.test_func) {
            add(at->test);
        } else {
            setup = at->test.setup_func;
            teardown = at->test.teardown_func;
        }
    return _cmocka_run_group_tests(chapter_of(first, name, sizeof(name)), tests, count, setup,
                                   teardown);
}

static int run_apart(const struct unit_case *first)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        exit(run(first) != 0);
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}

static const struct unit_case *find(const char *wanted)
{
    char name[128];
    for (const struct unit_case *at = cases; at; at = next_chapter(at))
        if (strcmp(chapter_of(at, name, sizeof(name)), wanted) == 0)
            return at;
    return NULL;
}

int main(int argc, char **argv)
{
    char name[128];
    int failed = 0;
    bool listed = argc == 2 && strcmp(argv[1], "--list") == 0;
    for (int i = 1; i < argc && !listed; i++)
        if (!find(argv[i])) {
            fprintf(stderr, "%s: no chapter is called %s; --list names them\n", argv[0], argv[i]);
            return 2;
        }
    setenv("LC_ALL", "C", 1); /* not what the terminal of whoever runs it can show */
    bool apart = argc > 2 || (argc == 1 && cases && next_chapter(cases));
    for (int i = 1; i < argc && !listed; i++)
        failed += apart ? run_apart(find(argv[i])) : run(find(argv[i]));
    for (const struct unit_case *at = cases; at && (argc == 1 || listed); at = next_chapter(at))
        if (listed)
            puts(chapter_of(at, name, sizeof(name)));
        else
            failed += apart ? run_apart(at) : run(at);
    return failed != 0;
}
