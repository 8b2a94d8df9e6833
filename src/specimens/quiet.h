/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The zeros that hold for every specimen that neither touches memory of its own nor enters the
 * operating system: what is counted there was added by measuring, or by somebody else. */
#pragma once

#include "specimens/specimen.h"

#define TRUTH_ZERO(class)                                                                          \
    {                                                                                              \
        class, 0, 0, TRUTH_PROVEN, 0, 0, NULL                                                      \
    }

#define TRUTH_NO_FAULTS                                                                            \
    TRUTH_ZERO("page-faults"), TRUTH_ZERO("minor-faults"), TRUTH_ZERO("major-faults")

#define TRUTH_NO_SYSCALLS TRUTH_ZERO("syscalls"), TRUTH_ZERO("getppid-calls")

/* What the code itself asks of the scheduler: nothing. It is no promise that nothing happens; a run
 * that lasts longer than a time slice is interrupted by others now and then. The operating system's
 * account of the run then shows more than this, and the run is called disturbed: neither the truth
 * nor the event is wrong. */
#define TRUTH_NO_SCHEDULING TRUTH_ZERO("context-switches"), TRUTH_ZERO("cpu-migrations")

/* Integer code. */
#define TRUTH_NO_FP                                                                                \
    TRUTH_ZERO("fp-instructions"), TRUTH_ZERO("fp-operations"), TRUTH_ZERO("fp-adds"),             \
        TRUTH_ZERO("fp-muls"), TRUTH_ZERO("fp-divs"), TRUTH_ZERO("fp-sqrts"),                      \
        TRUTH_ZERO("fp-fmas"), TRUTH_ZERO("fp-scalar-single"), TRUTH_ZERO("fp-scalar-double"),     \
        TRUTH_ZERO("fp-packed-single"), TRUTH_ZERO("fp-packed-double")

/* What neither computes with fractions nor enters the operating system. */
#define TRUTH_QUIET TRUTH_NO_FP, TRUTH_NO_FAULTS, TRUTH_NO_SYSCALLS, TRUTH_NO_SCHEDULING
