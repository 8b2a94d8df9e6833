/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Interrupts of a CPU, read from texts of machines with one, several and missing CPUs. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "case.h"
#include "probe/command/command.h"

static const char two[] = "           CPU0       CPU1       \n"
                          "   1:          1       2000   IO-APIC   1-edge      i8042\n"
                          " NMI:         10        300   Non-maskable interrupts\n"
                          " LOC:        100         50   Local timer interrupts\n"
                          " ERR:     777777\n"
                          " MIS:          9\n";
/* CPU 1 is offline. */
static const char sparse[] = "           CPU0       CPU2       \n"
                             " 11:          5          7     GICv3  27 Level     arch_timer\n"
                             "IPI0:         1          2       Rescheduling interrupts\n"
                             "Err:          3\n";

static int read_text(const char *text, int cpu, uint64_t *interrupts)
{
    AUTO_FILE FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    return interrupts_parse(file, cpu, interrupts);
}

TEST(every_line_of_a_cpu_is_summed)
{
    uint64_t interrupts = 0;
    assert_int_equal(read_text(two, 0, &interrupts), 0);
    assert_int_equal(interrupts, 111);
    assert_int_equal(read_text(two, 1, &interrupts), 0);
    assert_int_equal(interrupts, 2350);
    assert_int_equal(read_text(sparse, 2, &interrupts), 0);
    assert_int_equal(interrupts, 9);
}

TEST(a_cpu_that_is_not_there_is_told)
{
    uint64_t interrupts;
    assert_int_equal(read_text(two, 2, &interrupts), -ENOENT);
    assert_int_equal(read_text(sparse, 1, &interrupts), -ENOENT);
    assert_int_equal(read_text("rubbish", 0, &interrupts), -ENOENT);
    assert_int_equal(interrupts_read(-1, &interrupts), -ENOENT);
}
