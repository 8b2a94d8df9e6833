/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Trust: what `assay validate` found out about an event on this machine, from the passport it left
 * (a JSON file: docs/passport.md). Part of assay.h. */
#ifndef ASSAY_TRUST_H
#define ASSAY_TRUST_H

#include "interface.h"

#ifdef __cplusplus
extern "C" {
#endif

struct assay_trust_verdict {
    char verdict[24];     /* "exact" "accurate" "biased" …, or "unknown": never validated here */
    char cause[32];       /* of a verdict that is not good; "" */
    char note[256];       /* in words, as far as it fits */
    int64_t age_s;        /* since it was validated; -1: unknown */
    int stale;            /* not 0: it was another CPU, microcode, kernel or hypervisor */
    char difference[256]; /* and what differs: "kernel 6.1.0 -> 6.18.0"; "" */
    char event[128];      /* the name it was validated under, which is the one asked for; "" */
    char path[24];        /* on which path: "perf-read" …; "" where none was measured */
};

/* 0 and the newest verdict for the event under this very name: what was found with :u says nothing
 * of it without. -ENOENT where nothing is known of it (verdict "unknown", the note says what to
 * do); -EINVAL for a passport that cannot be read, -ENOMEM; with the sentence in assay_last_error.
 * That access was refused does not replace a verdict; where there is none it is "unjudged", with
 * the cause "permission". Reads files anew at every call: ask once
 * for an event, not for every count. Passports of others than this user and root are refused. */
ASSAY_API int assay_trust(const char *event, struct assay_trust_verdict *trust);

/* The folder in which passports are: $XDG_STATE_HOME/assay/passports, or below ~/.local/state.
 * Returns what snprintf does, or -ENOENT without a home. */
ASSAY_API int assay_trust_folder(char *path, size_t size);

#ifdef __cplusplus
}
#endif
#endif
