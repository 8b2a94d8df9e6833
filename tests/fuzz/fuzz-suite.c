/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A file from anywhere, read as a suite: refused with a sentence, or every workload of it has a
 * command and every input can be made. */
#include "fuzz.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/words.h"
#include "studies/repeat/suite.h"

/* One file for all inputs, in memory where there is such a file system. */
static const char *file_name(void)
{
    static char name[64];
    if (!name[0])
        snprintf(name, sizeof(name), "%s/assay-fuzz-suite-%d",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
    return name;
}

static void write_file(const uint8_t *bytes, size_t size)
{
    AUTO_CLOSE int fd = open(file_name(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
}

static void check(const struct suite *suite)
{
    assert(suite->count >= 1);
    for (size_t i = 0; i < suite->count; i++) {
        const struct workload *one = &suite->list[i];
        AUTO_WORDS char **words = NULL;
        assert(brought_name_is_plain(one->name));
        assert(words_split(one->command, &words, NULL) >= 1 && words[0][0]);
        assert(one->package && one->needs && one->input);
    }
    for (size_t i = 0; i < suite->input_count; i++) {
        const struct made_input *input = &suite->inputs[i];
        assert(brought_name_is_plain(input->name) && !input->kind == !!input->file);
        assert(!input->file || brought_name_is_plain(input->file));
        assert(!input->kind || (made_input_known(input->kind) && input->size >= 1));
        assert(input->size <= BROUGHT_MOST_BYTES);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct suite suite;
    struct failure failure = {0};
    struct memory_scope scope;
    memory_scope_begin(&scope);
    write_file(bytes, size);
    int error = suite_read(file_name(), &suite, &failure);
    unlink(file_name());
    assert(!error || (error < 0 && failure.text[0]));
    if (!error)
        check(&suite);
    memory_scope_end(&scope);
    return 0;
}
