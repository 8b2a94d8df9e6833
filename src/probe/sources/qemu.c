/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Source qemu: runs the harness in QEMU's user mode, with our plugin counting between the marks of
 * the window. For kits of other ISAs, too: the transport qemu: runs their probe here. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/sources/program.h"
#include "probe/sources/qemu.h"
#include "probe/sources/source.h"
#include "specimens/specimen.h"

/* --- What counting with QEMU needs, and what is missing --- */

/* The plugin is made for the machine QEMU runs on, which is not that of the kit where the probe is
 * itself emulated: then the kit of that machine has it, in a folder beside. */
char *qemu_find_plugin(const char *kit, const char *emulator, const char *name)
{
    AUTO_TEXT struct text path = {0};
    int machine = program_machine(emulator);
    text_printf(&path, "%s/%s", kit, name);
    int own = program_machine(text_string(&path));
    /* A script in front of QEMU does not say for which machine that is made: then for this one. */
    if (own >= 0 && (own == machine || (machine < 0 && !program_emulated())))
        return text_take(&path);
    text_clear(&path);
    text_printf(&path, "%s/..", kit);
    AUTO_DIR DIR *beside = opendir(text_string(&path));
    for (struct dirent *entry; beside && (entry = readdir(beside));) {
        text_clear(&path);
        text_printf(&path, "%s/../%s/%s", kit, entry->d_name, name);
        if (machine >= 0 && entry->d_name[0] != '.' &&
            program_machine(text_string(&path)) == machine)
            return text_take(&path);
    }
    return NULL;
}

int qemu_check(const char *kit, const char *emulator, const char *plugin, char *reason, size_t size)
{
    if (!emulator) {
        snprintf(reason, size,
                 "there is no qemu-" PROBE_ISA " on this machine: install QEMU's "
                 "user mode, for example with `apt-get install qemu-user`");
        return -ENOENT;
    }
    if (!program_says(emulator, "-h", "-plugin")) {
        if (programs_die(reason, size))
            return -EPERM;
        snprintf(reason, size,
                 "%.300s takes no plugins: install a QEMU that was built with them, not the "
                 "statically linked one",
                 emulator);
        return -ENOTSUP;
    }
    AUTO_FREE char *found = qemu_find_plugin(kit, emulator, plugin);
    if (found)
        return 0;
    snprintf(reason, size,
             "no kit here has a plugin for the machine that %.300s is made for: build assay there, "
             "or copy its kit beside this one",
             emulator);
    return -ENOENT;
}

void qemu_put_value(struct text *text, const char *value)
{
    for (; *value; value++)
        text_printf(text, *value == ',' ? ",," : "%c", *value);
}

/* --- The source --- */

#define PLUGIN       "assay-qemu.so"
#define OUTPUT_MAX   (64u << 20)
#define COMMAND_MOST (EMULATOR_WORDS + 2)

/* Every column but the last two. */
static const char *const classes[] = {
#define NAME(symbol, name) QEMU_##symbol < QEMU_UNDECODED ? (name) : NULL,
    QEMU_COLUMNS(NAME)
#undef NAME
};

/* --- what it needs --- */

static int qemu_usable(const char *kit, char *reason, size_t size)
{
    AUTO_FREE char *emulator = program_emulator();
    return qemu_check(kit, emulator, PLUGIN, reason, size);
}

/* --- counting --- */

/* Where windows are, learnt once in a session. */
struct kept_marks {
    char key[384];
    uint64_t opens, closed;
};
#define KEPT_MOST ((WORKSPACE_KEPT - sizeof(uint64_t)) / sizeof(struct kept_marks))
struct kept_windows {
    uint32_t count;
    struct kept_marks list[KEPT_MOST];
};
_Static_assert(sizeof(struct kept_windows) <= WORKSPACE_KEPT, "it must fit");

/* What tells windows apart. False: it is not known. */
static bool name_window(const struct source_visit *visit, char *key, size_t size)
{
    const struct job *job = visit->job;
    const struct specimen *specimen;
    struct specimen_parameters parameters;
    struct failure failure = {0};
    if (specimen_parse(job->specimen, &specimen, &parameters, &failure) < 0)
        return false;
    int length = snprintf(key, size, "%s %s %u %u %u %s", job->path, job->opt, job->pattern,
                          job->separate, (unsigned)specimen->form, visit->harness);
    return length > 0 && (size_t)length < size;
}

/* The same, asked once for all visits of a session that have this window. */
static int find_marks(const struct source_visit *visit, const char *emulator, uint64_t *opens,
                      uint64_t *closed)
{
    struct kept_windows *kept = visit->kept;
    char key[sizeof(kept->list->key)];
    bool known = kept && name_window(visit, key, sizeof(key));
    for (uint32_t index = 0; known && index < kept->count && index < KEPT_MOST; index++)
        if (strcmp(kept->list[index].key, key) == 0) {
            *opens = kept->list[index].opens;
            *closed = kept->list[index].closed;
            return 0;
        }
    /* Where the window is: the harness says so and ends. */
    struct trial trial = {0};
    const char *words[COMMAND_MOST];
    program_emulator_words(emulator, words);
    int result = trial_make(&trial, visit);
    if (result == 0) {
        trial.workspace.job->hold = JOB_HOLD_EXIT;
        result = trial_start(&trial, words, false);
    }
    if (result == 0)
        result = trial_await(&trial);
    if (result == 0) {
        *opens = trial.workspace.job->opens;
        *closed = trial.workspace.job->closed;
        if (!*opens || !*closed)
            result = source_fail(visit, -ENOENT, "the window has no marks: the kit is not whole");
    }
    trial_free(&trial);
    if (result < 0 || !known || kept->count >= KEPT_MOST)
        return result;
    struct kept_marks *fresh = &kept->list[kept->count];
    snprintf(fresh->key, sizeof(fresh->key), "%s", key);
    fresh->opens = *opens;
    fresh->closed = *closed;
    kept->count++; /* last: a process that is ended before leaves nothing */
    return 0;
}

