/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lackey's trace, against a program whose few bytes stand in a file made here; and what is known of
 * code to read it. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"
#include "decode.h"
#include "probe/sources/valgrind-output.h"

#define TEXT 0x401000u

/* 401000 mov $3,%ecx · 401005 rep movsb · 401007 jne · 401009 lock addl · 401011 loop to itself */
static const uint8_t code[] = {0xb9, 3,    0,    0,    0, 0xf3, 0xa4, 0x75, 0xf7, 0xf0,
                               0x83, 0x05, 0xf0, 0x0f, 0, 0,    1,    0xe2, 0xfe};

struct program {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    uint8_t code[sizeof(code)];
};

static struct program sound_program(void)
{
    struct program program = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                   .e_type = ET_EXEC,
                   .e_phoff = offsetof(struct program, segment),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 1},
        .segment = {.p_type = PT_LOAD,
                    .p_offset = offsetof(struct program, code),
                    .p_vaddr = TEXT,
                    .p_filesz = sizeof(code),
                    .p_memsz = sizeof(code)},
    };
    memcpy(program.code, code, sizeof(code));
    return program;
}

static int open_program(struct image *image, const void *bytes, size_t length)
{
    char path[] = "/tmp/assay-test-image.XXXXXX";
    struct failure failure = {0};
    int fd = mkstemp(path);
    assert_int_equal(write(fd, bytes, length), (ssize_t)length);
    close(fd);
    *image = (struct image){0};
    int result = image_open(image, path, &failure);
    unlink(path);
    return result;
}

static void feed(struct trace *trace, const char *text)
{
    /* One byte at a time: lines may arrive in any pieces. */
    for (; *text; text++)
        trace_feed(trace, text, 1);
}

TEST(repetitions_and_double_loads_are_aligned)
{
#ifndef __x86_64__
    skip();
#endif
    struct image image;
    struct failure failure;
    struct program program = sound_program();
    assert_int_equal(open_program(&image, &program, sizeof(program)), 0);
    struct trace trace = {.image = &image};
    feed(&trace, "==7== Lackey, an example Valgrind tool, with a line longer than any of a trace\n"
                 "I  00401000,5\n");
    for (int pass = 0; pass < 2; pass++)
        feed(&trace, "I  00401005,2\n L 00402000,1\n S 00402040,1\n"
                     "I  00401005,2\n L 00402001,1\n S 00402041,1\n"
                     "I  00401005,2\n"
                     "I  00401007,2\n"); /* taken, and then not */
    feed(&trace, "I  00401009,8\n L 00402000,4\n M 00402000,4\n"
                 "I  00401011,2\nI  00401011,2\nI  00401013,2\n"
                 "I  7fff0000,2\n==7== \n");
    assert_int_equal(trace_end(&trace, &failure), 0);
    assert_int_equal(trace.counts[VALGRIND_INSTRUCTIONS_RAW], 14);
    assert_int_equal(trace.counts[VALGRIND_INSTRUCTIONS], 10);
    assert_int_equal(trace.counts[VALGRIND_UNREADABLE], 2); /* 401013 and 7fff0000 */
    assert_int_equal(trace.counts[VALGRIND_CONDITIONAL], 4);
    assert_int_equal(trace.counts[VALGRIND_TAKEN], 2);
    assert_int_equal(trace.counts[VALGRIND_LOADS], 5);
    assert_int_equal(trace.counts[VALGRIND_STORES], 5);
    image_close(&image);
}

TEST(damaged_lines_are_refused)
{
    static const char *const wrong[] = {
        "I  0040100g,5\n",          "I  ,5\n",          "I  00401000\n",
        "I  00401000,\n",           "I  00401000,0\n",  "I  00401000,5x\n",
        "I  00401000401000401,5\n", " L 00401000,-1\n", "I  00401000,9999999999\n"};
    struct image image;
    struct failure failure;
    struct program program = sound_program();
    assert_int_equal(open_program(&image, &program, sizeof(program)), 0);
    for (size_t index = 0; index < sizeof(wrong) / sizeof(*wrong); index++) {
        struct trace trace = {.image = &image};
        feed(&trace, "I  00401000,5\n");
        feed(&trace, wrong[index]);
        assert_int_equal(trace_end(&trace, &failure), -EBADMSG);
    }
    struct trace empty = {.image = &image};
    assert_int_equal(trace_end(&empty, &failure), -EBADMSG);
    image_close(&image);
}

