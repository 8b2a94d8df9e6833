/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which passport answers, when it is stale and what differs; and what is refused, with planted
 * passports of planted machines. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "case.h"
#include "lib/trust.h"

#define NOW INT64_C(1800000000) /* 2027-01-15T08:00:00Z */

static const struct trust_machine base = {
    .known = {true, true, true, true, false, true, true, true, true, true, true, false},
    .value = {"x86_64", "GenuineIntel", "6", "85", "", "4", "A CPU", "0x1", "6.18.5", "#1 SMP",
              "none", ""},
};

static char folder[64];

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/assay-passports-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    return system(command); /* NOLINT(cert-env33-c): a name of our own */
}

/* --- planting --- */

struct planted_event {
    const char *name, *verdict, *validated;
    const char *more; /* other members, with a comma behind; NULL: a cause, a note and a path */
};

static void put_machine(const struct trust_machine *machine, FILE *out)
{
    fputs("\"machine\":[", out);
    for (int i = 0; i < MACHINE_FIELDS; i++) {
        const char *value = trust_machine_get(machine, i), *quote = value ? "\"" : "";
        fprintf(out, "%s{\"label\":\"%s\",\"field\":\"%s\",\"value\":%s%s%s}", i ? "," : "",
                machine_fields[i].label, machine_fields[i].key, quote, value ? value : "null",
                quote);
    }
    fputs("]", out);
}

static void put_event(const struct planted_event *event, bool first, FILE *out)
{
    fprintf(out, "%s{%s\"event\":\"%s\",\"verdict\":\"%s\",\"validated\":\"%s\"}", first ? "" : ",",
            event->more ? event->more
                        : "\"cause\":null,\"note\":\"a note\",\"path\":\"perf-read\",",
            event->name, event->verdict, event->validated);
}

static void path_of(const char *name, char path[256])
{
    snprintf(path, 256, "%s/%s", folder, name);
}

static void plant_as(const char *name, const struct trust_machine *machine,
                     const struct planted_event *events, size_t count)
{
    char path[256];
    path_of(name, path);
    AUTO_FILE FILE *out = fopen(path, "we");
    assert_non_null(out);
    fputs("{\"later\":{\"what\":[1]},\"schema\":\"" PASSPORT_SCHEMA "\",\"events\":[", out);
    for (size_t i = 0; i < count; i++)
        put_event(&events[i], i == 0, out);
    fputs("],", out);
    put_machine(machine, out);
    fputs("}\n", out);
}

static const char *name_of(const struct trust_machine *machine)
{
    static char name[24];
    trust_machine_name(machine, name);
    return strcat(name, ".json");
}

/* Under the name that validate would give it. */
static void plant(const struct trust_machine *machine, const struct planted_event *events,
                  size_t count)
{
    plant_as(name_of(machine), machine, events, count);
}

static void plant_text(const char *name, const char *text)
{
    char path[256];
    path_of(name, path);
    AUTO_FILE FILE *out = fopen(path, "we");
    assert_non_null(out);
    fputs(text, out);
}

static struct trust_machine other(const char *key, const char *value)
{
    struct trust_machine machine = base;
    trust_machine_set(&machine, trust_field(key), value);
    return machine;
}

/* --- asking --- */

static struct failure failure;

static int ask(const char *event, struct assay_trust_verdict *trust)
{
    const struct trust_question question = {
        .folder = folder, .event = event, .machine = &base, .now = NOW};
    failure = (struct failure){0};
    return trust_look(&question, trust, &failure);
}

TEST_WITH(its_own_passport_is_fresh, setup, teardown)
{
    struct assay_trust_verdict trust;
    static const struct planted_event events[] = {
        {"cycles", "dead", "2027-01-15T07:00:00Z", NULL},
        {"page-faults", "biased", "2027-01-15T07:58:20Z",
         "\"cause\":\"fault-overcount\",\"note\":\"one more\",\"path\":\"perf-user\","
         "\"overhead\":3,\"explanations\":[{\"size\":1.5e-1}],"}};
    plant(&base, events, 2);
    assert_int_equal(ask("page-faults", &trust), 0);
    assert_string_equal(trust.verdict, "biased");
    assert_string_equal(trust.cause, "fault-overcount");
    assert_string_equal(trust.note, "one more");
    assert_string_equal(trust.event, "page-faults");
    assert_string_equal(trust.path, "perf-user");
    assert_int_equal(trust.age_s, 100);
    assert_false(trust.stale);
    assert_string_equal(trust.difference, "");
}

