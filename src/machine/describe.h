/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of a machine's description, in the order they are gathered: later ones may look at the
 * facts of earlier ones. */
#pragma once

#include "machine/view.h"

void describe_cpu(const struct machine_view *view, struct facts *facts);
void describe_system(const struct machine_view *view, struct facts *facts);
void describe_hypervisor(const struct machine_view *view, struct facts *facts);
void describe_emulation(const struct machine_view *view, struct facts *facts);
/* Do these facts come from a program under QEMU's user mode? Then what they say of CPU, hypervisor
 * and PMU is the host's. */
bool emulated_in_user_mode(const struct facts *facts);
/* Claims of the first CPU. */
void describe_caches(const struct machine_view *view, struct facts *facts);
/* Claims of the CPU's counter of time, and what is done to it. */
void describe_clock(const struct machine_view *view, struct facts *facts);
void describe_container(const struct machine_view *view, struct facts *facts);

/* ----------------------------------------------------------------------------------------------
 * The hypervisors we know: their names, and how each is made to offer a virtual PMU. How they are
 * recognised stands in lib/machine-words.h. */

struct hypervisor {
    const char *id;   /* value of the fact `hypervisor` or `hypervisor.monitor` */
    const char *name; /* for people */
    const char *vpmu; /* how to get a virtual PMU, a sentence */
    const char *fix;  /* the setting, to be made outside the guest; "" when there is none */
};

/* NULL for NULL and for unknown ids. */
const struct hypervisor *hypervisor_find(const char *id);
