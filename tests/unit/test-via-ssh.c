/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The transport ssh: without a network: its words, what it makes of a machine's answer and of a
 * failure, and its conversation with the script through an `ssh` that only runs the command. */
#include <sys/stat.h>

#include "base/cleanup.h"
#include "case.h"
#include "engine/via/parts.h"
#include "fake-kit.h"

static const struct via_patience patience = {.timeout_ms = 10000};

/* A folder with a home, an ssh that stays here and a uname that says what the fake kit is for. */
static char kit_folder[64];
static char there[64];
static int descriptors;

static void write_program(const char *name, const char *content)
{
    char path[160];
    write_file(there, name, content);
    snprintf(path, sizeof(path), "%s/%s", there, name);
    assert_int_equal(chmod(path, 0755), 0);
}

static void set_path(const char *variable, const char *name, const char *rest)
{
    char path[256];
    snprintf(path, sizeof(path), "%s%s%s", there, name, rest);
    setenv(variable, path, 1);
}

static int before_each(void **state)
{
    (void)state;
    fake_kit_make(kit_folder);
    strcpy(there, "/tmp/assay-ssh-test.XXXXXX");
    assert_non_null(mkdtemp(there));
    write_program("ssh", "#!/bin/sh\nfor last; do :; done\nexec sh -c \"$last\"\n");
    write_program("uname",
                  "#!/bin/sh\ncase $1 in -s) echo Linux ;; *) echo ${ISA:-fake64} ;; esac\n");
    set_path("HOME", "", "");
    set_path("TMPDIR", "", "");
    set_path("ASSAY_SSH", "/ssh", "");
    set_path("PATH", "", ":/usr/bin:/bin");
    unsetenv("FAKE_MODE");
    unsetenv("ISA");
    unsetenv("XDG_CACHE_HOME");
    descriptors = open_descriptors();
    return 0;
}

static int after_each(void **state)
{
    (void)state;
    char command[160];
    assert_no_children();
    assert_int_equal(open_descriptors(), descriptors);
    setenv("PATH", "/usr/bin:/bin", 1);
    snprintf(command, sizeof(command), "rm -rf %s", there);
    assert_int_equal(system(command), 0);
    fake_kit_remove(kit_folder);
    return 0;
}

/* --- words --- */
static void assert_host(const char *argument, int count, const char *expected)
{
    AUTO_WORDS char **words = NULL;
    const char *host = NULL;
    struct failure failure = {0};
    if (ssh_words(argument, &words, &host, &failure) != count)
        fail_msg("'%s': %s", argument, failure.text);
    assert_string_equal(host, expected);
    assert_ptr_equal(host, words[count - 1]);
}

TEST_WITH(the_host_stands_behind_the_options, before_each, after_each)
{
    assert_host("box", 1, "box");
    assert_host(" me@box ", 1, "me@box");
    assert_host("-p 2222 -i 'my key' me@box", 5, "me@box");
    assert_host("-p2222 -4 -vC -o Port=1 box", 6, "box");
    assert_host("-vp 2222 box", 3, "box");
    assert_host("-o -t box", 3, "box"); /* the argument of -o, whatever it looks like */
    assert_host("//me@box:2222", 1, "ssh://me@box:2222");
}

TEST_WITH(what_is_no_host_is_refused, before_each, after_each)
{
    static const struct {
        const char *argument, *words;
    } cases[] = TABLE(
        {"", "needs a host"}, {"-p 2222", "needs a host"}, {"-p", "needs a host"},
        {"-oProxyCommand=x", "needs"}, {"-- box", "needs a host"}, {"- box", "needs a host"},
        {"-- -oProxyCommand=x", "needs a host"}, {"''", "needs a host"}, {"box ls", "stands 'ls'"},
        {"box -p 1", "stands '-p'"}, {"-t box", "-t"}, {"-vvt box", "-t"}, {"-N box", "-N"},
        {"-W a:1 box", "-W"}, {"-fn box", "-f"}, {"-V", "-V"}, {"'box", "quote"});
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char **words = NULL;
        const char *host = NULL;
        struct failure failure = {0};
        assert_int_equal(ssh_words(cases[i].argument, &words, &host, &failure), -EINVAL);
        assert_null(words);
        if (!strstr(failure.text, cases[i].words))
            fail_msg("'%s': %s", cases[i].argument, failure.text);
    }
}

/* The command line as ssh gets it: our own options last, so that they hold, and the host where no
 * option can stand. */
TEST_WITH(ssh_gets_the_options_then_the_host_then_one_constant_command, before_each, after_each)
{
    struct via_link link;
    struct failure failure = {0};
    char words[512];
    write_program("ssh", "#!/bin/sh\nprintf '<%s>' \"$@\" >&2\n");
    assert_true(via_open("ssh:-p 2 'a b'", &patience, &link, &failure) < 0);
    snprintf(words, sizeof(words),
             "<-p><2><-T><-a><-x><-oBatchMode=yes><-oRemoteCommand=none>"
             "<-oClearAllForwardings=yes><--><a b><%s>",
             keeping_command);
    if (!strstr(failure.text, words))
        fail_msg("%s", failure.text);
}

