/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Accounts of QEMU's plugin: what did not come to its end is taken away, and one that is damaged,
 * missing or not whole makes no count. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "case.h"
#include "probe/command/detail.h"
#include "probe/sources/qemu.h"

/* Of the parts that are not tried here. */
int command_fail(const struct command_visit *visit, int code, const char *format, ...)
{
    (void)visit, (void)format;
    return code;
}
int executed_write(const struct command_visit *visit, const struct executed_instruction *list,
                   size_t count, const struct mapped *maps, size_t map_count)
{
    (void)visit, (void)list, (void)count, (void)maps, (void)map_count;
    return 0;
}

struct folder {
    char path[64];
    struct qemu_accounts accounts;
    struct failure failure;
};

static int make(void **state)
{
    struct folder *folder = calloc(1, sizeof(*folder));
    *state = folder;
    snprintf(folder->path, sizeof(folder->path), "/tmp/accounts.XXXXXX");
    return mkdtemp(folder->path) ? 0 : -1;
}

static int leave(void **state)
{
    struct folder *folder = *state;
    char path[128];
    qemu_accounts_free(&folder->accounts);
    for (int number = 0; number < 4; number++) {
        snprintf(path, sizeof(path), "%s/" ACCOUNT_PREFIX "1.%d", folder->path, number);
        unlink(path);
    }
    int result = rmdir(folder->path);
    free(folder);
    return result;
}

static struct account_header header_of(uint64_t records)
{
    struct account_header header = {.tasks = 1, .calls = 1, .records = records};
    memcpy(header.magic, ACCOUNT_MAGIC, sizeof(header.magic));
    strcpy(header.target, "x86_64");
    return header;
}

static struct account_record at(uint64_t address, uint64_t entries, uint64_t inner, uint64_t last)
{
    return (struct account_record){.address = address,
                                   .bytes = {0x90},
                                   .about = 1,
                                   .entries = entries,
                                   .inner = inner,
                                   .last = last};
}

static void put(const struct folder *folder, int number, const struct account_header *header,
                const struct account_record *records, uint64_t size)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/" ACCOUNT_PREFIX "1.%d", folder->path, number);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(pwrite(fd, header, sizeof(*header), 0), sizeof(*header));
    if (header->records < 100) {
        size_t length = (size_t)header->records * sizeof(*records);
        assert_int_equal(pwrite(fd, records, length, (off_t)ACCOUNT_RECORDS_AT), length);
    }
    close(fd);
}

static int read_all(struct folder *folder)
{
    int result = qemu_accounts_read(&folder->accounts, folder->path, "x86_64", &folder->failure);
    assert_true(result == 0 || folder->failure.text[0]);
    return result;
}

static void expect_sums(struct folder *folder, const struct account_record *records, uint64_t count,
                        uint64_t instructions, uint64_t repetitions)
{
    const struct account_header header = header_of(count);
    put(folder, 0, &header, records, ACCOUNT_FILE_BYTES);
    assert_int_equal(read_all(folder), 0);
    assert_int_equal(folder->accounts.instructions, instructions);
    assert_int_equal(folder->accounts.repetitions, repetitions);
    assert_int_equal(folder->accounts.tasks, 1);
    assert_int_equal(folder->accounts.processes, 1);
}

TEST_WITH(test_a_fault_in_a_block_takes_one_away, make, leave)
{
    /* Twice entered; the second instruction faulted once, and was begun again by a block. */
    const struct account_record records[] = {at(10, 2, 2, 0), at(11, 1, 3, 0), at(12, 0, 0, 2)};
    expect_sums(*state, records, 3, 6, 0);
}

TEST_WITH(test_one_at_the_end_of_a_block_is_told_by_its_access, make, leave)
{
    struct account_record records[] = {at(10, 5, 0, 5), at(20, 3, 0, 3)};
    records[0].about |= ACCOUNT_WATCHED;
    records[0].done = 4;
    records[1].about |= ACCOUNT_FAULTS;
    expect_sums(*state, records, 2, 4, 0);
}

