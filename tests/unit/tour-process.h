/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A touring harness of the kit as a process that stops before its first metered call and behind its
 * last, and what the loader has bound of it by then. Asserts of cmocka: include that first. */
#pragma once

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tour-job.h"

struct tour_process {
    pid_t pid;
    struct job *job;
    char file[4096]; /* the harness */
};

/* Runs until it stops or ends; its wait status. */
static inline int tour_process_await(struct tour_process *process)
{
    int status = 0;
    while (waitpid(process->pid, &status, WUNTRACED) < 0)
        assert_int_equal(errno, EINTR);
    return status;
}

/* The harness NAME ("harness-tour-lazy") with this tour, stopped before its first metered call.
 * folder: where it may write. */
static inline void tour_process_start_in(struct tour_process *process, const char *name,
                                         const char *calls, uint32_t runs, bool cold,
                                         const char *folder)
{
    int fd = -1;
    const char *build = getenv("ASSAY_BUILD");
    snprintf(process->file, sizeof(process->file), "%s/src/probe/tour/%s", build ? build : "build",
             name);
    process->job = tour_job(calls, runs, cold, &fd);
    process->job->hold = JOB_HOLD_STOP;
    snprintf(process->job->folder, sizeof(process->job->folder), "%s", folder);
    process->pid = fork();
    assert_true(process->pid >= 0);
    if (process->pid == 0) {
        char *words[] = {process->file, NULL}, *nothing[] = {NULL};
        if (dup2(fd, JOB_FD) == JOB_FD)
            execve(process->file, words, nothing);
        _exit(127);
    }
    if (fd != JOB_FD)
        close(fd);
    int status = tour_process_await(process);
    if (!WIFSTOPPED(status))
        print_message("# %s: %s\n", process->file, process->job->reason);
    assert_true(WIFSTOPPED(status));
}

static inline void tour_process_start(struct tour_process *process, const char *name,
                                      const char *calls, uint32_t runs, bool cold)
{
    tour_process_start_in(process, name, calls, runs, cold, "");
}

/* Lets it make its calls: stopped behind the last. */
static inline void tour_process_travel(struct tour_process *process)
{
    assert_int_equal(kill(process->pid, SIGCONT), 0);
    assert_true(WIFSTOPPED(tour_process_await(process)));
}

static inline void tour_process_end(struct tour_process *process)
{
    assert_int_equal(kill(process->pid, SIGCONT), 0);
    int status = tour_process_await(process);
    assert_true(WIFEXITED(status));
    if (process->job->state != JOB_DONE)
        print_message("# %s\n", process->job->reason);
    assert_int_equal(process->job->state, JOB_DONE);
    assert_int_equal(WEXITSTATUS(status), 0);
    tour_job_free(process->job);
}

/* Where the harness lies in the process: begin and end. */
static inline void tour_process_place(const struct tour_process *process, uintptr_t *begin,
                                      uintptr_t *end)
{
    char path[64], line[8192], real[4096];
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)process->pid);
    assert_non_null(realpath(process->file, real));
    FILE *maps = fopen(path, "r");
    assert_non_null(maps);
    *begin = *end = 0;
    while (fgets(line, sizeof(line), maps)) {
        uintptr_t from = 0, to = 0;
        if (!strstr(line, real) || sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) != 2)
            continue;
        *begin = *begin ? *begin : from;
        *end = to;
    }
    fclose(maps);
    assert_true(*begin != 0);
}

static inline const void *tour_file_map(const char *file, size_t *size)
{
    struct stat facts = {0};
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &facts) == 0);
    *size = (size_t)facts.st_size;
    const void *bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    assert_true(bytes != MAP_FAILED);
    return bytes;
}

/* Where, within the file's addresses, the loader writes the address of this symbol; 0: nowhere, the
 * program binds nothing of that name. Any relocation that names it: sections are of no matter, but
 * they are there in a program that was not stripped. */
