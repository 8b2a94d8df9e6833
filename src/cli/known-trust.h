/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known of an event's trust on a machine, for commands that show counts: from the latest
 * runs of `assay validate` there, else from the passport of the same CPU under another kernel,
 * microcode or hypervisor, which is stale. */
#pragma once

#include "cli/latest-verdicts.h"
#include "machine/facts.h"

struct known_trust {
    char event[128];      /* the name it was validated under, which is the one asked for */
    char verdict[24];     /* "exact" … as verdict_names; "unknown": never validated */
    char cause[32];       /* of a verdict that is not good; "" */
    char note[512];       /* in words; where nothing is known: what to do */
    int64_t age_s;        /* since it was validated; -1: unknown */
    bool stale;           /* it was the same CPU, but not the same machine … */
    char difference[256]; /* … and what differs: "kernel 6.1.0 -> 6.18.0"; "" */
};

/* 0, or -ENOENT where nothing is known of the event (verdict "unknown"). Never fails otherwise: a
 * passport that cannot be read is as good as none, and the note says so. opens: it can be counted
 * now; that it could not be opened once, or that access was refused, is no verdict then. */
int trust_of(const struct latest_verdicts *latest, const struct facts *machine, const char *event,
             bool opens, struct known_trust *known);