/* Fields decide, not the name of the file. */
TEST_WITH(a_copy_under_another_name_is_fresh_too, setup, teardown)
{
    struct assay_trust_verdict trust;
    static const struct planted_event events[] = {{"a", "exact", "2027-01-15T07:00:00Z", NULL}};
    plant_as("0123456789abcdef.json", &base, events, 1);
    assert_int_equal(ask("a", &trust), 0);
    assert_false(trust.stale);
    /* Whatever the folder lists first, and although stale ones are newer. */
    static const struct planted_event newer[] = {{"a", "dead", "2027-01-15T07:30:00Z", NULL}};
    struct trust_machine then = other("kernel.release", "6.1.0");
    for (int digit = 0; digit <= 9; digit++) {
        char name[] = "x000000000000000.json";
        name[0] = "0123456789"[digit];
        plant_as(name, &then, newer, 1);
    }
    assert_int_equal(ask("a", &trust), 0);
    assert_false(trust.stale);
    assert_string_equal(trust.verdict, "exact");
}

TEST_WITH(each_field_that_differs_makes_it_stale, setup, teardown)
{
    static const struct planted_event events[] = {{"a", "exact", "2027-01-15T07:00:00Z", NULL}};
    static const char *const stale[] = {"cpu.variant",   "cpu.stepping",   "cpu.model_name",
                                        "cpu.microcode", "kernel.release", "kernel.version",
                                        "hypervisor"};
    for (size_t i = 0; i < sizeof(stale) / sizeof(*stale); i++) {
        struct assay_trust_verdict trust;
        struct trust_machine then = other(stale[i], "was");
        plant(&then, events, 1);
        assert_int_equal(ask("a", &trust), 0);
        assert_true(trust.stale);
        const char *now = base.value[trust_field(stale[i])];
        char expected[128];
        snprintf(expected, sizeof(expected), "%s was -> %s",
                 machine_fields[trust_field(stale[i])].label, *now ? now : "none");
        assert_string_equal(trust.difference, expected);
        assert_string_equal(trust.verdict, "exact");
        teardown(state);
        setup(state);
    }
}

TEST_WITH(of_stale_ones_the_newest_answers_and_a_fresh_one_before_all, setup, teardown)
{
    struct assay_trust_verdict trust;
    static const struct planted_event old[] = {{"a", "noisy", "2026-01-01T00:00:00Z", NULL},
                                               {"b", "exact", "2026-06-01T00:00:00Z", NULL}};
    static const struct planted_event newer[] = {{"a", "accurate", "2026-12-31T23:59:59Z", NULL}};
    static const struct planted_event oldest[] = {{"a", "exact", "2020-02-29T00:00:00Z", NULL}};
    struct trust_machine one = other("kernel.release", "6.1.0"),
                         two = other("kernel.release", "6.12.0");
    plant(&one, old, 2);
    plant(&two, newer, 1);
    assert_int_equal(ask("a", &trust), 0);
    assert_string_equal(trust.verdict, "accurate");
    assert_string_equal(trust.difference, "kernel 6.12.0 -> 6.18.5");
    assert_int_equal(ask("b", &trust), 0);
    assert_string_equal(trust.difference, "kernel 6.1.0 -> 6.18.5");
    plant(&base, oldest, 1);
    assert_int_equal(ask("a", &trust), 0);
    assert_string_equal(trust.verdict, "exact");
    assert_false(trust.stale);
    /* What the fresh one does not know a stale one may. */
    assert_int_equal(ask("b", &trust), 0);
    assert_true(trust.stale);
}

/* --- hostile ones --- */

