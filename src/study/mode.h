/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The mode an event's name asks for, read from the name alone: the controller has no other
 * knowledge of events. */
#pragma once

#include <stdbool.h>

/* The modifiers at the end of the name ("u" of "instructions:u" and of "cpu/event=0xc0/u"), or
 * NULL when it has none. Points into the name. */
const char *event_mode(const char *name);
/* NAME:u, or pmu/.../u; the caller frees it. NULL: out of memory. */
char *event_in_user_mode(const char *name);
/* Does the event count in user mode alone? */
bool event_counts_user_only(const char *name);
/* A processor counts in both modes unless told not to, and what the operating system executes on
 * behalf of a specimen nobody predicts. kind: as the probe lists the event; "" when unknown. */
bool event_counts_beyond_specimen(const char *kind, const char *name);
/* Does it count interrupts that the operating system takes (irq:…, irq_vectors:…)? As a cell's
 * second counter it says which runs were interrupted how often. */
bool event_counts_interrupts(const char *name);
