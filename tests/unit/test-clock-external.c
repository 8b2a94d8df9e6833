/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks that people bring along: they are read as long as they answer, and each way not to answer
 * is told from the others. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "probe/clocks/clock.h"

static char reason[CLOCK_REASON];

static int try_to_open(struct clock_reader *reader, const char *text)
{
    int result = clock_open(reader, text, true, NULL, reason, sizeof(reason));
    print_message("# %s: %d %s\n", text, result, reason);
    return result;
}

/* Opening it fails so, and says this. */
static void assert_refused(const char *text, int code, const char *words)
{
    struct clock_reader reader;
    assert_int_equal(try_to_open(&reader, text), code);
    assert_non_null(strstr(reason, words));
    clock_close(&reader);
}

static void object_text(char text[512], const char *file, const char *symbol)
{
    snprintf(text, 512, "mine=object:%s/tests/unit/%s:%s", getenv("ASSAY_BUILD"), file, symbol);
}

/* --- what works --- */

TEST(a_function_of_a_shared_object_is_called_for_each_reading)
{
    struct clock_reader reader;
    char text[512], claim[CLOCK_CLAIM];
    uint64_t row[3];
    snprintf(text, sizeof(text), "his@500=object:%s/tests/unit/libclock-object.so:steady",
             getenv("ASSAY_BUILD"));
    assert_int_equal(clock_open(&reader, text, true, claim, reason, sizeof(reason)), 0);
    assert_string_equal(reader.clock->name, "his");
    assert_string_equal(reader.clock->hardware, "external");
    assert_int_equal(reader.hz, 500);
    assert_string_not_equal(claim, "");
    uint64_t before = reader.clock->read(&reader);
    reader.clock->fill(&reader, row, 3);
    assert_int_equal(row[0], before + 10);
    assert_int_equal(row[2], before + 30);
    clock_close(&reader);
}

TEST(a_command_that_is_asked_runs_once)
{
    struct clock_reader reader;
    uint64_t row[3];
    assert_int_equal(try_to_open(&reader, "mine=ask:sh -c 'n=0; while read line; do n=$((n+1)); "
                                          "echo $n; done'"),
                     0);
    assert_int_equal(reader.hz, 0);
    uint64_t before = reader.clock->read(&reader);
    reader.clock->fill(&reader, row, 3);
    assert_int_equal(row[0], before + 1);
    assert_int_equal(row[2], before + 3);
    assert_int_equal(reader.error, 0);
    clock_close(&reader);
}

TEST(a_command_that_is_run_runs_for_each_reading)
{
    struct clock_reader reader;
    assert_int_equal(try_to_open(&reader, "mine=run:sh -c 'echo $$'"), 0);
    uint64_t first = reader.clock->read(&reader), second = reader.clock->read(&reader);
    assert_int_equal(reader.error, 0);
    assert_true(first != second && first && second);
    clock_close(&reader);
    assert_int_equal(try_to_open(&reader, "mine=run:printf 18446744073709551615"), 0);
    assert_true(reader.clock->read(&reader) == UINT64_MAX);
    clock_close(&reader);
}

/* --- what does not --- */

TEST(shared_objects_that_are_none_are_named)
{
    char text[512];
    assert_refused("mine=object:/no/such/clock.so:steady", -ENOENT, "/no/such/clock.so");
    assert_refused("mine=object:/dev/null:steady", -ENOENT, "cannot be loaded");
    object_text(text, "libclock-object.so", "unsteady");
    assert_refused(text, -ENOENT, "unsteady");
    object_text(text, "libclock-object.so", "deadly");
    assert_refused(text, -EFAULT, "SIGABRT");
    object_text(text, "libclock-object-deadly.so", "steady");
    assert_refused(text, -ENOEXEC, "loading the shared object");
}

TEST(commands_that_cannot_be_run_are_named)
{
    assert_refused("mine=ask:/no/such/clock", -ENOENT, "/no/such/clock");
    assert_refused("mine=run:/no/such/clock", -ENOENT, "/no/such/clock");
    assert_refused("mine=ask:/dev/null", -EACCES, "/dev/null");
    assert_refused("mine=run:'sh", -EINVAL, "quote");
    assert_refused("mine=ask:\"\" -c", -ENOENT, "cannot be run");
}

TEST(answers_that_are_no_number_are_quoted)
{
    assert_refused("mine=ask:cat", -EPROTO, "''");
    assert_refused("mine=ask:sh -c 'read line; echo 12:30; read line'", -EPROTO, "'12:30'");
    assert_refused("mine=ask:sh -c 'read line; printf \"1\\\\n2\\\\n\"; read line'", -EPROTO,
                   "more than one line");
    assert_refused("mine=ask:yes 1", -EPROTO, "more than one line");
    assert_refused("mine=run:true", -EPROTO, "''");
    assert_refused("mine=run:echo -5", -EPROTO, "'-5'");
    assert_refused("mine=run:echo 0x10", -EPROTO, "'0x10'");
    assert_refused("mine=run:echo 18446744073709551616", -EPROTO, "18446744073709551616");
    assert_refused("mine=run:yes", -EPROTO, "'y");
    assert_refused("mine=run:printf '\\033[2J'", -EPROTO, "'?[2J'");
}