TEST_WITH(what_is_no_passport_is_refused_with_file_and_place, setup, teardown)
{
    static const struct {
        struct planted_event event;
        const char *words;
    } bad[] = {
        {{"a", "exact", "yesterday", NULL}, "the moment of a"},
        {{"a", "exact", "2026-02-30T00:00:00Z", NULL}, "the moment of a"},
        {{"a", "exact", "2026-02-03T24:00:00Z", NULL}, "the moment of a"},
        {{"a", "exact", "2026-02-03T00:00:00", NULL}, "the moment of a"},
        {{"a", "exact", "2026-02-03T00:00:00Z0", NULL}, "the moment of a"},
        {{"a", "exact", "99999-02-03T00:00:00Z", NULL}, "the moment of a"},
        {{"a", "exact", "1960-02-03T00:00:00Z", NULL}, "the moment of a"},
        {{"a", "EXACT", "2026-02-03T00:00:00Z", NULL}, "no word"},
        {{"a", "", "2026-02-03T00:00:00Z", NULL}, "no word"},
        {{"a", "exact", "2026-02-03T00:00:00Z", "\"note\":null,\"path\":null,"}, "without cause"},
        {{"a", "exact", "2026-02-03T00:00:00Z", "\"cause\":\"x y\",\"note\":null,\"path\":null,"},
         "no word"},
        {{"a", "exact", "2026-02-03T00:00:00Z", "\"cause\":7,\"note\":null,\"path\":null,"},
         "'7' where a string"},
        {{"a", "exact", "2026-02-03T00:00:00Z",
          "\"cause\":null,\"cause\":null,\"note\":null,\"path\":null,"},
         "cause for the second time"},
        {{"a", "exact", "2026-02-03T00:00:00Z",
          "\"cause\":null,\"note\":null,\"path\":null,\"overhead\":1e400,"},
         "out of range"},
        {{"a", "exact", "2026-02-03T00:00:00Z",
          "\"cause\":null,\"note\":null,\"path\":null,\"x\":\"\xff\","},
         "UTF-8"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct assay_trust_verdict trust;
        plant(&base, &bad[i].event, 1);
        int error = ask("a", &trust);
        if (error != -EINVAL || !strstr(failure.text, bad[i].words) ||
            !strstr(failure.text, folder) || !strstr(failure.text, "line 1, column"))
            fail_msg("%zu: %d, \"%s\" instead of \"%s\"", i, error, failure.text, bad[i].words);
        assert_string_equal(trust.verdict, "unknown");
    }
}

TEST_WITH(the_same_twice_is_refused, setup, teardown)
{
    struct assay_trust_verdict trust;
    static const struct planted_event events[] = {{"a", "exact", "2026-02-03T00:00:00Z", NULL},
                                                  {"a", "dead", "2026-02-03T00:00:00Z", NULL}};
    plant(&base, events, 2);
    assert_int_equal(ask("a", &trust), -EINVAL);
    assert_non_null(strstr(failure.text, "the event a for the second time"));
    static const struct {
        const char *text, *words;
    } wholes[] = {
        {"{}", "schema is missing"},
        {"[]", "'[' where an object"},
        {"{\"schema\":\"assay/passport/2\",\"machine\":[],\"events\":[]}", "its schema is not"},
        {"{\"schema\":\"assay/passport/1\",\"machine\":[],\"events\":[]}", "the machine's isa"},
        {"{\"schema\":\"assay/passport/1\",\"machine\":{},\"events\":[]}", "'{' where an array"},
        {"{\"schema\":\"assay/passport/1\",\"machine\":[{\"field\":\"isa\"}],\"events\":[]}",
         "without value"},
        {"{\"events\":[],\"events\":[]}", "events for the second time"},
        {"{\"machine\":[{\"field\":\"isa\",\"value\":\"a\"},{\"field\":\"isa\",\"value\":\"b\"}]}",
         "isa for the second time"},
    };
    const char *const name = name_of(&base);
    for (size_t i = 0; i < sizeof(wholes) / sizeof(*wholes); i++) {
        plant_text(name, wholes[i].text);
        if (ask("a", &trust) != -EINVAL || !strstr(failure.text, wholes[i].words))
            fail_msg("\"%s\" instead of \"%s\"", failure.text, wholes[i].words);
    }
}

TEST_WITH(a_broken_one_of_another_machine_hides_nothing, setup, teardown)
{
    struct assay_trust_verdict trust;
    static const struct planted_event events[] = {{"a", "exact", "2026-02-03T00:00:00Z", NULL}};
    struct trust_machine then = other("kernel.release", "6.1.0");
    plant_text("0000000000000000.json", "{");
    plant_text("ffffffffffffffff.json", "{");
    assert_int_equal(ask("a", &trust), -EINVAL);
    plant(&then, events, 1);
    assert_int_equal(ask("a", &trust), 0);
    /* Its own, though, is not silently passed over for a stale one. */
    const char *const name = name_of(&base);
    plant_text(name, "{\"schema\":");
    assert_int_equal(ask("a", &trust), -EINVAL);
    assert_non_null(strstr(failure.text, name));
}

TEST_WITH(what_is_printed_steers_no_terminal, setup, teardown)
{
    struct assay_trust_verdict trust;
    static const struct planted_event events[] = {
        {"a", "exact", "2026-02-03T00:00:00Z",
         "\"cause\":null,\"note\":\"\\u001b[31m\\u009b\\n\\u007f \xc3\xa9\",\"path\":\"\\t\","}};
    struct trust_machine then = other("kernel.release", "6\\u001b[2J");
    plant(&then, events, 1);
    assert_int_equal(ask("a", &trust), 0);
    assert_string_equal(trust.note, "?[31m???? \xc3\xa9");
    assert_string_equal(trust.path, "?");
    assert_string_equal(trust.difference, "kernel 6?[2J -> 6.18.5");
}

/* Longer than its place: cut between characters, never beyond. */
TEST_WITH(long_words_are_cut, setup, teardown)
{
    struct assay_trust_verdict trust;
    char more[4096] = "\"cause\":null,\"path\":null,\"note\":\"", value[900] = "";
    for (int i = 0; i < 400; i++)
        strcat(more, "\xe2\x82\xac");
    strcat(more, "\",");
    for (int i = 0; i < 290; i++)
        strcat(value, "\xe2\x82\xac");
    const struct planted_event events[] = {{"a", "exact", "2027-01-15T09:00:00Z", more}};
    struct trust_machine then = other("kernel.release", value);
    plant(&then, events, 1);
    assert_int_equal(ask("a", &trust), 0);
    assert_true(strlen(trust.note) > 200 && strlen(trust.note) < sizeof(trust.note));
    assert_int_equal((strlen(trust.note) - strlen("dated in the future; ")) % 3, 0);
    assert_int_equal((strlen(trust.difference) - strlen("kernel ")) % 3, 0);
    assert_true(strlen(trust.difference) > 200);
}

TEST_WITH(only_files_that_are_the_users_own_are_read, setup, teardown)
{
    struct assay_trust_verdict trust;
    static const struct planted_event events[] = {{"a", "exact", "2026-02-03T00:00:00Z", NULL}};
    const char *const name = name_of(&base);
    char path[256], elsewhere[256];
    path_of(name, path);
    path_of("elsewhere", elsewhere);
    plant(&base, events, 1);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(ask("a", &trust), -EINVAL);
    assert_non_null(strstr(failure.text, "everybody may write it"));
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(ask("a", &trust), 0);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    assert_int_equal(ask("a", &trust), -EINVAL);
    assert_non_null(strstr(failure.text, "symbolic link"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(ask("a", &trust), -EINVAL); /* and it does not wait for a writer */
    assert_non_null(strstr(failure.text, "regular file"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(ask("a", &trust), -EINVAL);
    assert_int_equal(rmdir(path), 0);
    if (geteuid() == 0) {
        assert_int_equal(rename(elsewhere, path), 0);
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_int_equal(ask("a", &trust), -EINVAL);
        assert_non_null(strstr(failure.text, "another user"));
    }
}

/* --- the public names --- */

TEST_WITH(the_folder_is_the_users, setup, teardown)
{
    char path[64];
    setenv("HOME", "/home/me", 1);
    setenv("XDG_STATE_HOME", "/state", 1);
    assert_int_equal(assay_trust_folder(path, sizeof(path)), 22);
    assert_string_equal(path, "/state/assay/passports");
    assert_int_equal(assay_trust_folder(path, 7), 22);
    assert_string_equal(path, "/state");
    setenv("XDG_STATE_HOME", "relative", 1);
    assay_trust_folder(path, sizeof(path));
    assert_string_equal(path, "/home/me/.local/state/assay/passports");
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", "", 1);
    assert_int_equal(assay_trust_folder(path, sizeof(path)), -ENOENT);
    struct assay_trust_verdict trust;
    assert_int_equal(assay_trust("a", &trust), -ENOENT);
    assert_string_equal(trust.verdict, "unknown");
    assert_int_equal(assay_trust(NULL, &trust), -EINVAL);
    assert_int_equal(assay_trust("", &trust), -EINVAL);
}

static void *ask_often(void *wrong)
{
    for (int i = 0; i < 50; i++) {
        struct assay_trust_verdict trust;
        if (assay_trust("a", &trust) != 0 || strcmp(trust.verdict, "exact") != 0 || trust.stale ||
            assay_trust("b", &trust) != -ENOENT || !strstr(assay_last_error(), "b was not"))
            ++*(int *)wrong;
    }
    return NULL;
}

TEST_WITH(threads_ask_at_the_same_time, setup, teardown)
{
    static const struct planted_event events[] = {{"a", "exact", "2026-02-03T00:00:00Z", NULL}};
    struct trust_machine here;
    trust_machine_read("", NULL, &here);
    setenv("XDG_STATE_HOME", folder, 1);
    char place[128];
    snprintf(place, sizeof(place), "%s/assay", folder);
    assert_int_equal(mkdir(place, 0700), 0);
    strcat(place, "/passports");
    assert_int_equal(mkdir(place, 0700), 0);
    char whole[sizeof(folder)];
    strcpy(whole, folder);
    strcat(folder, "/assay/passports");
    plant(&here, events, 1);
    strcpy(folder, whole);
    pthread_t threads[4];
    int wrong[4] = {0};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &wrong[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
}
