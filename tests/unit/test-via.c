/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transports: words, what is said when a program cannot be run, pushing the kit, and that no
 * process and no descriptor stays behind, whatever the other side does. */
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "case.h"
#include "engine/via/parts.h"
#include "fake-kit.h"

static char kit_folder[64];
static const struct via_patience patience = {.timeout_ms = 5000};

struct surroundings {
    int descriptors;
};

static int before_each(void **state)
{
    static struct surroundings surroundings;
    fake_kit_make(kit_folder);
    unsetenv("FAKE_MODE");
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1); /* a folder nobody may enter changes errno */
    surroundings.descriptors = open_descriptors();
    *state = &surroundings;
    return 0;
}

static int after_each(void **state)
{
    const struct surroundings *surroundings = *state;
    assert_no_children();
    assert_int_equal(open_descriptors(), surroundings->descriptors);
    fake_kit_remove(kit_folder);
    return 0;
}

/* --- words --- */
static void assert_words(const char *text, size_t count, const char *const *expected)
{
    char **words = NULL;
    assert_int_equal(words_split(text, &words, NULL), count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(words[i], expected[i]);
    if (count)
        assert_null(words[count]);
    words_free(words);
}

TEST_WITH(words_are_split_as_a_shell_would_without_expanding, before_each, after_each)
{
    assert_words("", 0, NULL);
    assert_words(" \t\n ", 0, NULL);
    assert_words(" docker  exec\t-i box ", 4, (const char *const[]){"docker", "exec", "-i", "box"});
    assert_words("a 'b c' \"d e\" f\\ g", 4, (const char *const[]){"a", "b c", "d e", "f g"});
    assert_words("'' \"\"", 2, (const char *const[]){"", ""});
    assert_words("a'b'\"c\"\\d", 1, (const char *const[]){"abcd"});
    assert_words("'\\' \"\\\"\\\\\\x\"", 2, (const char *const[]){"\\", "\"\\\\x"});
    assert_words("$HOME * ;rm `x` $(y) ~", 6,
                 (const char *const[]){"$HOME", "*", ";rm", "`x`", "$(y)", "~"});
}

TEST_WITH(words_that_do_not_end_are_refused, before_each, after_each)
{
    static const char *const bad[] = {"a 'b", "\"", "a \"b\\\"", "x\\", "'a\" b"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        char **words = NULL;
        struct failure failure = {0};
        assert_int_equal(words_split(bad[i], &words, &failure), -EINVAL);
        assert_null(words);
        assert_true(failure.text[0] != '\0');
    }
}

/* --- opening --- */
static void assert_open_fails(const char *spec, int code, const char *words)
{
    struct via_link link;
    struct failure failure = {0};
    int status = via_open(spec, &patience, &link, &failure);
    if (code)
        assert_int_equal(status, code);
    assert_true(status < 0);
    if (!strstr(failure.text, words))
        fail_msg("'%s' does not say '%s'", failure.text, words);
}

TEST_WITH(an_unknown_scheme_names_the_known_ones, before_each, after_each)
{
    assert_open_fails("telepathy:you", -EINVAL, "'telepathy'");
    assert_open_fails("telepathy:you", -EINVAL, "exec:ARGV");
    assert_open_fails(":", -EINVAL, "local");
    assert_open_fails("execute:x", -EINVAL, "exec");
}

TEST_WITH(malformed_arguments_are_refused, before_each, after_each)
{
    assert_open_fails("exec", -EINVAL, "needs the program");
    assert_open_fails("exec:  ", -EINVAL, "needs the program");
    assert_open_fails("exec:'x", -EINVAL, "quote");
    assert_open_fails("local:here", -EINVAL, "nothing behind it");
}

/* A shell would be given it line by line, and its complaints would be shown. */
TEST_WITH(a_program_for_another_machine_is_told_as_such, before_each, after_each)
{
    static const char foreign[] = "\177ELF\2\1\1\1echo read as a script >&2\n";
    char path[128], spec[160];
    snprintf(path, sizeof(path), "%s/assay-probe", kit_folder);
    snprintf(spec, sizeof(spec), "exec:%s", path);
    assert_int_equal(unlink(path), 0);
    write_file(kit_folder, "assay-probe", foreign);
    assert_int_equal(chmod(path, 0755), 0);
    assert_open_fails("local", -ENOEXEC, "made for fake64, which this machine cannot run");
    assert_open_fails("local", -ENOEXEC, "--via exec:qemu-fake64");
    assert_open_fails(spec, -ENOEXEC, "a program for another machine");
    setenv("PATH", kit_folder, 1);
    assert_open_fails("exec:assay-probe", -ENOEXEC, "a program for another machine");
}

TEST_WITH(programs_are_looked_for_in_every_folder_of_the_path, before_each, after_each)
{
    char path[256];
    struct via_link link;
    snprintf(path, sizeof(path), "/nowhere:/etc/passwd:%s::/usr/bin:/bin", kit_folder);
    write_file(kit_folder, "true", "may not be run");
    setenv("PATH", path, 1);
    int status = child_start(&link, (const char *const[]){"true", NULL}, NULL);
    snprintf(path, sizeof(path), "%s/true", kit_folder);
    unlink(path);
    assert_int_equal(status, 0);
    assert_int_equal(via_close(&link, 5000), 0);
    assert_int_equal(child_start(&link, (const char *const[]){"", NULL}, NULL), -ENOENT);
}

/* The fake probe says hello and, twelve frames on, that it is ready. */
static void assert_says_hello(struct via_link *link)
{
    assert_int_equal(child_await(link, "@assay 0 hello ", &patience), CHILD_SPOKE);
    assert_int_equal(child_await(link, "@assay 12 ready ", &patience), CHILD_SPOKE);
}

TEST_WITH(local_starts_the_kit_in_place, before_each, after_each)
{
    struct via_link link;
    assert_int_equal(via_open(NULL, &patience, &link, NULL), 0);
    assert_says_hello(&link);
    assert_int_equal(via_close(&link, 5000), 0);
}

/* --- closing --- */
static void assert_closes(const char *mode, int patience_ms, int expected_signal)
{
    struct via_link link;
    setenv("FAKE_MODE", mode, 1);
    assert_int_equal(via_open("local", &patience, &link, NULL), 0);
    pid_t pid = link.pid;
    int status = via_close(&link, patience_ms);
    assert_true(status >= 0);
    if (expected_signal)
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == expected_signal);
    assert_int_equal(kill(-pid, 0), -1);
    assert_int_equal(errno, ESRCH);
    assert_int_equal(link.pid, -1);
}

