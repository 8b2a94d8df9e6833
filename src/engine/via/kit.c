/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Kits: their files, how they are handed over and kept, and where the one here is: the folder with
 * assay-probe and its harnesses. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "engine/via/parts.h"
#include "engine/via/via.h"

/* ----------------------------------------------------------------------------------------------
 * Maps the files of a kit, in the order in which they travel. */

#define MOST_FILES 256 /* what assay-probe takes */

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static int refuse(const struct kit *kit, const char *name, int status, struct failure *failure)
{
    return fail_with(failure, status, "the kit's %s/%s cannot be read: %s", kit->folder, name,
                     strerror(-status));
}

/* A kit holds plain names only; anything else in the folder is not ours. */
static bool belongs(const char *name)
{
    return name[0] != '.' && name[strspn(name, PLAIN "._-")] == '\0';
}

/* -EISDIR for what is no regular file. */
static int map(int folder, struct kit_file *file)
{
    AUTO_CLOSE int fd = openat(folder, file->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) < 0)
        return -errno;
    if (!S_ISREG(facts.st_mode))
        return -EISDIR;
    file->mode = facts.st_mode & S_IXUSR ? 0700 : 0600;
    file->bytes = "";
    if (facts.st_size == 0)
        return 0;
    void *bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return -errno;
    file->bytes = bytes;
    file->length = (size_t)facts.st_size;
    return 0;
}

static int keep(struct kit_files *files, int folder, const char *name)
{
    struct kit_file file = {.name = memory_copy(name)};
    int status = files->count >= MOST_FILES ? -E2BIG : map(folder, &file);
    if (status < 0)
        return status == -EISDIR ? 0 : status;
    *memory_add(files->list, files->count) = file;
    files->bytes += file.length;
    return 0;
}

static int rank(const struct kit_file *file)
{
    return strcmp(file->name, "assay-probe") == 0 ? 0 : strcmp(file->name, "manifest") == 0 ? 2 : 1;
}

static int compare(const void *left, const void *right)
{
    int order = rank(left) - rank(right);
    return order ? order
                 : strcmp(((const struct kit_file *)left)->name,
                          ((const struct kit_file *)right)->name);
}

/* The id becomes the name of a folder over there: letters and digits, or it is refused. */
static bool read_build(struct kit_files *files)
{
    static const char word[] = "\nbuild ";
    const struct kit_file *manifest = &files->list[files->count - 1];
    const char *at = memmem(manifest->bytes, manifest->length, word, strlen(word));
    if (!at)
        return false;
    at += strlen(word);
    const char *end = memchr(at, '\n', manifest->length - (size_t)(at - manifest->bytes));
    if (!end || end == at || (size_t)(end - at) >= sizeof(files->build))
        return false;
    memcpy(files->build, at, (size_t)(end - at));
    return files->build[strspn(files->build, PLAIN)] == '\0';
}

static int check(struct kit_files *files, const struct kit *kit, struct failure *failure)
{
    if (files->count == 0 || rank(&files->list[0]) != 0)
        return refuse(kit, "assay-probe", -ENOENT, failure);
    if (rank(&files->list[files->count - 1]) != 2)
        return refuse(kit, "manifest", -ENOENT, failure);
    if (!read_build(files))
        return fail_with(failure, -EINVAL,
                         "%s/manifest names no build id: build the kit again (make kits)",
                         kit->folder);
    return 0;
}

int kit_files_open(struct kit_files *files, const struct kit *kit, struct failure *failure)
{
    *files = (struct kit_files){0};
    AUTO_DIR DIR *folder = opendir(kit->folder);
    if (!folder)
        return refuse(kit, "", -errno, failure);
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        int status = belongs(entry->d_name) ? keep(files, dirfd(folder), entry->d_name) : 0;
        if (status < 0) {
            kit_files_close(files);
            return refuse(kit, entry->d_name, status, failure);
        }
    }
    if (files->count)
        qsort(files->list, files->count, sizeof(*files->list), compare);
    int status = check(files, kit, failure);
    if (status < 0)
        kit_files_close(files);
    return status;
}

void kit_files_close(struct kit_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (files->list[i].length)
            munmap((void *)(uintptr_t)files->list[i].bytes, files->list[i].length);
    *files = (struct kit_files){0};
}

/* ----------------------------------------------------------------------------------------------
 * The POSIX checksum: CRC-32 with the most significant bit first, from 0, over the bytes and then
 * over their number, least significant byte first and without leading zeros; complemented. */

#define POLYNOMIAL UINT32_C(0x04c11db7)

