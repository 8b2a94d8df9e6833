/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What the x86 instruction CPUID says of a hypervisor. */
#pragma once

#include <stddef.h>

/* Fills signatures with the names that the hypervisor leaves hold ("KVMKVMKVM", several joined
 * with commas when one hypervisor poses as another), "" on bare metal. 0, or -ENOTSUP where the
 * ISA has no such instruction. */
int cpuid_hypervisor(char *signatures, size_t size);
