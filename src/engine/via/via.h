/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transports: how the controller reaches a probe. An object each (`local`, `exec`, `ssh`, `lab`,
 * `qemu`), registered by one word in the build list. A transport starts the probe and gives two
 * descriptors; of frames it knows no more than how the first one begins. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/failure.h"
#include "base/text.h"

/* Where the kit for an ISA lies on the controller's machine. */
struct kit {
    char *folder; /* …/libexec/assay/x86_64 */
};
/* isa: "aarch64", … as `uname -m` says it; NULL for the controller's own, or whatever ASSAY_KIT
 * holds. Looks at ASSAY_KIT, then beside the executable (build tree), then at the installed place.
 * A kit of another ISA than the one asked for is refused. */
int kit_find(struct kit *kit, const char *isa, struct failure *failure);
/* What the manifest of a kit's folder says it is made for; false where there is none to read. */
bool kit_made_for(const char *folder, char isa[32]);

#define VIA_TAIL 2048 /* bytes of the transport's last words that are kept */

struct via_link {
    pid_t pid;         /* the process at our end, leader of its own session; reaped by via_close */
    int to_probe;      /* write here; does not block */
    int from_probe;    /* read here, but first what is in `early`; does not block */
    int errors;        /* the transport's standard error; via_drain reads it */
    bool pass_errors;  /* show it on our own standard error as it comes, too */
    struct text early; /* what came from the probe while the transport was still connecting */
    char tail[VIA_TAIL];
    size_t tail_length;
};

/* How long connecting may take, and the flag that ends it early (NULL: none). */
struct via_patience {
    int timeout_ms;
    const volatile int *stop;
};

struct via {
    const char *scheme;  /* "exec" for exec:ARGV… */
    const char *summary; /* one line for --help */
    int patience_ms;     /* what hello may take at least, where connecting is slow; else 0 */
    int silence_ms; /* after which a probe hangs at the earliest, where time over there passes more
                       slowly than ours; else 0 */
    /* argument: what follows "SCHEME:", "" for local. Finds the kit that fits the machine it
     * reaches. On failure nothing is left running. */
    int (*open)(const char *argument, const struct via_patience *patience, struct via_link *link,
                struct failure *failure);
};

extern const struct via *const via_registry[]; /* generated; ends with NULL */

/* spec NULL, "" or "local": this machine. Unknown schemes get the list of known ones. */
int via_open(const char *spec, const struct via_patience *patience, struct via_link *link,
             struct failure *failure);

/* How long hello may take through this transport, when the caller would wait asked_ms. */
int via_patience_ms(const char *spec, int asked_ms);
/* How long a probe may be silent, when it would be asked_ms on a machine at full speed. */
int via_silence_ms(const char *spec, int asked_ms);

/* Takes what waits on the transport's standard error; call it whenever `errors` is readable, or the
 * other side may block on it. Closes the descriptor (then -1) at its end. */
void via_drain(struct via_link *link);

/* The last lines of the transport's standard error, fit for a message: printable, one line, and
 * without lines that are no text. size is at least 1. */
void via_last_words(const struct via_link *link, char *words, size_t size);

/* Closes the pipes, waits patience_ms for the process to end, then ends its group, first gently.
 * Returns its wait status, or negative errno. The tail stays readable. */
int via_close(struct via_link *link, int patience_ms);

/* A wait status in words: "exit status 1", "signal 9 (Killed)". */
void via_status_text(int status, char *words, size_t size);
