/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What on this machine can stand between a program and its counters. */
#pragma once

#include <stdbool.h>

#include "events/event.h"

#define PARANOID_UNKNOWN (-1000)

/* Doctor says the same (src/machine/describe-system.c). */
#define FIRECRACKER_COUNTERS                                                                       \
    "Firecracker offers no counters, whatever is set; for hardware events take bare metal, or "    \
    "KVM "                                                                                         \
    "under QEMU with pmu=on"

struct situation {
    int paranoid;           /* PARANOID_UNKNOWN when it cannot be read */
    bool core_pmu;          /* sysfs shows a PMU of the CPU's cores */
    bool pmus_listed;       /* sysfs lists PMUs at all, so that a missing one means something */
    bool virtual;           /* runs under a hypervisor */
    const char *hypervisor; /* its name, or NULL when it does not say */
    const char *turn_on;    /* how that hypervisor gives a guest its PMU */
    bool has_none;          /* it has none to give, and turn_on says so */
    bool seccomp;           /* a filter decides over our system calls */
    bool capable;           /* CAP_PERFMON or CAP_SYS_ADMIN, and they mean something */
    bool namespaced;        /* in a user namespace of its own, whose capabilities perf ignores */
    bool container;
    bool lab; /* booted by assay lab for one command: what is typed there is lost with it */
};

void situation_collect(const struct event_view *view, struct situation *situation);
