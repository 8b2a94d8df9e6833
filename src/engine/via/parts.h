/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What transports share: a child process, the files of a kit, and pushing them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/words.h"
#include "engine/via/via.h"

/* ----------------------------------------------------------------------------------------------
 * What transports are made of: starting a program on pipes, and talking to it while connecting. */

/* Starts argv (NULL-terminated, looked up in PATH) with its three standard descriptors as pipes,
 * in a session of its own. Fails with the program's name and the reason when it cannot run. */
int child_start(struct via_link *link, const char *const *argv, struct failure *failure);
/* The same, and these descriptors (3 or above) stay open in it under their numbers. */
int child_start_with(struct via_link *link, const char *const *argv, const int *inherited,
                     size_t inherited_count, struct failure *failure);

/* As child_start, for a probe that will measure this machine: it may read the CPU's counter of time
 * only where the controller could when it was started. */
int child_start_here(struct via_link *link, const char *const *argv, const int *inherited,
                     size_t inherited_count, struct failure *failure);
/* Could it not? Then ASSAY_TICKS is "forbidden": main sets it, and a person may. */
bool child_without_ticks(void);

/* Did the user ask, by ASSAY_VERBOSE, for what children say on standard error? */
bool child_verbose(void);

enum child_news {
    CHILD_SPOKE,  /* a line beginning with the mark came; it and what follows are in link->early */
    CHILD_ENDED,  /* its output ended first */
    CHILD_SILENT, /* neither within the time, or too much else came */
    CHILD_STOPPED /* the stop flag was raised */
};
/* Waits for a line that begins with mark. Everything read stays in link->early. */
enum child_news child_await(struct via_link *link, const char *mark,
                            const struct via_patience *patience);

/* Waits for a whole line that begins with mark, copies it without its end (cut to size) and forgets
 * it and everything before it. */
enum child_news child_take_line(struct via_link *link, const char *mark, char *line, size_t size,
                                const struct via_patience *patience);

/* Sends all bytes while draining what the child says, so that neither side waits for the other.
 * 0, -EPIPE when it stopped listening, -ETIMEDOUT when it did not listen for timeout_ms, -EINTR. */
int child_send(struct via_link *link, const void *bytes, size_t length,
               const struct via_patience *patience);

/* ----------------------------------------------------------------------------------------------
 * The checksum of cksum(1): what every POSIX machine can compute of a file without our help, so
 * that a kit kept there can be checked before anything of it is run. It finds damage, not malice.
 */

uint32_t cksum(const void *bytes, size_t length);

/* ----------------------------------------------------------------------------------------------
 * The files of a kit in memory: what is pushed, and what a kit that was found over there is
 * compared with. */

struct kit_file {
    char *name;
    unsigned mode; /* 0700 or 0600 */
    const char *bytes;
    size_t length;
};

struct kit_files {
    struct kit_file *list; /* assay-probe first, the manifest last, so that who has it has all */
    size_t count;
    size_t bytes;   /* of all files together */
    char build[72]; /* the manifest's build id, fit for a file name */
};

/* Fails when the folder holds no probe, no manifest, or one without a build id. */
int kit_files_open(struct kit_files *files, const struct kit *kit, struct failure *failure);
void kit_files_close(struct kit_files *files);
static inline void cleanup_kit_files(struct kit_files *files)
{
    kit_files_close(files);
}
#define AUTO_KIT_FILES __attribute__((cleanup(cleanup_kit_files)))

/* ----------------------------------------------------------------------------------------------
 * Bringing the kit to where it cannot be used in place (docs/protocol.md). Shared by transports:
 * each finds its own way to start a script over there, the rest is the same. */

/* For `sh -c`: takes the kit into a temporary folder. Its arguments are the size of assay-probe and
 * that of the whole kit. Constant: nothing is ever pasted into it. */
extern const char push_script[];

/* Says what the machine is, looks for a kit that was kept there, uses it or takes the kit and keeps
 * it. Comes over standard input, behind keeping_command; ends with a line that says so. */
extern const char keeping_script[];
/* What the login shell over there gets, whichever it is. */
extern const char keeping_command[];

/* For an answer to something big: what was sent may still be on its way over a slow line. */
struct via_patience push_patience(const struct via_patience *usual);

/* Talks to the started script: hands over assay-probe, waits until that answers, then the other
 * files. Afterwards the probe serves. On failure the caller still has to close the link. */
int push_kit(struct via_link *link, const struct kit_files *files,
             const struct via_patience *patience, struct failure *failure);

/* --- The parts of the transport ssh: that stand by themselves --- */

/* From what stands behind `ssh:` to the words of the command: [OPTION…] HOST, checked so that HOST
 * cannot be taken for an option, nor a second word for the command to run there. *words ends with
 * the host, which is also returned in *host. Returns their number or -EINVAL. */
int ssh_words(const char *argument, char ***words, const char **host, struct failure *failure);

/* An ISA for which there can be a kit, from what `uname -s` and `uname -m` said over there: plain
 * letters and digits, of a 64-bit Linux. */
int ssh_machine(const char *said, char isa[32], const char *host, struct failure *failure);
