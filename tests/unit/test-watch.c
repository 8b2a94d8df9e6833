/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tracer that tells who touches a word (tests/guest/watch.h), on code whose accesses are plain
 * to see: it must tell writes from reads, both from neither, and this word from another. */
#include "case.h"
#include "guest/watch.h"
#include "specimens/framed.h"

SPECIMEN_ASSEMBLY(watched_writes, CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_STORE) CODE_RETURN);
SPECIMEN_ASSEMBLY(watched_reads, CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_LOAD) CODE_RETURN);
SPECIMEN_ASSEMBLY(watched_both,
                  CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_STORE CODE_LOAD CODE_STORE) CODE_RETURN);
SPECIMEN_ASSEMBLY(watched_neither, CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_ADD CODE_NOP) CODE_RETURN);

static volatile uint64_t word, other;

struct code {
    void (*code)(struct specimen_state *state);
    const char *end;
    uint64_t writes, either; /* of an iteration */
};
#define CODE(name, writes, either)                                                                 \
    {                                                                                              \
        name, name##_end, writes, either                                                           \
    }

static const struct code codes[] = {CODE(watched_writes, 1, 1), CODE(watched_reads, 0, 1),
                                    CODE(watched_both, 2, 3), CODE(watched_neither, 0, 0)};
enum { CODES = sizeof(codes) / sizeof(codes[0]) };

static bool watch_code(const struct code *code, uint64_t n, volatile uint64_t *memory,
                       struct watch *watch)
{
    struct specimen_state state = {.n = n, .memory = (void *)(uintptr_t)memory, .bytes = 8};
    *watch = (struct watch){
        .word = (uintptr_t)&word, .begin = (uintptr_t)code->code, .end = (uintptr_t)code->end};
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        code->code(&state);
        _exit(0);
    }
    return watch_child(child, watch);
}

TEST(every_access_is_seen_for_what_it_is)
{
    struct watch watch;
    if (!watch_code(&codes[3], 1, &word, &watch))
        skip_because("ptrace cannot step here, or not set all registers");
    for (size_t i = 0; i < CODES; i++)
        for (uint64_t n = 1; n <= 49; n += 24) {
            assert_true(watch_code(&codes[i], n, &word, &watch));
            assert_int_equal(watch.writes, codes[i].writes * n);
            assert_int_equal(watch.either, codes[i].either * n);
        }
}

TEST(accesses_elsewhere_are_none)
{
    struct watch watch;
    for (size_t i = 0; i < CODES; i++) {
        if (!watch_code(&codes[i], 5, &other, &watch))
            skip_because("ptrace cannot step here, or not set all registers");
        assert_int_equal(watch.writes, 0);
        assert_int_equal(watch.either, 0);
    }
}