TEST(commands_that_die_are_told_from_those_that_say_nonsense)
{
    assert_refused("mine=ask:sh -c 'read line; exit 3'", -EPIPE, "exit status 3");
    assert_refused("mine=ask:sh -c 'read line; kill -SEGV $$'", -EPIPE, "SIGSEGV");
    assert_refused("mine=ask:true", -EPIPE, "exit status 0");
    assert_refused("mine=run:sh -c 'echo 5; exit 3'", -EPIPE, "exit status 3");
    assert_refused("mine=run:sh -c 'echo 5; kill -SEGV $$'", -EPIPE, "SIGSEGV");
}

TEST(a_command_that_dies_later_fails_the_reading_and_not_the_reader)
{
    struct clock_reader reader;
    assert_int_equal(
        try_to_open(&reader, "mine=ask:sh -c 'read a; echo 1; read a; echo 2; exit 7'"), 0);
    assert_int_equal(reader.clock->read(&reader), 2);
    assert_int_equal(reader.error, 0);
    assert_int_equal(reader.clock->read(&reader), 0);
    assert_int_equal(reader.error, EPIPE);
    assert_non_null(strstr(reader.why, "exit status 7"));
    assert_int_equal(reader.clock->read(&reader), 0); /* and goes on doing so */
    clock_close(&reader);
}

/* All at a time, because each takes as long as our patience. */
TEST(whoever_does_not_answer_is_given_up)
{
    char endless[512];
    object_text(endless, "libclock-object.so", "endless");
    const struct {
        const char *text, *words;
    } hanging[] = {{"mine=ask:sleep 1000", "did not answer within 5 s"},
                   {"mine=run:sleep 1000", "did not answer within 5 s"},
                   {"mine=run:sh -c 'exec >&-; exec sleep 1000'", "did not end within 5 s"},
                   {endless, "did not end within 5 s"}};
    pid_t children[4];
    for (size_t index = 0; index < 4; index++) {
        children[index] = fork();
        assert_true(children[index] >= 0);
        if (children[index] == 0) {
            struct clock_reader reader;
            int result = clock_open(&reader, hanging[index].text, true, NULL, reason, 512);
            _exit(result == -ETIMEDOUT && strstr(reason, hanging[index].words) ? 0 : 1);
        }
    }
    for (size_t index = 0; index < 4; index++) {
        int status = -1;
        assert_int_equal(waitpid(children[index], &status, 0), children[index]);
        if (status)
            print_error("%s\n", hanging[index].text);
        assert_int_equal(status, 0);
    }
}

/* --- nothing is left behind --- */

static bool is_gone(pid_t process)
{
    char path[64], name[64], life = 'Z';
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "re");
    if (!file)
        return true;
    if (fscanf(file, "%*d (%63[^)]) %c", name, &life) != 2)
        life = 'Z';
    fclose(file);
    return life == 'Z' || life == 'X'; /* nobody may be there who reaps it */
}

static bool goes_away(pid_t process)
{
    for (int tries = 0; tries < 1000 && !is_gone(process); tries++)
        usleep(10000);
    return is_gone(process);
}

#define TELLS_WHO_IT_IS "mine=ask:sh -c 'while read line; do echo $$; done'"

TEST(a_closed_clock_leaves_no_process)
{
    struct clock_reader reader;
    assert_int_equal(try_to_open(&reader, TELLS_WHO_IT_IS), 0);
    pid_t process = (pid_t)reader.clock->read(&reader);
    assert_false(is_gone(process));
    clock_close(&reader);
    assert_true(is_gone(process));
    /* Neither does one that would not go. */
    assert_int_equal(try_to_open(&reader, "mine=ask:sh -c 'while read line; do echo $$; done; "
                                          "exec sleep 1000'"),
                     0);
    process = (pid_t)reader.clock->read(&reader);
    clock_close(&reader);
    assert_true(is_gone(process));
}

TEST(a_command_dies_with_who_asks_it)
{
    int ends[2], process = 0, status;
    struct clock_reader reader;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (clock_open(&reader,
                       "mine=ask:sh -c 'trap \"\" PIPE HUP; while read a; do echo $$; "
                       "done; exec sleep 1000'",
                       true, NULL, reason, sizeof(reason)) < 0)
            _exit(1);
        process = (int)reader.clock->read(&reader);
        (void)!write(ends[1], &process, sizeof(process));
        raise(SIGKILL);
    }
    assert_int_equal(read(ends[0], &process, sizeof(process)), sizeof(process));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(goes_away(process));
    close(ends[0]);
    close(ends[1]);
}