static uint32_t step(const uint32_t table[256], uint32_t sum, unsigned byte)
{
    return (sum << 8) ^ table[((sum >> 24) ^ byte) & 0xff];
}

uint32_t cksum(const void *bytes, size_t length)
{
    uint32_t table[256], sum = 0;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte << 24;
        for (int bit = 0; bit < 8; bit++)
            rest = (rest << 1) ^ (rest >> 31 ? POLYNOMIAL : 0);
        table[byte] = rest;
    }
    const unsigned char *next = bytes;
    for (size_t i = 0; i < length; i++)
        sum = step(table, sum, next[i]);
    for (size_t rest = length; rest; rest >>= 8)
        sum = step(table, sum, rest & 0xff);
    return ~sum;
}

/* ----------------------------------------------------------------------------------------------
 * Hands the kit over a pipe. Two steps: a shell script takes assay-probe alone, into a new private
 * folder where programs may be run; that probe then takes the other files itself. Nothing is sent
 * ahead of the probe's answer, so it does not matter whether head(1) over there reads too much. */

#define KIT_MARK  "@assay-kit"
#define TAKING_MS 60000

struct via_patience push_patience(const struct via_patience *usual)
{
    return (struct via_patience){.timeout_ms =
                                     usual->timeout_ms < TAKING_MS ? TAKING_MS : usual->timeout_ms,
                                 .stop = usual->stop};
}

static int explain_send(int status, const char *name, struct failure *failure)
{
    const char *why = status == -EPIPE       ? "the other side stopped listening"
                      : status == -ETIMEDOUT ? "the other side does not take it"
                      : status == -EINTR     ? "interrupted"
                                             : strerror(-status);
    return fail_with(failure, status, "handing over %s failed: %s", name, why);
}

static int send_file(struct via_link *link, const struct kit_file *file,
                     const struct via_patience *patience, struct failure *failure)
{
    int status = child_send(link, file->bytes, file->length, patience);
    return status < 0 ? explain_send(status, file->name, failure) : 0;
}

static int send_others(struct via_link *link, const struct kit_files *files,
                       const struct via_patience *patience, struct failure *failure)
{
    AUTO_TEXT struct text header = {0};
    for (size_t i = 1; i < files->count; i++) {
        const struct kit_file *file = &files->list[i];
        text_clear(&header);
        text_printf(&header, "file %s %o %zu\n", file->name, file->mode, file->length);
        int status = child_send(link, text_string(&header), header.length, patience);
        if (status < 0)
            return explain_send(status, file->name, failure);
        status = send_file(link, file, patience, failure);
        if (status < 0)
            return status;
    }
    int status = child_send(link, "end\n", 4, patience);
    return status < 0 ? explain_send(status, "the end of the kit", failure) : 0;
}

/* The answer of the probe that was handed over; it and what came before it is taken off. */
static int await_answer(struct via_link *link, const struct via_patience *usual,
                        struct failure *failure)
{
    const struct via_patience patience = push_patience(usual);
    switch (child_await(link, KIT_MARK, &patience)) {
    case CHILD_SPOKE:
        break;
    case CHILD_ENDED:
        return fail_with(failure, -EPIPE, "the probe that was handed over does not run there");
    case CHILD_SILENT:
        return fail_with(failure, -ETIMEDOUT,
                         "the probe that was handed over did not answer within %d s",
                         patience.timeout_ms / 1000);
    case CHILD_STOPPED:
        return fail_with(failure, -EINTR, "interrupted");
    }
    text_clear(&link->early);
    return 0;
}

int push_kit(struct via_link *link, const struct kit_files *files,
             const struct via_patience *patience, struct failure *failure)
{
    int status = send_file(link, &files->list[0], patience, failure);
    if (status == 0)
        status = await_answer(link, patience, failure);
    if (status == 0)
        status = send_others(link, files, patience, failure);
    return status;
}

/* ----------------------------------------------------------------------------------------------
 * What runs in sh(1) on the machine under test before there is a probe. Constant texts for any
 * POSIX shell with the usual small programs, busybox's included. */

/* The shell stays until the probe has ended, to remove the folder `d` even when the probe could
 * not. */
#define TIDY_UP                                                                                    \
    "umask 077\n"                                                                                  \
    "d=\n"                                                                                         \
    "trap 'test -z \"$d\" || rm -rf \"$d\"' EXIT\n"                                                \
    "trap 'exit 129' HUP\n"                                                                        \
    "trap 'exit 130' INT\n"                                                                        \
    "trap 'exit 143' TERM\n"

/* try_place START: makes `d`, a new private folder START.XXXXXXXXXX, where programs may be run and
 * `total` bytes have room. */