static int read_output(const struct source_visit *visit, const char *path, qemu_counts *rows)
{
    struct stat facts;
    struct failure failure = {0};
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &facts) < 0)
        return source_fail(visit, -errno, "the plugin in QEMU left no counts: %s", strerror(errno));
    if (!S_ISREG(facts.st_mode) || facts.st_size > OUTPUT_MAX)
        return source_fail(visit, -EBADMSG, "what the plugin in QEMU left are no counts");
    size_t length = (size_t)facts.st_size;
    AUTO_FREE char *text = malloc(length + 1);
    if (!text)
        return source_fail(visit, -ENOMEM, "out of memory");
    if (read(fd, text, length) != (ssize_t)length)
        return source_fail(visit, -EIO, "the counts of the plugin in QEMU cannot be read");
    int result = qemu_output_read(text, length, PROBE_ISA, visit->job->runs, rows, &failure);
    return result < 0 ? source_fail(visit, result, "%s", failure.text) : 0;
}

static int column_of(const char *class)
{
    for (int column = 0; column < QEMU_UNDECODED; column++)
        if (strcmp(qemu_column_names[column], class) == 0)
            return column;
    return -1;
}

static int write_rows(const struct trial *trial, const qemu_counts *rows)
{
    const struct source_visit *visit = trial->visit;
    for (uint32_t run = 0; run < visit->job->runs; run++) {
        for (uint32_t index = 0; index < visit->job->counters; index++) {
            const char *class = source_class(visit, index);
            int column = column_of(class);
            if (column < 0)
                return source_fail(visit, -ENOENT, "QEMU cannot count %s", class);
            /* Some columns are only as good as QEMU's disassembler. */
            if (column >= QEMU_BRANCHES && column < QEMU_SYSCALLS && rows[run][QEMU_UNDECODED])
                return source_fail(visit, -ENOTSUP,
                                   "the disassembler in this QEMU does not know %llu executed "
                                   "instructions, so %s cannot be told: try a newer QEMU",
                                   (unsigned long long)rows[run][QEMU_UNDECODED], class);
            if ((column == QEMU_COND_BRANCHES_TAKEN || column == QEMU_COND_BRANCHES_NOT_TAKEN) &&
                rows[run][QEMU_AMBIGUOUS])
                return source_fail(
                    visit, -ENOTSUP,
                    "%llu conditional branches go to the next instruction: whether they "
                    "were taken cannot be told from what was executed",
                    (unsigned long long)rows[run][QEMU_AMBIGUOUS]);
            source_put(visit, run, index, rows[run][column]);
        }
        source_row_done(visit, run,
                        job_enabled(trial->workspace.job)[(size_t)run * visit->job->counters]);
    }
    return 0;
}

static int run_plugin(struct trial *trial, const char *emulator, const char *plugin,
                      const char *output)
{
    const struct source_visit *visit = trial->visit;
    const char *words[COMMAND_MOST];
    AUTO_TEXT struct text argument = {0};
    uint64_t opens = 0, closed = 0;
    int result = find_marks(visit, emulator, &opens, &closed);
    if (result < 0)
        return result;
    qemu_put_value(&argument, plugin);
    text_printf(&argument, ",opens=0x%llx,closed=0x%llx,output=", (unsigned long long)opens,
                (unsigned long long)closed);
    qemu_put_value(&argument, output);
    size_t count = program_emulator_words(emulator, words);
    words[count++] = "-plugin";
    words[count++] = text_string(&argument);
    words[count] = NULL;
    result = trial_make(trial, visit);
    if (result == 0)
        result = trial_start(trial, words, false);
    return result < 0 ? result : trial_await(trial);
}

static int qemu_count(const struct source_visit *visit)
{
    struct trial trial = {.visit = visit};
    AUTO_FREE char *emulator = program_emulator();
    AUTO_FREE char *plugin = emulator ? qemu_find_plugin(visit->kit, emulator, PLUGIN) : NULL;
    AUTO_FREE qemu_counts *rows = calloc(visit->job->runs, sizeof(*rows));
    AUTO_TEXT struct text output = {0};
    text_printf(&output, "%s/qemu-counts", visit->job->folder);
    if (!plugin)
        return source_fail(visit, -ENOENT, "QEMU or the plugin for it is gone");
    if (!rows || output.failed)
        return source_fail(visit, -ENOMEM, "out of memory");
    int result = run_plugin(&trial, emulator, plugin, text_string(&output));
    if (result == 0)
        result = read_output(visit, text_string(&output), rows);
    if (result == 0)
        result = write_rows(&trial, (const qemu_counts *)rows);
    trial_free(&trial);
    return result;
}

const struct source source_qemu = {
    .name = "qemu",
    .summary = "QEMU's user mode runs the harness, and a plugin counts what the window executes",
    .classes = classes,
    .runs = 3,
    .needs_folder = true,
    .keeps = 2,
    .usable = qemu_usable,
    .count = qemu_count,
};