TEST_WITH(test_repetitions_are_told_apart, make, leave)
{
    struct account_record records[] = {at(10, 1001, 0, 1001)};
    records[0].about |= ACCOUNT_REPEATED;
    records[0].repetitions = 1000;
    expect_sums(*state, records, 1, 1, 1000);
}

TEST_WITH(test_one_killed_as_it_entered_a_block_is_whole, make, leave)
{
    const struct account_record records[] = {at(10, 1, 0, 1), at(11, 1, 0, 0)};
    expect_sums(*state, records, 2, 1, 0);
}

TEST_WITH(test_an_account_that_is_missing_is_noticed, make, leave)
{
    struct folder *folder = *state;
    const struct account_record records[] = {at(10, 1, 0, 1)};
    struct account_header header = header_of(1);
    header.forks = 1;
    put(folder, 0, &header, records, ACCOUNT_FILE_BYTES);
    assert_int_equal(read_all(folder), -EIO);
    assert_non_null(strstr(folder->failure.text, "step"));
}

TEST_WITH(test_children_and_programs_are_added, make, leave)
{
    struct folder *folder = *state;
    const struct account_record records[] = {at(10, 1, 0, 1)};
    struct account_header header = header_of(1);
    header.forks = header.followed = 1;
    put(folder, 0, &header, records, ACCOUNT_FILE_BYTES);
    header.forks = header.followed = 0;
    put(folder, 1, &header, records, ACCOUNT_FILE_BYTES);
    put(folder, 2, &header, records, ACCOUNT_FILE_BYTES);
    assert_int_equal(read_all(folder), 0);
    assert_int_equal(folder->accounts.instructions, 3);
    assert_int_equal(folder->accounts.processes, 2);
    assert_int_equal(folder->accounts.tasks, 2);
}

TEST_WITH(test_one_that_left_is_refused_with_its_name, make, leave)
{
    struct folder *folder = *state;
    const struct account_record records[] = {at(10, 1, 0, 1)};
    struct account_header header = header_of(1);
    header.leaving = 1;
    strcpy(header.other, "/bin/foreign");
    put(folder, 0, &header, records, ACCOUNT_FILE_BYTES);
    assert_int_equal(read_all(folder), -ENOTSUP);
    assert_non_null(strstr(folder->failure.text, "/bin/foreign"));
}

TEST_WITH(test_nothing_is_no_account, make, leave)
{
    assert_int_equal(read_all(*state), -ENOTSUP);
}

static void refused(void **state, struct account_header header, struct account_record record,
                    uint64_t size, int code)
{
    assert_int_equal(make(state), 0);
    put(*state, 0, &header, &record, size);
    assert_int_equal(read_all(*state), code);
    assert_int_equal(leave(state), 0);
}

TEST_WITH(test_what_is_damaged_is_refused, NULL, NULL)
{
#define REFUSED(change, code)                                                                      \
    do {                                                                                           \
        struct account_header header = header_of(1);                                               \
        struct account_record record = at(10, 1, 0, 1);                                            \
        change;                                                                                    \
        refused(state, header, record, ACCOUNT_FILE_BYTES, code);                                  \
    } while (0)
    refused(state, header_of(1), at(10, 1, 0, 1), ACCOUNT_FILE_BYTES - 1, -EBADMSG);
    REFUSED(header.magic[0] = 'x', -EBADMSG);
    REFUSED(strcpy(header.target, "aarch64"), -EBADMSG);
    REFUSED(header.records = (uint64_t)ACCOUNT_RECORDS + 1, -EBADMSG);
    REFUSED(header.maps = ACCOUNT_MAPS + 1, -EBADMSG);
    REFUSED(header.lack = ACCOUNT_TOO_MUCH_CODE, -ENOTSUP);
    REFUSED(header.records = 0, -ENOTSUP);     /* another source may count it */
    REFUSED(record.repetitions = 2, -EBADMSG); /* more often than it was begun */
    REFUSED(record.done = 2, -EBADMSG);
    REFUSED(record.about = 0, -EBADMSG); /* without a length */
}

