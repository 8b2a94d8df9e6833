/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole machines judged again: every folder of tests/machines holds `facts` (recorded) or `root`
 * (a tree that is collected from), and `doctor.expected`, one "check status" a line. */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "case.h"
#include "machine/check.h"

#define MAX_MACHINES 64
#define LEAST        7 /* so that an empty or misplaced folder does not pass */

static char folders[MAX_MACHINES][512];
static char fingerprints[MAX_MACHINES][17];
static size_t folder_count;

static FILE *open_in(const char *folder, const char *name)
{
    AUTO_FREE char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        abort();
    return fopen(path, "re");
}

static void collect_machine(const char *folder, struct facts *facts)
{
    struct failure failure = {0};
    AUTO_FILE FILE *recorded = open_in(folder, "facts");
    if (recorded) {
        if (facts_read(facts, recorded, &failure) < 0)
            fail_msg("%s/facts: %s", folder, failure.text);
        return;
    }
    AUTO_FREE char *root = NULL;
    if (asprintf(&root, "%s/root", folder) < 0)
        abort();
    AUTO_FACTS struct facts live = {0};
    struct machine_view view;
    if (view_open_recorded(&view, root, &live, &failure) < 0)
        fail_msg("%s: %s", folder, failure.text);
    if (live.count == 0)
        fail_msg("%s has neither facts nor root/live", folder);
    machine_collect(&view, facts);
}

static void read_expected(const char *folder, struct facts *expected)
{
    AUTO_FILE FILE *file = open_in(folder, "doctor.expected");
    if (!file)
        fail_msg("%s: no doctor.expected", folder);
    char line[128], check[64], status[16];
    while (fgets(line, sizeof(line), file))
        if (line[0] != '#' && sscanf(line, "%63s %15s", check, status) == 2)
            facts_set(expected, check, status, 0);
}

static void is_judged_as_expected(void **state)
{
    const char *folder = *state;
    AUTO_FACTS struct facts facts = {0};
    AUTO_FACTS struct facts expected = {0};
    collect_machine(folder, &facts);
    read_expected(folder, &expected);
    size_t checks = 0;
    for (const struct check *const *check = check_registry; *check; check++, checks++) {
        struct advice advice;
        check_judge(*check, &facts, &advice);
        const char *found = facts_get(&expected, (*check)->name);
        const char *status = found ? found : "not in doctor.expected";
        if (strcmp(status, check_status_names[advice.status]) != 0)
            fail_msg("%s is %s (%s), expected: %s", (*check)->name,
                     check_status_names[advice.status], advice.value, status);
    }
    assert_int_equal(expected.count, checks); /* nothing expected of checks that do not exist */
    machine_fingerprint(&facts, fingerprints[(folder - folders[0]) / (ptrdiff_t)sizeof(*folders)]);
}

EXAMPLES(find_machines)
{
    const char *source = getenv("ASSAY_SOURCE");
    AUTO_FREE char *all = NULL;
    if (asprintf(&all, "%s/tests/machines", source ? source : ".") < 0)
        abort();
    AUTO_DIR DIR *folder = opendir(all);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && folder_count < MAX_MACHINES)
            snprintf(folders[folder_count++], sizeof(*folders), "%s/%s", all, entry->d_name);
    for (size_t i = 0; i < folder_count; i++)
        unit_example(strrchr(folders[i], '/') + 1, is_judged_as_expected, folders[i]);
}

/* docs/facts.md names every key in backquotes; users read recorded facts with it. */
TEST(every_fact_is_documented)
{
    const char *source = getenv("ASSAY_SOURCE");
    AUTO_FACTS struct facts facts = {0};
    AUTO_TEXT struct text document = {0};
    const struct machine_view here = {.root = ""};
    const struct machine_view tree = {.root = source ? source : "."};
    assert_int_equal(view_text(&tree, "/docs/facts.md", &document), 0);
    machine_collect(&here, &facts);
    for (size_t i = 0; i < facts.count; i++) {
        char quoted[FACTS_MAX_KEY + 3];
        snprintf(quoted, sizeof(quoted), "`%s`", facts.list[i].key);
        if (!strstr(text_string(&document), quoted))
            fail_msg("docs/facts.md does not say what %s is", quoted);
    }
}

TEST(no_two_machines_share_a_fingerprint)
{
    for (size_t i = 0; i < folder_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(fingerprints[i], fingerprints[j]);
}

TEST(machines_were_found)
{
    assert_true(folder_count >= LEAST);
}