static inline uintptr_t tour_file_slot(const char *file, const char *symbol)
{
    size_t size;
    const char *bytes = tour_file_map(file, &size);
    const ElfW(Ehdr) *header = (const void *)bytes;
    const ElfW(Shdr) *sections = (const void *)(bytes + header->e_shoff);
    uintptr_t slot = 0;
    for (size_t index = 0; index < header->e_shnum; index++) {
        const ElfW(Shdr) *section = &sections[index];
        if (section->sh_type != SHT_RELA || !section->sh_link)
            continue;
        const ElfW(Shdr) *table = &sections[section->sh_link];
        const ElfW(Sym) *symbols = (const void *)(bytes + table->sh_offset);
        const char *names = bytes + sections[table->sh_link].sh_offset;
        const ElfW(Rela) *entries = (const void *)(bytes + section->sh_offset);
        for (size_t entry = 0; entry < section->sh_size / sizeof(*entries); entry++) {
            const char *name = names + symbols[ELF64_R_SYM(entries[entry].r_info)].st_name;
            if (strcmp(name, symbol) == 0)
                slot = entries[entry].r_offset;
        }
    }
    munmap((void *)(uintptr_t)bytes, size);
    return slot;
}

/* What stands in the slot now. False where the process cannot be looked into. */
static inline bool tour_process_slot(const struct tour_process *process, const char *symbol,
                                     uintptr_t *address)
{
    char path[64];
    uintptr_t begin, end, slot = tour_file_slot(process->file, symbol);
    assert_true(slot != 0);
    tour_process_place(process, &begin, &end);
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)process->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : pread(fd, address, sizeof(*address), (off_t)(begin + slot));
    if (fd >= 0)
        close(fd);
    return got == (ssize_t)sizeof(*address);
}

/* Does the slot still lead into the harness itself, to the code that asks the loader? */
static inline bool tour_process_unbound(const struct tour_process *process, const char *symbol)
{
    uintptr_t address = 0, begin, end;
    assert_true(tour_process_slot(process, symbol, &address));
    tour_process_place(process, &begin, &end);
    return address >= begin && address < end;
}

/* Can processes of our own be looked into here? */
static inline bool tour_processes_open(void)
{
    int value = 0;
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
    int fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool open_ = fd >= 0 && pread(fd, &value, sizeof(value), (off_t)(uintptr_t)&value) ==
                                (ssize_t)sizeof(value);
    if (fd >= 0)
        close(fd);
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    return open_;
}

/* Why page-faults:u cannot be opened here, 0: it can. */
static inline int tour_no_counter(void)
{
    struct job *job = tour_job("timer.nothing", 1, false, NULL);
    long fd = syscall(SYS_perf_event_open, &job->tour.counted.attr, 0, -1, -1, 0);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0)
        close((int)fd);
    tour_job_free(job);
    return error;
}

#define SKIP_WITHOUT_COUNTERS()                                                                    \
    do {                                                                                           \
        int error = tour_no_counter();                                                             \
        if (error)                                                                                 \
            skip_because("page-faults:u cannot be opened here: %s", strerror(error));              \
        if (!tour_processes_open())                                                                \
            skip_because("processes of our own cannot be looked into here");                       \
    } while (0)

static inline void tour_process_assert(const struct tour_process *process,
                                       const char *const *symbols, size_t count, bool unbound)
{
    for (size_t index = 0; index < count; index++)
        assert_int_equal(tour_process_unbound(process, symbols[index]), unbound);
}

struct travel {
    const char *harness, *calls;
    uint32_t runs;
    bool cold;
    const char *const *symbols; /* that the calls bind, NULL ends them */
    bool unbound_before;
};

static inline void tour_process_travels(const struct travel *travel, const char *folder)
{
    struct tour_process process;
    size_t count = 0;
    while (travel->symbols[count])
        count++;
    tour_process_start_in(&process, travel->harness, travel->calls, travel->runs, travel->cold,
                          folder);
    tour_process_assert(&process, travel->symbols, count, travel->unbound_before);
    tour_process_travel(&process);
    tour_process_assert(&process, travel->symbols, count, false);
    tour_process_end(&process);
}
