/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operating system and memory, and a name by which the same machine is known again after an update.
 * Host name and machine id themselves are not collected: results are made to be shared. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "machine/describe.h"

#define SALT "assay machine 1"

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)", quoted in one of the shell's simple ways. */
static void describe_os(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text release = {0};
    int error = view_text(view, "/etc/os-release", &release);
    if (error)
        error = view_text(view, "/usr/lib/os-release", &release);
    char *save = NULL;
    for (char *line = error ? NULL : strtok_r(release.bytes, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "PRETTY_NAME=", 12) != 0)
            continue;
        char *value = line + 12;
        size_t length = strlen(value);
        if (length >= 2 && (*value == '"' || *value == '\'') && value[length - 1] == *value) {
            value[length - 1] = '\0';
            value++;
        }
        facts_set(facts, "os.name", value, 0);
        return;
    }
    facts_set(facts, "os.name", NULL, error ? -error : ENOENT);
}

static void describe_memory(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text meminfo = {0};
    int error = view_text(view, "/proc/meminfo", &meminfo);
    const char *line = error ? NULL : strstr(text_string(&meminfo), "MemTotal:");
    unsigned long long kib;
    if (line && sscanf(line, "MemTotal: %llu kB", &kib) == 1)
        facts_setf(facts, "memory.total_kib", "%llu", kib);
    else
        facts_set(facts, "memory.total_kib", NULL, error ? -error : ENOENT);
    char bytes[24];
    snprintf(bytes, sizeof(bytes), "%ld", sysconf(_SC_PAGESIZE));
    view_live(view, facts, "memory.page_bytes", bytes, 0);
}

/* 64 of 128 salted bits: enough to recognise, too few to get the id back. */
static void describe_identity(const struct machine_view *view, struct facts *facts)
{
    AUTO_TEXT struct text id = {0};
    int error = view_text(view, "/etc/machine-id", &id);
    if (error)
        error = view_text(view, "/var/lib/dbus/machine-id", &id);
    size_t length = strspn(text_string(&id), "0123456789abcdef");
    if (error || length < 16) {
        facts_set(facts, "machine.id", NULL, error ? -error : ENODATA);
        return;
    }
    uint64_t hash = fnv1a(fnv1a(FNV_OFFSET, SALT, sizeof(SALT)), text_string(&id), length);
    facts_setf(facts, "machine.id", "%016" PRIx64, hash);
}

void describe_system(const struct machine_view *view, struct facts *facts)
{
    view_read(view, facts, "kernel.release", "/proc/sys/kernel/osrelease");
    view_read(view, facts, "kernel.version", "/proc/sys/kernel/version");
    describe_os(view, facts);
    describe_memory(view, facts);
    describe_identity(view, facts);
    /* Random, and another after every boot: it tells who runs on the same kernel, nothing more. */
    view_read(view, facts, "boot.id", "/proc/sys/kernel/random/boot_id");
}
