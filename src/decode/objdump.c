/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The back end on binutils' objdump: the bytes go into a file, the text comes back through a pipe.
 * Never a shell. The first objdump in PATH that knows the ISA is taken: ISA-linux-gnu-objdump, then
 * objdump itself. */
#include "decode/objdump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "decode/decode.h"
#include "lab/tool.h"

#define LIMIT_MS 60000 /* a megabyte of code takes a second */

static const struct isa {
    const char *name;
    const char *machine; /* as objdump calls it */
    const char *options; /* of its disassembler: canonical mnemonics, no aliases */
    objdump_describe *describe;
} isas[] = {
    {"x86_64", "i386:x86-64", "att,suffix", objdump_describe_x86},
    {"i386", "i386", "att,suffix", objdump_describe_x86}, /* 32-bit programs on x86-64 */
    {"aarch64", "aarch64", "no-aliases", objdump_describe_aarch64},
    {"riscv64", "riscv:rv64", "no-aliases", objdump_describe_riscv64},
};

static const struct isa *find_isa(const char *name)
{
    for (size_t i = 0; i < sizeof(isas) / sizeof(*isas); i++)
        if (strcmp(isas[i].name, name) == 0)
            return &isas[i];
    return NULL;
}

/* The lines as they come. */
struct listing {
    struct objdump_line place;
    struct instructions *instructions;
    int error;
    char bad[80]; /* the line that was none */
};

static bool take_line(void *context, const char *line)
{
    struct listing *listing = context;
    if (listing->error)
        return true;
    AUTO_FREE char *copy = strdup(line);
    struct instruction found = {0};
    int status = copy ? objdump_parse(copy, &listing->place, &found) : -ENOMEM;
    if (status == 0)
        return false;
    struct instruction *added = status > 0 ? instructions_add(listing->instructions) : NULL;
    if (!added) {
        listing->error = status < 0 ? status : -ENOMEM;
        snprintf(listing->bad, sizeof(listing->bad), "%s", line);
        return true;
    }
    *added = found;
    listing->place.expected += found.length;
    listing->place.bytes += found.length;
    listing->place.left -= found.length;
    return true;
}

/* Puts the bytes into a file without a name; its descriptor, or negative errno. */
static int put_file(const struct code_bytes *code, char *path, struct failure *failure)
{
    int fd = mkstemp(path);
    if (fd < 0)
        return fail_with(failure, -errno, "no file %s for objdump: %s", path, strerror(errno));
    const char *bytes = code->bytes;
    for (size_t done = 0; done < code->length;) {
        ssize_t wrote = write(fd, bytes + done, code->length - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            int error = wrote < 0 ? -errno : -EIO;
            close(fd);
            unlink(path);
            return fail_with(failure, error, "%s could not be written: %s", path, strerror(-error));
        }
        done += (size_t)wrote;
    }
    close(fd);
    return 0;
}

/* One objdump over the file. -ENOTSUP: it does not know the ISA; -ENOENT: there is none. */
static int run_one(const char *program, const struct isa *isa, const struct code_bytes *code,
                   const char *path, struct instructions *instructions, struct failure *failure)
{
    AUTO_TEXT struct text said = {0};
    char words[200];
    char base[40];
    snprintf(base, sizeof(base), "--adjust-vma=0x%llx", (unsigned long long)code->address);
    const char *const argv[] = {program,      "-D", "-z",         "-w", "-b", "binary", "-m",
                                isa->machine, "-M", isa->options, base, path, NULL};
    struct listing listing = {.place = {.expected = code->address,
                                        .bytes = code->bytes,
                                        .left = code->length,
                                        .describe = isa->describe},
                              .instructions = instructions};
    const struct tool tool = {
        .argv = argv, .limit_ms = LIMIT_MS, .line = take_line, .context = &listing};
    int status = tool_run(&tool, &said, failure);
    if (status < 0)
        return status;
    if (status > 0) {
        tool_complaint(&said, words, sizeof(words));
        return fail_with(failure, -ENOTSUP, "%s cannot do it: %s", program, words);
    }
    if (listing.error)
        return fail_with(failure, listing.error,
                         "%s printed '%s', which is not what was due at 0x%llx", program,
                         listing.bad, (unsigned long long)listing.place.expected);
    return 0;
}

static int decode_objdump(const struct code_bytes *code, struct instructions *instructions,
                          struct failure *failure)
{
    const struct isa *isa = find_isa(code->isa);
    if (!isa)
        return fail_with(failure, -ENOTSUP, "no table of objdump's words for %.32s", code->isa);
    char own[64];
    char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(own, sizeof(own), "%s-linux-gnu-objdump", isa->name);
    int length =
        snprintf(path, sizeof(path), "%s/assay-code-XXXXXX", folder && *folder ? folder : "/tmp");
    if (length < 0 || (size_t)length >= sizeof(path))
        return fail_with(failure, -ENAMETOOLONG, "TMPDIR is too long for a file in it");
    const char *const programs[] = {own, "objdump"};
    int status = put_file(code, path, failure);
    if (status < 0)
        return status;
    status = -ENOENT;
    for (size_t i = 0; i < 2 && (status == -ENOENT || status == -ENOTSUP); i++) {
        instructions->count = 0;
        status = run_one(programs[i], isa, code, path, instructions, failure);
    }
    unlink(path);
    if (status == -ENOENT || status == -ENOTSUP)
        return fail_with(failure, -ENOTSUP,
                         "no objdump here decodes %s: install binutils for it (%s)", isa->name,
                         own);
    return status;
}

const struct decoder decoder_objdump = {.name = "objdump", .decode = decode_objdump};
