/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Around the windows of the two PAPI paths. */
#include "probe/harness/papi-set.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/harness/job.h"

/* ----------------------------------------------------------------------------------------------
 * Which of PAPI's presets can be counted here, in the description of the harness. PAPI answers a
 * query for a preset even where no counter is; only adding it to a set opens something. */

static int try_preset(int code)
{
    int event_set = PAPI_NULL;
    int status = PAPI_create_eventset(&event_set);
    if (status == PAPI_OK)
        status = PAPI_add_event(event_set, code);
    papi_destroy_set(&event_set);
    return status;
}

/* "preset NAME ERRNO REASON" for every preset; ERRNO 0: it can be counted here. */
static void papi_describe_presets(void)
{
    int code = PAPI_PRESET_MASK;
    do {
        char name[PAPI_MAX_STR_LEN];
        if (PAPI_event_code_to_name(code, name) != PAPI_OK)
            continue;
        int status = try_preset(code);
        printf("preset %s %d %s\n", name, status == PAPI_OK ? 0 : -papi_errno(status),
               status == PAPI_OK ? "-" : PAPI_strerror(status));
    } while (PAPI_enum_event(&code, PAPI_ENUM_ALL) == PAPI_OK);
}

/* ----------------------------------------------------------------------------------------------
 * papi-low: PAPI_start sets the counters to zero, so a pattern that starts needs no base reading.
 * PAPI pins its groups to the PMU: what it returns was counted all the time, or is an error. */

static int low_open(struct instrument *instrument)
{
    return papi_build_set(instrument->job, &instrument->window.event_set);
}

static int low_arm(struct instrument *instrument)
{
    struct job *job = instrument->job;
    for (uint32_t index = 0; index < job->counters; index++)
        instrument->before[index] = 0;
    if (!pattern_starts_inside(job->pattern) && !instrument->started) {
        int status = PAPI_start(instrument->window.event_set);
        if (status != PAPI_OK)
            return job_fail(job, papi_errno(status), "PAPI_start: %s", PAPI_strerror(status));
    }
    instrument->started = !pattern_starts_inside(job->pattern);
    instrument->opened = elapsed_clock();
    return 0;
}

static int low_release(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    uint64_t elapsed = elapsed_clock() - instrument->opened;
    int status = (int)instrument->window.status;
    if (job->pattern == PATTERN_RO)
        instrument->started = false;
    if (status == PAPI_OK && job->pattern == PATTERN_AR) {
        long long ignored[CELL_MAX_COUNTERS];
        status = PAPI_stop(instrument->window.event_set, ignored);
    }
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "run %u: PAPI: %s", run, PAPI_strerror(status));
    for (uint32_t index = 0; index < job->counters; index++)
        job_values(job)[(size_t)run * job->counters + index] =
            instrument->after[index] - instrument->before[index];
    job_row_timed(job, run, elapsed);
    return 0;
}

static void low_close(struct instrument *instrument)
{
    long long ignored[CELL_MAX_COUNTERS];
    if (instrument->started)
        PAPI_stop(instrument->window.event_set, ignored);
    papi_destroy_set(&instrument->window.event_set);
}

const struct path_operations papi_low_operations = {
    .usable = papi_usable,
    .describe = papi_describe_presets,
    .open = low_open,
    .arm = low_arm,
    .release = low_release,
    .close = low_close,
};

/* ----------------------------------------------------------------------------------------------
 * PAPI 7 reports every instance of a region on its own: regions are numbered from 0 in the order
 * they began, each with its name, real_time_nsec and one number (as text) per event. The report is
 * read in one forward pass that insists on this shape: another version that sums its regions up
 * must fail here, not give wrong numbers. */

#define REPORT_MAX (256u << 20)

static int misread(struct job *job, const char *what)
{
    return job_fail(job, -EBADMSG,
                    "the report of PAPI's high-level interface (PAPI %d.%d) has no %s",
                    PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION), what);
}

static int read_stream(struct job *job, FILE *file, char **text)
{
    if (fseek(file, 0, SEEK_END) < 0)
        return job_fail(job, -errno, "cannot read PAPI's report: %s", strerror(errno));
    long size = ftell(file);
    if (size < 0 || (unsigned long)size > REPORT_MAX)
        return job_fail(job, -EFBIG, "PAPI's report is too large");
    rewind(file);
    *text = malloc((size_t)size + 1);
    if (!*text)
        return job_fail(job, -ENOMEM, "out of memory");
    size_t length = fread(*text, 1, (size_t)size, file);
    (*text)[length] = '\0';
    return 0;
}

static int read_file(struct job *job, const char *path, char **text)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return job_fail(job, -errno, "cannot read PAPI's report %s: %s", path, strerror(errno));
    int result = read_stream(job, file, text);
    fclose(file);
    return result;
}

/* The one file in FOLDER/papi_hl_output. */
static int find_report(struct job *job, char *path, size_t size)
{
    char folder[sizeof(job->folder) + 32];
    snprintf(folder, sizeof(folder), "%s/papi_hl_output", job->folder);
    AUTO_DIR DIR *directory = opendir(folder);
    if (!directory)
        return job_fail(job, -errno, "PAPI's high-level interface wrote no report: %s",
                        strerror(errno));
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, size, "%s/%s", folder, entry->d_name);
        return 0;
    }
    return misread(job, "file");
}