#define TRY_PLACE                                                                                  \
    "try_place() {\n"                                                                              \
    "    d=$(mktemp -d \"$1.XXXXXXXXXX\" 2>/dev/null) || { d=; return 1; }\n"                      \
    "    {\n"                                                                                      \
    "        printf '#!/bin/sh\\nexit 0\\n' >\"$d/try\" && chmod 700 \"$d/try\" &&\n"              \
    "            \"$d/try\" && head -c \"$total\" /dev/zero >\"$d/try\" &&\n"                      \
    "            rm -f \"$d/try\" && return 0\n"                                                   \
    "    } 2>/dev/null </dev/null\n"                                                               \
    "    rm -rf \"$d\"\n"                                                                          \
    "    d=\n"                                                                                     \
    "    return 1\n"                                                                               \
    "}\n"

#define TEMPORARY_PLACE                                                                            \
    "temporary_place() {\n"                                                                        \
    "    for t in \"${TMPDIR:-/tmp}\" /tmp /var/tmp /dev/shm \"${HOME:-/}\"; do\n"                 \
    "        try_place \"$t/assay\" && return 0\n"                                                 \
    "    done\n"                                                                                   \
    "    echo 'no folder there with room for the kit in which programs may be run: set TMPDIR "    \
    "to one' >&2\n"                                                                                \
    "    exit 126\n"                                                                               \
    "}\n"

/* runs FOLDER: whether its probe can be run. A shell takes a program of another ISA for a script of
 * its own, so this happens where it can do nothing: no PATH, and in the private folder. */
#define RUNS                                                                                       \
    "runs() {\n"                                                                                   \
    "    v=$(cd \"$1\" && PATH=/none && export PATH && ./assay-probe --version </dev/null) ||\n"   \
    "        return $?\n"                                                                          \
    "    case $v in 'assay-probe '*) return 0 ;; esac\n"                                           \
    "    return 126\n"                                                                             \
    "}\n"

/* Takes `size` bytes into d/assay-probe. */
#define TAKE_PROBE                                                                                 \
    "take_probe() {\n"                                                                             \
    "    head -c \"$size\" >\"$d/assay-probe\" || exit 126\n"                                      \
    "    test \"$(wc -c <\"$d/assay-probe\")\" -eq \"$size\" || exit 126\n"                        \
    "    chmod 700 \"$d/assay-probe\" || exit 126\n"                                               \
    "    runs \"$d\" || exit $?\n"                                                                 \
    "}\n"

/* The kit in a place that is found again. `k`: where kits are kept, empty where there is no home;
 * `f`: this one. Both must be ours alone, or somebody else could choose what we run. */
#define KEPT_PLACE                                                                                 \
    "own() {\n"                                                                                    \
    "    test -d \"$1\" && test ! -L \"$1\" && test -O \"$1\"\n"                                   \
    "}\n"                                                                                          \
    "kept_place() {\n"                                                                             \
    "    test -d \"${c%/*}\" && mkdir -p \"$k\" && own \"$k\" && own \"${k%/*}\" &&\n"             \
    "        chmod 700 \"$k\" \"${k%/*}\" && try_place \"$k/.new\"\n"                              \
    "}\n"                                                                                          \
    "list_kept() {\n"                                                                              \
    "    own \"${k%/*}\" && own \"$k\" && own \"$f\" &&\n"                                         \
    "        chmod 700 \"${k%/*}\" \"$k\" \"$f\" 2>/dev/null ||\n"                                 \
    "        { echo @assay-kept no; return; }\n"                                                   \
    "    {\n"                                                                                      \
    "        touch \"$f\"\n"                                                                       \
    "        (cd \"$f\" && cksum ./* | sed 's/^/@assay-file /')\n"                                 \
    "    } 2>/dev/null\n"                                                                          \
    "    echo @assay-kept yes\n"                                                                   \
    "}\n"

const char push_script[] =
    "size=$1\n"
    "total=$2\n" TIDY_UP TRY_PLACE TEMPORARY_PLACE RUNS TAKE_PROBE "temporary_place\n"
    "take_probe\n"
    "\"$d/assay-probe\" receive\n"
    "exit $?\n";

/* Quoted so that every login shell in use hands it on alike; the loader below follows. Only read(1)
 * may look at the input: others read ahead, and busybox's sed(1) waits for a line more. */
const char keeping_command[] = "sh -c 'read -r l && eval \"$l\"'";

/* One line that gathers the script behind it, up to its end. */
#define LOADER                                                                                     \
    "n=$(printf '\\nx'); n=${n%x}; s=; while IFS= read -r l && test \"$l\" != '#@assay-end'; "     \
    "do s=$s$l$n; done; test \"$l\" = '#@assay-end' && eval \"$s\"\n"

