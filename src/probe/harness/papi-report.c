/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * PAPI 7 reports every instance of a region on its own: regions are numbered from 0 in the order
 * they began, each with its name, real_time_nsec and one number (as text) per event. The report is
 * read in one forward pass that insists on this shape: another version that sums its regions up
 * must fail here, not give wrong numbers. */
#include "probe/harness/papi-report.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/harness/papi-operations.h"
#include "probe/harness/papi-set.h"

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
        job_enabled(job)[row] = elapsed;
        job_running(job)[row] = elapsed;
    }
    return 0;
}

int papi_read_report(struct job *job)
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
