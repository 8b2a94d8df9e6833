/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file of facts from anywhere, judged as `assay doctor --facts` judges it: it is refused with a
 * sentence, or every check gives printable advice, and what is written is read again the same. */
#include "fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/check.h"

static int read_facts(const void *bytes, size_t size, struct facts *facts, struct failure *failure)
{
    AUTO_FREE void *copy = malloc(size + 1);
    assert(copy);
    memcpy(copy, bytes, size);
    AUTO_FILE FILE *file = fmemopen(copy, size, "r");
    return file ? facts_read(facts, file, failure) : -1;
}

static void judge_all(const struct facts *facts)
{
    for (const struct check *const *check = check_registry; *check; check++) {
        struct advice advice;
        check_judge(*check, facts, &advice);
        assert(advice.value[0] && advice.why[0]);
        for (const char *byte = advice.value; *byte; byte++)
            assert(*byte >= 0x20 && *byte < 0x7f);
    }
    char fingerprint[17], difference[64];
    machine_fingerprint(facts, fingerprint);
    assert(machine_difference(facts, facts, difference, sizeof(difference)) == 0);
    AUTO_TEXT struct text line = {0};
    machine_sentence(facts, &line);
}

static void write_and_read_again(const struct facts *facts)
{
    AUTO_FREE char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    assert(out && facts_write(facts, out) == 0 && fclose(out) == 0);
    AUTO_FACTS struct facts again = {0};
    assert(facts->count == 0 || read_facts(written, size, &again, NULL) == 0);
    assert(again.count == facts->count);
    for (size_t i = 0; i < facts->count; i++) {
        const char *value = facts->list[i].value;
        assert(strcmp(again.list[i].key, facts->list[i].key) == 0);
        assert(again.list[i].error == facts->list[i].error);
        assert(!value || strcmp(again.list[i].value, value) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO_FACTS struct facts facts = {0};
    struct failure failure = {0};
    if (size == 0)
        return 0;
    if (read_facts(bytes, size, &facts, &failure) < 0) {
        assert(failure.text[0]);
        return 0;
    }
    judge_all(&facts);
    write_and_read_again(&facts);
    return 0;
}
