/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plugin's output, read: as it writes it, and as somebody else might. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "case.h"
#include "probe/sources/qemu.h"

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