TEST_WITH(what_does_not_end_by_itself_is_ended, before_each, after_each)
{
    assert_closes("good", 5000, 0);
    assert_closes("mute", 0, SIGTERM);
    assert_closes("floods", 0, 0);
    assert_closes("floods-errors", 0, 0);
    assert_closes("endless-line", 0, 0);
}

TEST_WITH(who_ignores_sigterm_is_killed_with_its_children, before_each, after_each)
{
    struct via_link link;
    const char *const argv[] = {"sh", "-c", "trap '' TERM; sleep 1000 & echo @up; sleep 1000",
                                NULL};
    assert_int_equal(child_start(&link, argv, NULL), 0);
    assert_int_equal(child_await(&link, "@up", &patience), CHILD_SPOKE);
    pid_t pid = link.pid;
    int status = via_close(&link, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    /* Orphans of the group are reaped by init, which may take a moment. */
    for (int i = 0; i < 500 && kill(-pid, 0) == 0; i++)
        poll(NULL, 0, 10);
    assert_int_equal(kill(-pid, 0), -1);
}

TEST_WITH(a_stopped_process_is_ended_too, before_each, after_each)
{
    struct via_link link;
    const char *const argv[] = {"sh", "-c", "kill -STOP $$", NULL};
    assert_int_equal(child_start(&link, argv, NULL), 0);
    assert_true(via_close(&link, 100) >= 0);
}

/* --- surroundings of the child --- */
TEST_WITH(the_child_starts_with_default_signals_and_no_descriptors_of_ours, before_each, after_each)
{
    struct via_link link;
    const char *const argv[] = {
        "sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status; echo fds /proc/self/fd/*; echo @",
        NULL};
    int leaky = open("/dev/null", O_RDONLY); /* not close-on-exec */
    sigset_t some;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    sigprocmask(SIG_BLOCK, &some, NULL);
    signal(SIGINT, SIG_IGN);
    assert_int_equal(child_start(&link, argv, NULL), 0);
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &some, NULL);
    close(leaky);
    assert_int_equal(child_await(&link, "@", &patience), CHILD_SPOKE);
    const char *said = text_string(&link.early);
    assert_non_null(strstr(said, "SigBlk:\t0000000000000000"));
    const char *ignored = strstr(said, "SigIgn:\t");
    assert_non_null(ignored);
    /* 32 and 33 are glibc's own, which signal(2) refuses and a posix_spawn above us (GNU make's)
     * leaves ignored. */
    assert_int_equal(strtoull(ignored + strlen("SigIgn:\t"), NULL, 16) & ~(3ull << 31), 0);
    assert_non_null(strstr(said, "fds /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2"));
    assert_null(strstr(said, "/proc/self/fd/4")); /* 3 is the shell reading the folder */
    assert_int_equal(via_close(&link, 5000), 0);
}

