/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole commands as a tour runs them: what becomes of each is seen, none is left behind, and the
 * driver's variables are found. */
#include <errno.h>
#include <signal.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "probe/sources/program.h"
#include "probe/tour/instruments.h"

static long run(const char *const *words)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    long status = command_run(words, nothing, getpid());
    close(nothing);
    return status;
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

TEST(the_end_of_a_command_is_told)
{
    assert_int_equal(RUN("/bin/true"), 0);
    assert_int_equal(COMMAND_ENDED - RUN("/bin/sh", "-c", "exit 7"), 7 << 8);
    assert_int_equal(COMMAND_ENDED - RUN("/bin/sh", "-c", "kill -9 $$"), SIGKILL);
    assert_int_equal(COMMAND_ENDED - RUN("/nowhere/at/all"), 127 << 8);
}

/* The process that waits for the command is killed: then the command ends, too. */
TEST(no_command_is_left_behind)
{
    int ends[2];
    pid_t command = 0;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    assert_int_equal(pipe(ends), 0);
    pid_t harness = fork();
    if (harness == 0) {
        const char *words[] = {"/bin/sh", "-c", "printf '%s\\n' $$ >&2; exec sleep 60", NULL};
        command_run(words, ends[1], getpid());
        _exit(0);
    }
    char text[32] = "";
    assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
    command = (pid_t)strtol(text, NULL, 10);
    assert_true(command > 1 && command != harness);
    assert_int_equal(kill(command, 0), 0);
    kill(harness, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(harness, NULL, 0), harness);
    assert_int_equal(waitpid(command, &status, 0), command); /* ours now; would last a minute */
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    close(ends[0]);
    close(ends[1]);
}

/* A process whose parent had died before it could ask for its end does not become the command. */
TEST(a_command_without_a_parent_does_not_start)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const char *words[] = {"/bin/true", NULL};
    assert_int_equal(COMMAND_ENDED - command_run(words, nothing, getppid()), 127 << 8);
    close(nothing);
}

static bool is_set(const char *name, const char *value)
{
    const char *found = getenv(name);
    return found && value && strcmp(found, value) == 0;
}

TEST(a_variable_of_the_parent_is_taken_over)
{
    /* A process sees the environment with which its parent was started. */
    const char *path = getenv("PATH");
    assert_non_null(path);
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        setenv("PATH", "/elsewhere", 1);
        setenv("NOBODY_SETS_THIS", "mine", 1);
        adopt_driver_variable("PATH");
        adopt_driver_variable("NOBODY_SETS_THIS");
        _exit(is_set("PATH", path) && is_set("NOBODY_SETS_THIS", "mine") ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