/* The empty line ends what a login script may have written without ending its line. */
const char keeping_script[] = LOADER TIDY_UP TRY_PLACE TEMPORARY_PLACE RUNS TAKE_PROBE KEPT_PLACE
    "printf '\\n@assay-there %s %s\\n' \"$(uname -s)\" \"$(uname -m)\"\n"
    "read -r id size total || exit 1\n"
    "c=${XDG_CACHE_HOME:-}\n"
    "case $c in /*) ;; *) c=${HOME:+$HOME/.cache} ;; esac\n"
    "k=${c:+$c/assay/kit}\n"
    "f=$k/$id\n"
    "list_kept\n"
    "read -r word || exit 1\n"
    "if test \"$word\" = use; then\n"
    "    chmod 700 \"$f\"/* 2>/dev/null\n"
    "    if runs \"$f\"; then\n"
    "        echo @assay-usable\n"
    "        exec \"$f/assay-probe\" serve\n"
    "    fi\n"
    "    echo @assay-unusable\n"
    "    read -r word || exit 1\n"
    "fi\n"
    "if test -n \"$k\" && kept_place 2>/dev/null; then\n"
    "    take_probe\n"
    "    \"$d/assay-probe\" receive \"$f\" \"$word\"\n"
    "else\n"
    "    echo 'the kit cannot be kept there and is removed afterwards: no private folder below' "
    "\"${c:-HOME}\" 'with room for it in which programs may be run' >&2\n"
    "    temporary_place\n"
    "    take_probe\n"
    "    \"$d/assay-probe\" receive\n"
    "fi\n"
    "exit $?\n"
    "#@assay-end\n";

/* --- finding it --- */

static bool holds_probe(const char *folder)
{
    return access(memory_format("%s/assay-probe", folder), X_OK) == 0;
}

/* The folder of the running executable, or false. */
static bool own_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

bool kit_made_for(const char *folder, char isa[32])
{
    AUTO_FILE FILE *file = fopen(memory_format("%s/manifest", folder), "re");
    char line[512];
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "isa %31s", isa) == 1)
            return true;
    return false;
}

/* Takes the folder when it holds a probe, else notes it among the places looked at. */
static bool try_folder(struct kit *kit, struct text *looked, const char *start, const char *isa)
{
    char *folder = memory_format("%s/%s", start, isa);
    if (holds_probe(folder)) {
        kit->folder = folder;
        return true;
    }
    text_printf(looked, "%s%s", looked->length ? ", " : "", folder);
    return false;
}

/* Below the folder of the executable as the build and as an installation lay it out. */
static bool find_beside(struct kit *kit, struct text *looked, const char *isa)
{
    char folder[PATH_MAX];
    if (!own_folder(folder))
        return false;
    return try_folder(kit, looked, memory_format("%s/libexec/assay", folder), isa) ||
           try_folder(kit, looked, memory_format("%s/../libexec/assay", folder), isa);
}

int kit_find(struct kit *kit, const char *isa, struct failure *failure)
{
    *kit = (struct kit){0};
    const char *chosen = getenv("ASSAY_KIT");
    if (chosen && *chosen) {
        if (!holds_probe(chosen))
            return fail_with(failure, -ENOENT,
                             "ASSAY_KIT names %s, but there is no assay-probe that can be run: run "
                             "make, or unset ASSAY_KIT",
                             chosen);
        char found[32] = "an unknown ISA";
        if (isa && (!kit_made_for(chosen, found) || strcmp(found, isa) != 0))
            return fail_with(failure, -ENOEXEC,
                             "ASSAY_KIT names %s, a kit for %s, but the machine to be measured is "
                             "%s: unset ASSAY_KIT, or set it to a kit for %s",
                             chosen, found, isa, isa);
        kit->folder = memory_copy(chosen);
        return 0;
    }
    bool own = !isa || strcmp(isa, ASSAY_ISA) == 0;
    AUTO_TEXT struct text looked = {0};
    if (!find_beside(kit, &looked, own ? ASSAY_ISA : isa) &&
        !try_folder(kit, &looked, ASSAY_LIBEXEC, own ? ASSAY_ISA : isa))
        return fail_with(failure, -ENOENT,
                         "the probe kit%s%s is missing (looked in %s): run %s, or set ASSAY_KIT "
                         "to the folder that holds assay-probe",
                         own ? "" : " for ", own ? "" : isa, text_string(&looked),
                         own ? "make" : "make kits");
    return 0;
}
