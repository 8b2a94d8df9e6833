/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times a system call that no library answers on its own and that does next to nothing. Two of
 * them, because an event that counts one must not count the other. */
#include "code-system.h"
#include "specimens/framed.h"
#include "syscall.h"

SPECIMEN_ASSEMBLY(specimen_getppid_code,
                  CODE_SYSTEM_COUNT CODE_SYSTEM_LOOP(CODE_SYSTEM_CALL(SYS_getppid)) CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_getuid_code,
                  CODE_SYSTEM_COUNT CODE_SYSTEM_LOOP(CODE_SYSTEM_CALL(SYS_getuid)) CODE_RETURN);

#define TRUTH_CALLS                                                                                \
    TRUTH_FRAMED(0, 0, 2, 0, 0), TRUTH_CALLING_BRANCHES(1), TRUTH_NO_FP, TRUTH_NO_FAULTS,          \
        TRUTH_NO_SCHEDULING, TRUTH_EXACT("syscalls", 0, 1)

static const struct truth getppid_truths[] = {
    TRUTH_CALLS,
    TRUTH_EXACT("getppid-calls", 0, 1),
    TRUTH_ZERO("getuid-calls"),
    TRUTH_END,
};

static const struct truth getuid_truths[] = {
    TRUTH_CALLS,
    TRUTH_EXACT("getuid-calls", 0, 1),
    TRUTH_ZERO("getppid-calls"),
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

#define CALLS(symbol)                                                                              \
    .stresses = "system calls", SPECIMEN_CODE_OF(symbol), SPECIMEN_TRIPS(trips), .min_n = 1,       \
    .max_n = 1000000000

const struct specimen specimen_getppid = {
    .name = "getppid",
    .summary = "N getppid system calls, each one instruction in the specimen's own code",
    CALLS(specimen_getppid_code),
    .truth = getppid_truths,
};

const struct specimen specimen_getuid = {
    .name = "getuid",
    .summary = "N getuid system calls, each one instruction in the specimen's own code",
    CALLS(specimen_getuid_code),
    .truth = getuid_truths,
};
