/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * libassay: count events in your own process and know what each number is worth.
 *
 *     struct assay_set *set;
 *     const char *events[] = {"page-faults:u", "instructions:u"};
 *     if (assay_set_open(&set, events, 2, 0) < 0)
 *         ...
 *     assay_set_enable(set);
 *     work();
 *     assay_set_disable(set);
 *     struct assay_value values[2];
 *     assay_set_read(set, values);
 *     assay_set_close(set);
 *
 * An event that cannot be counted does not spoil the set: its value says `unsupported`, and
 * assay_set_reason says why in words. Functions return 0 or a negative errno. A set belongs to
 * the thread that opened it and counts that thread. Needs libc only. */
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_VERSION_MAJOR 0
#define ASSAY_VERSION_MINOR 1
#define ASSAY_MAX_COUNTERS  32

#define ASSAY_API __attribute__((visibility("default")))

struct assay_set;

/* What a value is. */
enum assay_state {
    ASSAY_COUNTED,     /* the counter ran all the time it was enabled */
    ASSAY_MULTIPLEXED, /* it ran part of the time: `scaled` extrapolates, `count` does not */
    ASSAY_UNSCHEDULED, /* it was enabled but never got a counter: the zero means nothing */
    ASSAY_UNSUPPORTED, /* it could not be opened: see assay_set_reason */
};

struct assay_value {
    uint64_t count;      /* as the operating system reported it */
    uint64_t enabled_ns; /* how long it was enabled */
    uint64_t running_ns; /* how long it was really counting */
    double scaled;       /* count * enabled / running; equals count when counted */
    enum assay_state state;
};

enum assay_flags {
    ASSAY_SEPARATE = 1, /* every event on its own instead of as one group */
    ASSAY_PINNED = 2,   /* must always be on a counter (group leader pinned) */
    ASSAY_INHERIT = 4,  /* count children too; implies ASSAY_SEPARATE */
};

/* Opens count events (at most ASSAY_MAX_COUNTERS) for the calling thread, disabled and at zero.
 * Malformed or unknown names fail the call: -EINVAL, -ENOENT, with the text in
 * assay_last_error(). Events the machine refuses become `unsupported` members. */
ASSAY_API int assay_set_open(struct assay_set **set, const char *const *events, size_t count,
                             unsigned flags);
ASSAY_API void assay_set_close(struct assay_set *set);

ASSAY_API int assay_set_enable(struct assay_set *set);
ASSAY_API int assay_set_disable(struct assay_set *set);
ASSAY_API int assay_set_reset(struct assay_set *set);

/* Fills one value per event, in the order they were opened. Where the ISA is known the system call
 * stands in the caller's own code (see the end of this file), because the first return instruction
 * after a system call is expensive: on CPUs whose return predictor the kernel has to clean, nearly
 * half as much again as the whole read. The function itself is exported for other languages. */
ASSAY_API int assay_set_read(struct assay_set *set, struct assay_value *values);

ASSAY_API size_t assay_set_size(const struct assay_set *set);
ASSAY_API const char *assay_set_event(const struct assay_set *set, size_t index);

/* 0 when the event is open, else the positive errno and a sentence saying why and what to do. */
ASSAY_API int assay_set_error(const struct assay_set *set, size_t index);
ASSAY_API const char *assay_set_reason(const struct assay_set *set, size_t index);

ASSAY_API const char *assay_state_name(enum assay_state state);

/* The text of this thread's last failed call; "" when none failed. */
ASSAY_API const char *assay_last_error(void);

/* --- reading in place: not part of the interface, may change between versions --- */

/* The beginning of every set. */
struct assay_reader {
    int descriptor; /* one read here delivers all; -1: there is no such descriptor */
    unsigned size;  /* bytes it delivers */
    uint64_t report[3 + ASSAY_MAX_COUNTERS];
};

/* Turns what a read left in `report` into values; got is the system call's result. */
ASSAY_API int assay_set_take(struct assay_set *set, long got, struct assay_value *values);

#if !defined(ASSAY_NO_INLINE) && defined(__GNUC__) && defined(__linux__) &&                        \
    ((defined(__x86_64__) && defined(__LP64__)) || defined(__aarch64__) ||                         \
     (defined(__riscv) && __riscv_xlen == 64))

/* What a system call leaves undefined beside its result: where the compiler may use them, the
 * vector registers, except for the part of SVE's that all of AArch64 has. */
#if defined(__riscv_vector)
#define ASSAY_READ_CLOBBERS                                                                        \
    "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",     \
        "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", \
        "v26", "v27", "v28", "v29", "v30", "v31"
#elif defined(__ARM_FEATURE_SVE)
#define ASSAY_READ_CLOBBERS                                                                        \
    "memory", "z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8", "z9", "z10", "z11", "z12",     \
        "z13", "z14", "z15", "z16", "z17", "z18", "z19", "z20", "z21", "z22", "z23", "z24", "z25", \
        "z26", "z27", "z28", "z29", "z30", "z31", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7",  \
        "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"
#else
#define ASSAY_READ_CLOBBERS "memory"
#endif

static inline __attribute__((always_inline)) long assay_read_in_place(int descriptor, void *into,
                                                                      unsigned long size)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(0L), "D"((long)descriptor), "S"(into), "d"(size)
                     : "rcx", "r11", ASSAY_READ_CLOBBERS);
    return result;
#elif defined(__aarch64__)
    register long number __asm__("x8") = 63;
    register long first __asm__("x0") = descriptor;
    register void *second __asm__("x1") = into;
    register unsigned long third __asm__("x2") = size;
    __asm__ volatile("svc 0"
                     : "+r"(first)
                     : "r"(number), "r"(second), "r"(third)
                     : ASSAY_READ_CLOBBERS);
    return first;
#else
    register long number __asm__("a7") = 63;
    register long first __asm__("a0") = descriptor;
    register void *second __asm__("a1") = into;
    register unsigned long third __asm__("a2") = size;
    __asm__ volatile("ecall"
                     : "+r"(first)
                     : "r"(number), "r"(second), "r"(third)
                     : ASSAY_READ_CLOBBERS);
    return first;
#endif
}

static inline __attribute__((always_inline)) int assay_set_read_in_place(struct assay_set *set,
                                                                         struct assay_value *values)
{
    struct assay_reader *reader = (struct assay_reader *)(void *)set;
    if (reader->descriptor < 0)
        return assay_set_read(set, values);
    return assay_set_take(
        set, assay_read_in_place(reader->descriptor, reader->report, reader->size), values);
}
#define assay_set_read(set, values) assay_set_read_in_place(set, values)

#endif

#ifdef __cplusplus
}
#endif
#endif