TEST_WITH(test_more_than_came_is_refused, make, leave)
{
    struct folder *folder = *state;
    const struct account_record records[] = {at(10, 1, 1, 0), at(11, 0, 0, 2)};
    const struct account_header header = header_of(2);
    put(folder, 0, &header, records, ACCOUNT_FILE_BYTES);
    assert_int_equal(read_all(folder), -EBADMSG);
}

/* --- the plugin's output, read --- */

static void put_header(struct text *text, const char *isa)
{
    text_printf(text, "assay-qemu 1 %s\ncolumns", isa);
    for (int column = 0; column < QEMU_COLUMN_COUNT; column++)
        text_printf(text, " %s", qemu_column_names[column]);
    text_puts(text, "\n");
}

/* Counts 100, 101, … in the first pass, 200, 201, … in the second. */
static void put_pass(struct text *text, unsigned number)
{
    text_puts(text, "pass");
    for (unsigned column = 0; column < QEMU_COLUMN_COUNT; column++)
        text_printf(text, " %u", 100 * number + column);
    text_puts(text, "\n");
}

static int read_it(const char *bytes, size_t length, const char *isa, uint32_t passes,
                   qemu_counts *rows)
{
    struct failure failure = {0};
    /* Exactly so many bytes: a reader that looks behind them is found by the sanitizer. */
    char *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    int result = qemu_output_read(copy, length, isa, passes, rows, &failure);
    free(copy);
    assert_int_equal(result, failure.code);
    return result;
}

static void sound_text(struct text *text)
{
    put_header(text, "riscv64");
    put_pass(text, 1);
    put_pass(text, 2);
    text_puts(text, "end 2\n");
}

TEST(every_pass_becomes_a_row)
{
    AUTO_TEXT struct text text = {0};
    qemu_counts rows[2];
    sound_text(&text);
    assert_int_equal(read_it(text.bytes, text.length, "riscv64", 2, rows), 0);
    assert_int_equal(rows[0][QEMU_INSTRUCTIONS], 100);
    assert_int_equal(rows[1][QEMU_AMBIGUOUS], 200 + QEMU_AMBIGUOUS);
}

TEST(another_number_of_passes_or_target_is_refused)
{
    AUTO_TEXT struct text text = {0};
    qemu_counts rows[3];
    sound_text(&text);
    assert_int_equal(read_it(text.bytes, text.length, "riscv64", 1, rows), -EBADMSG);
    assert_int_equal(read_it(text.bytes, text.length, "riscv64", 3, rows), -EBADMSG);
    assert_int_equal(read_it(text.bytes, text.length, "x86_64", 2, rows), -EBADMSG);
}

TEST(output_cut_short_anywhere_is_refused)
{
    AUTO_TEXT struct text text = {0};
    qemu_counts rows[2];
    sound_text(&text);
    for (size_t length = 0; length < text.length; length++)
        assert_int_equal(read_it(text.bytes, length, "riscv64", 2, rows), -EBADMSG);
    text_puts(&text, "x");
    assert_int_equal(read_it(text.bytes, text.length, "riscv64", 2, rows), -EBADMSG);
}

TEST(a_changed_byte_never_becomes_another_shape)
{
    AUTO_TEXT struct text text = {0};
    qemu_counts rows[2];
    sound_text(&text);
    for (size_t index = 0; index < text.length; index++) {
        char kept = text.bytes[index];
        text.bytes[index] = '~';
        assert_int_equal(read_it(text.bytes, text.length, "riscv64", 2, rows), -EBADMSG);
        text.bytes[index] = kept;
    }
}

TEST(counts_beyond_64_bits_are_refused)
{
    AUTO_TEXT struct text text = {0};
    qemu_counts rows[1];
    put_header(&text, "x86_64");
    text_puts(&text, "pass 99999999999999999999999");
    for (int column = 1; column < QEMU_COLUMN_COUNT; column++)
        text_puts(&text, " 1");
    text_puts(&text, "\nend 1\n");
    assert_int_equal(read_it(text.bytes, text.length, "x86_64", 1, rows), -EBADMSG);
}