TEST_WITH(the_last_words_are_bounded_and_printable, before_each, after_each)
{
    struct via_link link;
    const char *const argv[] = {
        "sh", "-c",
        "i=0; while test $i -lt 2000; do echo line $i >&2; i=$((i+1)); done; "
        "printf 'one\\033[31m\\ntwo\\nthree\\n' >&2; echo @",
        NULL};
    char words[100];
    char few[8];
    assert_int_equal(child_start(&link, argv, NULL), 0);
    assert_int_equal(child_await(&link, "@", &patience), CHILD_SPOKE);
    via_close(&link, 5000);
    assert_int_equal(link.tail_length, VIA_TAIL);
    via_last_words(&link, words, sizeof(words));
    assert_string_equal(words, "one?[31m two three");
    via_last_words(&link, few, sizeof(few));
    assert_int_equal(strlen(few), sizeof(few) - 1);
}

TEST_WITH(last_words_that_are_no_text_are_left_out, before_each, after_each)
{
    static const struct {
        const char *said, *quoted;
    } cases[] = {{"x: 1: \177ELF\2\1: not found\nno such box\n", "no such box"},
                 {"\1\2\n\377\376\235ab\n", ""},
                 {"pas trouv\351: what now?\n\nreally??\n", "pas trouv?: what now? really??"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct via_link link = {.tail_length = strlen(cases[i].said)};
        char words[100];
        memcpy(link.tail, cases[i].said, link.tail_length);
        via_last_words(&link, words, sizeof(words));
        assert_string_equal(words, cases[i].quoted);
    }
}

TEST_WITH(a_kit_of_another_isa_is_refused, before_each, after_each)
{
    char folder[] = "/tmp/assay-kit-test.XXXXXX";
    struct kit found;
    struct failure failure = {0};
    assert_non_null(mkdtemp(folder));
    write_file(folder, "assay-probe", "");
    write_file(folder, "manifest", "assay-kit 1\nbuild 0\nisa vax\n");
    AUTO_FREE char *probe = NULL;
    AUTO_FREE char *manifest = NULL;
    assert_true(asprintf(&probe, "%s/assay-probe", folder) > 0);
    assert_true(asprintf(&manifest, "%s/manifest", folder) > 0);
    assert_int_equal(chmod(probe, 0755), 0);
    setenv("ASSAY_KIT", folder, 1);
    assert_int_equal(kit_find(&found, "vax", NULL), 0);
    assert_int_equal(kit_find(&found, NULL, NULL), 0);
    assert_int_equal(kit_find(&found, "aarch64", &failure), -ENOEXEC);
    assert_non_null(strstr(failure.text, "a kit for vax"));
    assert_int_equal(unlink(manifest), 0);
    assert_int_equal(kit_find(&found, "vax", &failure), -ENOEXEC);
    unlink(probe);
    rmdir(folder);
}

TEST_WITH(a_kit_for_another_isa_is_looked_for_by_its_name, before_each, after_each)
{
    struct kit found;
    struct failure failure = {0};
    unsetenv("ASSAY_KIT");
    assert_int_equal(kit_find(&found, "vax", &failure), -ENOENT);
    assert_non_null(strstr(failure.text, "tests/unit/libexec/assay/vax"));
    assert_non_null(strstr(failure.text, "run make kits"));
}