TEST(files_that_are_no_static_program_are_refused)
{
    struct image image;
    size_t length = 1;
    struct program program = sound_program();
    assert_int_equal(open_program(&image, &program, 20), -ENOEXEC);
    assert_int_equal(open_program(&image, "", 0), -ENOEXEC);
    program.header.e_phnum = 9;
    assert_int_equal(open_program(&image, &program, sizeof(program)), -ENOEXEC);
    program = sound_program();
    program.header.e_type = ET_DYN;
    assert_int_equal(open_program(&image, &program, sizeof(program)), -ENOEXEC);
    program = sound_program();
    program.header.e_phoff = UINT64_MAX;
    assert_int_equal(open_program(&image, &program, sizeof(program)), -ENOEXEC);
    program = sound_program();
    program.segment.p_filesz = UINT64_MAX;
    assert_int_equal(open_program(&image, &program, sizeof(program)), 0);
    assert_null(image_at(&image, TEXT, &length));
    image_close(&image);
}

TEST(code_is_recognised)
{
#ifdef __x86_64__
    assert_true(decode_is_repeated((const uint8_t *)"\xf3\x48\xa5", 3));
    assert_true(decode_is_repeated((const uint8_t *)"\xf2\xae", 2));
    assert_false(decode_is_repeated((const uint8_t *)"\xf3\x0f\x58", 3)); /* addss */
    assert_false(decode_is_repeated((const uint8_t *)"\xf3\xc3", 2));
    assert_false(decode_is_repeated((const uint8_t *)"\xf3\xf3\xf3", 3));
    assert_true(traced_conditional((const uint8_t *)"\x0f\x85\0\0\0\0", 6));
    assert_true(traced_conditional((const uint8_t *)"\x2e\x75\xfe", 3));
    assert_true(traced_conditional((const uint8_t *)"\xe3\xfe", 2));
    assert_false(traced_conditional((const uint8_t *)"\xeb\xfe", 2));
    assert_false(traced_conditional((const uint8_t *)"\xe8\0\0\0\0", 5));
    assert_false(traced_conditional((const uint8_t *)"\x0f", 1));
    assert_true(traced_plain((const uint8_t *)"\x48\x83\xc0\x01\x75\xf7\xc3", 7));
    assert_false(traced_plain(code, sizeof(code)));
    assert_false(traced_plain((const uint8_t *)"\x90\x87\x06", 3));      /* xchg with memory */
    assert_true(traced_flushes((const uint8_t *)"\x90\x0f\xae\x3e", 4)); /* clflush (%rsi) */
    assert_false(traced_flushes((const uint8_t *)"\x0f\xae\xf0", 3));    /* mfence */
    assert_false(traced_flushes((const uint8_t *)"\x0f\xae", 2));
#endif
#ifdef __aarch64__
    assert_true(traced_conditional((const uint8_t *)"\x01\0\0\x54", 4)); /* b.ne */
    assert_true(traced_conditional((const uint8_t *)"\x20\0\0\xb5", 4)); /* cbnz */
    assert_true(traced_conditional((const uint8_t *)"\x20\0\0\x36", 4)); /* tbz */
    assert_false(traced_conditional((const uint8_t *)"\0\0\0\x14", 4));  /* b */
#endif
#ifdef __riscv
    assert_true(traced_conditional((const uint8_t *)"\x63\x02\xa5\0", 4)); /* beq */
    assert_true(traced_conditional((const uint8_t *)"\xe5\xfe", 2));       /* c.bnez */
    assert_false(traced_conditional((const uint8_t *)"\x09\xa0", 2));      /* c.j */
#endif
}