/* Where the text behind `needle` starts, within [from, end). */
static const char *behind(const char *from, const char *end, const char *needle)
{
    const char *found = strstr(from, needle);
    return found && found < end ? found + strlen(needle) : NULL;
}

static int read_number(const char *from, const char *end, const char *key, uint64_t *value)
{
    char needle[JOB_NAME + 32];
    snprintf(needle, sizeof(needle), "\"%s\":\"", key);
    const char *text = behind(from, end, needle);
    if (!text)
        return -ENOENT;
    char *rest;
    *value = (uint64_t)strtoll(text, &rest, 10);
    return rest > text && *rest == '"' ? 0 : -ENOENT;
}

/* One region: everything up to the brace that ends it. Regions hold no further objects, because
 * nothing is read within them. */
static int read_region(struct job *job, uint32_t run, const char *from, const char *end)
{
    uint64_t elapsed;
    if (!behind(from, end, "\"name\":\"" PAPI_REGION "\""))
        return misread(job, "name of a region");
    if (read_number(from, end, "real_time_nsec", &elapsed) < 0)
        return misread(job, "real_time_nsec");
    for (uint32_t index = 0; index < job->counters; index++) {
        char name[JOB_NAME + 16];
        size_t row = (size_t)run * job->counters + index;
        int result = papi_native_name(job, index, name, sizeof(name));
        if (result < 0)
            return result;
        if (read_number(from, end, name, &job_values(job)[row]) < 0)
            return misread(job, name);
    }
    job_row_timed(job, run, elapsed);
    return 0;
}

/* Fills all rows of the job from the report below job->folder. */
static int papi_read_report(struct job *job)
{
    char path[sizeof(job->folder) + 512];
    AUTO_FREE char *text = NULL;
    int result = find_report(job, path, sizeof(path));
    if (result == 0)
        result = read_file(job, path, &text);
    if (result < 0 || !text)
        return result;
    const char *limit = text + strlen(text);
    const char *from = behind(text, limit, "\"regions\":{");
    for (uint32_t run = 0; run < job->runs; run++) {
        char key[32];
        snprintf(key, sizeof(key), "\"%u\":{", run);
        from = from ? behind(from, limit, key) : NULL;
        const char *end = from ? strchr(from, '}') : NULL;
        if (!end)
            return misread(job, "instance of its own for every region");
        result = read_region(job, run, from, end);
        if (result < 0)
            return result;
        from = end;
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * papi-high: the high-level interface takes its events from the environment and gives its values
 * only in a report it writes when the process exits; the rows are filled then. It replaces events
 * it cannot count by others without a word: hence the rehearsal with a low-level set, which fails
 * loudly. */

/* The high-level interface keeps every region in memory and writes all of them at the end. */
#define PAPI_HIGH_MAX_RUNS 10000u

static int name_events(struct job *job)
{
    static char names[CELL_MAX_COUNTERS * (JOB_NAME + 16)];
    size_t used = 0;
    for (uint32_t index = 0; index < job->counters; index++) {
        char name[JOB_NAME + 16];
        int result = papi_native_name(job, index, name, sizeof(name));
        if (result < 0)
            return result;
        if (strpbrk(name, ",=\"\\"))
            return job_fail(job, -ENOTSUP, "PAPI's high-level interface cannot take the name %s",
                            name);
        used +=
            (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", index ? "," : "", name);
    }
    return papi_regions_of(job, names);
}

/* Counts for a moment what the regions will count; the domain it sets stays for them. */
static int rehearse(struct job *job)
{
    int event_set;
    long long values[CELL_MAX_COUNTERS];
    int result = papi_build_set(job, &event_set);
    if (result < 0)
        return result;
    int status = PAPI_start(event_set);
    if (status == PAPI_OK)
        status = PAPI_stop(event_set, values);
    papi_destroy_set(&event_set);
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "PAPI cannot count these events together: %s",
                        PAPI_strerror(status));
    return 0;
}

/* The interface allocates a node for every region, inside the window. Reserving the memory first
 * (it is populated before the runs) keeps the page faults of a growing heap out of the counts. */
static void reserve_heap(const struct job *job)
{
    papi_reserve((1u << 20) + (size_t)job->runs * (512u + 128u * job->counters));
}

static int high_open(struct instrument *instrument)
{
    struct job *job = instrument->job;
    if (job->runs > PAPI_HIGH_MAX_RUNS)
        return job_fail(job, -E2BIG,
                        "papi-high keeps every run in memory: at most %u runs a process, ask for "
                        "more processes",
                        PAPI_HIGH_MAX_RUNS);
    if (!job->folder[0])
        return job_fail(job, -ENOENT, "papi-high needs a folder for its report");
    int result = rehearse(job);
    if (result == 0)
        result = name_events(job);
    if (result == 0)
        reserve_heap(job);
    return result;
}

static int high_arm(struct instrument *instrument)
{
    (void)instrument;
    return 0;
}

static int high_release(struct instrument *instrument, uint32_t run)
{
    int status = (int)instrument->window.status;
    if (status != PAPI_OK)
        return job_fail(instrument->job, papi_errno(status), "run %u: PAPI_hl_region_end: %s", run,
                        PAPI_strerror(status));
    return 0;
}

static void high_close(struct instrument *instrument)
{
    (void)instrument;
}

const struct path_operations papi_high_operations = {
    .usable = papi_high_usable,
    .open = high_open,
    .arm = high_arm,
    .release = high_release,
    .finish = papi_read_report,
    .close = high_close,
};