/* --- the machine --- */
TEST_WITH(a_machine_is_an_isa_or_a_clear_refusal, before_each, after_each)
{
    static const struct {
        const char *said, *isa, *words;
    } cases[] =
        TABLE({"Linux x86_64", "x86_64", NULL}, {"Linux aarch64", "aarch64", NULL},
              {"Linux arm64", "aarch64", NULL}, {"Linux mips64", "mips64", NULL},
              {"Linux armv7l", NULL, "32-bit machine (armv7l)"}, {"Linux armv8l", NULL, "32-bit"},
              {"Linux i686", NULL, "32-bit"}, {"Darwin arm64", NULL, "runs Darwin"},
              {"FreeBSD amd64", NULL, "runs FreeBSD"}, {"Linux ../../../etc", NULL, "does not say"},
              {"Linux", NULL, "does not say"}, {"", NULL, "does not say"},
              {"Linux x86_64 more", NULL, "does not say"},
              {"Linux aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL, "does not say"});
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char isa[32];
        struct failure failure = {0};
        int status = ssh_machine(cases[i].said, isa, "box", &failure);
        assert_int_equal(status == 0, cases[i].isa != NULL);
        if (cases[i].isa)
            assert_string_equal(isa, cases[i].isa);
        else if (!strstr(failure.text, cases[i].words))
            fail_msg("'%s': %s", cases[i].said, failure.text);
    }
}

TEST_WITH(the_checksum_is_that_of_cksum, before_each, after_each)
{
    assert_int_equal(cksum("", 0), 4294967295u);
    assert_int_equal(cksum("123456789", 9), 930766865u);
    char many[70000];
    memset(many, 'x', sizeof(many));
    assert_int_not_equal(cksum(many, sizeof(many)), cksum(many, sizeof(many) - 1));
    FILE *file = popen("head -c 70000 /dev/zero | tr '\\0' x | cksum", "re");
    unsigned long sum = 0;
    assert_int_equal(fscanf(file, "%lu", &sum), 1);
    pclose(file);
    assert_int_equal(cksum(many, sizeof(many)), sum);
}

TEST_WITH(a_failed_connection_quotes_ssh_and_says_what_next, before_each, after_each)
{
    static const struct {
        const char *script, *words;
    } cases[] = {
        {"echo 'ssh: connect to host box port 22: Connection refused' >&2; exit 255",
         "exit status 255 and said: ssh: connect to host box port 22: Connection refused. Next: "
         "check that sshd runs"},
        {"echo 'me@box: Permission denied (publickey,password).' >&2; exit 255", "ssh-copy-id"},
        {"echo 'Host key verification failed.' >&2; exit 255", "once by hand"},
        {"echo '@  WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!  @' >&2\n"
         "echo 'Host key verification failed.' >&2; exit 255",
         "ssh-keygen -R"},
        {"echo 'This account is currently not available.'; exit 1",
         "exit status 1 and said: This account is currently not available. Next: try the same"},
        {"kill -9 $$", "signal 9"},
        {"exec sed d", "did not come"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char script[512];
        struct via_link link;
        struct failure failure = {0};
        snprintf(script, sizeof(script), "#!/bin/sh\n%s\n", cases[i].script);
        write_program("ssh", script);
        assert_true(
            via_open("ssh:box", &(struct via_patience){.timeout_ms = 1000}, &link, &failure) < 0);
        if (!strstr(failure.text, cases[i].words) || !strstr(failure.text, "no connection to box"))
            fail_msg("'%s' does not say '%s'", failure.text, cases[i].words);
    }
}

/* A machine that talks without end, or in riddles, is no reason to wait or to trust it. */
TEST_WITH(a_hostile_answer_ends_in_words, before_each, after_each)
{
    static const char *const answers[] = {
        "yes '@assay-there Linux'",
        "yes 'All work and no play'",
        "echo @assay-there Linux fake64; yes '@assay-file 1 2 ./x'",
        "echo @assay-there Linux fake64; yes '@assay-file 99999999999999999999 -1 ./'",
        "echo @assay-there Linux fake64; yes '@assay-kept yes'",
        "printf '@assay-there \\000\\000\\n'",
        "echo '@assay-there Linux ../../../../etc'",
        "head -c 300000 /dev/zero",
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
        char script[512];
        struct via_link link;
        struct failure failure = {0};
        snprintf(script, sizeof(script), "#!/bin/sh\n%s\n", answers[i]);
        write_program("ssh", script);
        assert_true(
            via_open("ssh:box", &(struct via_patience){.timeout_ms = 500}, &link, &failure) < 0);
        assert_true(failure.text[0] != '\0');
    }
}

/* Every login shell must hand the command on unchanged: csh knows `!` even between quotes and no
 * line end there, fish the backslash. */
TEST_WITH(the_command_means_the_same_to_every_shell, before_each, after_each)
{
    assert_null(strpbrk(keeping_command, "!\\\n"));
    const char *open = strchr(keeping_command, '\'');
    assert_non_null(open);
    assert_string_equal(strchr(open + 1, '\''), "'"); /* the other one is the last character */
    assert_non_null(strstr(keeping_script, "\n#@assay-end\n"));
    assert_ptr_equal(strstr(keeping_script, "\n#@assay-end") + 1,
                     keeping_script + strlen(keeping_script) - strlen("#@assay-end\n"));
}
