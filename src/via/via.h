/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transports: how the controller reaches a probe. One file each (`local`, `exec`), registered by
 * one line in the build list. A transport starts the probe and gives two descriptors; it knows
 * nothing of frames. */
#pragma once

#include <sys/types.h>

#include "base/failure.h"

/* Where the kit for an ISA lies on the controller's machine. */
struct kit {
    char *folder; /* …/libexec/assay/x86_64 */
};
/* ASSAY_KIT, then beside the executable (build tree), then the installed place. */
int kit_find(struct kit *kit, struct failure *failure);
void kit_release(struct kit *kit);

struct via_link {
    pid_t pid;    /* the process at our end, leader of its own group; reaped by via_close */
    int to_probe; /* write here */
    int from_probe;
};

struct via {
    const char *scheme;  /* "exec" for exec:ARGV… */
    const char *summary; /* one line for --help */
    /* argument: what follows "SCHEME:", "" for local */
    int (*open)(const char *argument, const struct kit *kit, struct via_link *link,
                struct failure *failure);
};

extern const struct via *const via_registry[]; /* generated; ends with NULL */

/* spec NULL or "local": this machine. Unknown schemes get the list of known ones. */
int via_open(const char *spec, const struct kit *kit, struct via_link *link,
             struct failure *failure);
/* Closes the pipes, waits patience_ms for the process to end, then ends its group. Returns its wait
 * status, or negative errno. */
int via_close(struct via_link *link, int patience_ms);
