/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The hypervisors we know: their names, and how each is made to offer a virtual PMU. How they are
 * recognised stands in lib/machine-words.h. */
#pragma once

struct hypervisor {
    const char *id;   /* value of the fact `hypervisor` or `hypervisor.monitor` */
    const char *name; /* for people */
    const char *vpmu; /* how to get a virtual PMU, a sentence */
    const char *fix;  /* the setting, to be made outside the guest; "" when there is none */
};

extern const struct hypervisor hypervisors[]; /* ends with id NULL */

/* NULL for NULL and for unknown ids. */
const struct hypervisor *hypervisor_find(const char *id);
