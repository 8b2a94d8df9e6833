/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads suites. inih takes lines apart; what it would cut off or pass over is refused here, with
 * the line, so that nothing is run that nobody wrote. */
#include "studies/repeat/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/words.h"

#define MOST_BYTES     (1 << 20)
#define MOST_WORKLOADS 256u
#define MOST_SECTION   48 /* what inih keeps of a section's name, and of a key's */
#define INPUT          "input "

struct reading {
    struct suite *suite;
    struct failure *failure; /* of the first thing that is wrong */
    int error;
    const char *rest; /* of the file */
    int line;
    /* where values of the section go: one of the two */
    char section[MOST_SECTION + 2];
    bool begun;
    size_t workload, input; /* indexes; SIZE_MAX: not of this section */
};

static int complain(struct reading *reading, const char *what, const char *value)
{
    if (!reading->error)
        reading->error = fail_with(reading->failure, -EINVAL, "%.300s, line %d: %s%s%.80s%s",
                                   reading->suite->path, reading->line, what, *value ? " '" : "",
                                   value, *value ? "'" : "");
    return 0; /* as inih wants it */
}

static int no_memory(struct reading *reading)
{
    if (!reading->error)
        reading->error = fail_with(reading->failure, -ENOMEM, "no memory for a suite");
    return 0;
}

/* --- lines, for inih --- */

/* As fgets. Lines that inih would cut are told here, and handed on empty. */
static char *next_line(char *line, int size, void *stream)
{
    struct reading *reading = stream;
    if (!*reading->rest)
        return NULL;
    const size_t length = strcspn(reading->rest, "\n");
    const char *start = reading->rest;
    const char *text = start + strspn(start, " \t");
    const char *close = *text == '[' ? memchr(text, ']', length - (size_t)(text - start)) : NULL;
    reading->rest += length + (start[length] == '\n');
    reading->line++;
    line[0] = '\0';
    reading->begun &= *text != '['; /* the same name again would be told as twice */
    if (length + 2 > (size_t)size)
        complain(reading, "the line is too long: go on with white space at the start of the next",
                 "");
    else if (*text == '[' && (!close || close - text > MOST_SECTION))
        complain(reading, "the name of this section is too long, or has no end", "");
    else {
        memcpy(line, start, length);
        line[length] = '\0';
    }
    strcat(line, "\n");
    return line;
}

/* --- sections --- */

static bool is_name(const char *name)
{
    return brought_name_is_plain(name);
}

static int begin_workload(struct reading *reading, const char *name)
{
    struct suite *suite = reading->suite;
    if (!is_name(name))
        return complain(reading, "a workload cannot have the name", name);
    for (size_t i = 0; i < suite->count; i++)
        if (strcmp(suite->list[i].name, name) == 0)
            return complain(reading, "there is another workload of the name", name);
    if (suite->count >= MOST_WORKLOADS)
        return complain(reading, "there are too many workloads", "");
    reading->workload = suite->count;
    reading->input = SIZE_MAX;
    struct workload *workload = list_add(&suite->list, &suite->count, sizeof(*workload));
    if (!workload || !(workload->name = strdup(name)))
        return no_memory(reading);
    return 1;
}

static int begin_input(struct reading *reading, const char *name)
{
    struct suite *suite = reading->suite;
    if (!is_name(name))
        return complain(reading, "an input cannot have the name", name);
    for (size_t i = 0; i < suite->input_count; i++)
        if (strcmp(suite->inputs[i].name, name) == 0)
            return complain(reading, "there is another input of the name", name);
    if (suite->input_count >= BROUGHT_MOST_FILES)
        return complain(reading, "there are too many inputs", "");
    reading->input = suite->input_count;
    reading->workload = SIZE_MAX;
    struct made_input *input = list_add(&suite->inputs, &suite->input_count, sizeof(*input));
    if (!input || !(input->name = strdup(name)))
        return no_memory(reading);
    return 1;
}

static int begin_section(struct reading *reading, const char *section)
{
    if (reading->begun && strcmp(section, reading->section) == 0)
        return 1;
    reading->begun = true;
    snprintf(reading->section, sizeof(reading->section), "%s", section);
    if (!*section)
        return complain(reading, "this stands before the first section", "");
    return strncmp(section, INPUT, strlen(INPUT)) == 0
               ? begin_input(reading, section + strlen(INPUT))
               : begin_workload(reading, section);
}

/* --- values --- */

/* A value that goes on in the next line comes again, and is joined by a space. */
static int put_text(struct reading *reading, char **text, const char *value)
{
    char *joined = NULL;
    if (asprintf(&joined, "%s%s%s", *text ? *text : "", *text ? " " : "", value) < 0)
        return no_memory(reading);
    free(*text);
    *text = joined;
    return 1;
}

static int put_flag(struct reading *reading, bool *flag, const char *value)
{
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
        return complain(reading, "this must be yes or no, but is", value);
    *flag = value[0] == 'y';
    return 1;
}

/* "300", "64k", "4M" */
static int put_number(struct reading *reading, uint64_t *number, uint64_t most, const char *value)
{
    char *end;
    errno = 0;
    const unsigned long long given = strtoull(value, &end, 10);
    const unsigned shift = *end == 'k' ? 10 : *end == 'M' ? 20 : 0;
    if (*value < '0' || *value > '9' || errno || end[shift ? 1 : 0] || given > most >> shift)
        return complain(reading, "this must be a number that is not too large, but is", value);
    *number = (uint64_t)given << shift;
    return 1;
}

static int put_workload(struct reading *reading, const char *key, const char *value)
{
    struct workload *workload = &reading->suite->list[reading->workload];
    const struct {
        const char *key;
        char **text;
    } texts[] = {
        {"command", &workload->command}, {"package", &workload->package},
        {"needs", &workload->needs},     {"input", &workload->input},
        {"about", &workload->about},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (strcmp(texts[i].key, key) == 0)
            return put_text(reading, texts[i].text, value);
    if (strcmp(key, "threaded") == 0)
        return put_flag(reading, &workload->threaded, value);
    if (strcmp(key, "io") == 0)
        return put_flag(reading, &workload->io, value);
    return complain(reading, "a workload has nothing of the name", key);
}

static int put_input(struct reading *reading, const char *key, const char *value)
{
    struct made_input *input = &reading->suite->inputs[reading->input];
    if (strcmp(key, "make") == 0)
        return made_input_known(value) && !input->kind
                   ? put_text(reading, &input->kind, value)
                   : complain(reading, "there is no way to make", value);
    if (strcmp(key, "file") == 0)
        return is_name(value) && !input->file
                   ? put_text(reading, &input->file, value)
                   : complain(reading, "this is no name of a file beside the suite:", value);
    if (strcmp(key, "size") == 0)
        return put_number(reading, &input->size, BROUGHT_MOST_BYTES / 2, value);
    if (strcmp(key, "seed") == 0)
        return put_number(reading, &input->seed, UINT32_MAX, value);
    return complain(reading, "an input has nothing of the name", key);
}

static int put_value(void *context, const char *section, const char *key, const char *value)
{
    struct reading *reading = context;
    if (reading->error || !begin_section(reading, section))
        return 0;
    return reading->input != SIZE_MAX ? put_input(reading, key, value)
                                      : put_workload(reading, key, value);
}

/* --- what is there when all was read --- */

static int check_input(const struct suite *suite, struct made_input *input, struct failure *failure)
{
    if (!input->kind == !input->file)
        return fail_with(failure, -EINVAL,
                         "%.300s: the input '%s' must either be made (make = …) or be a file "
                         "(file = …)",
                         suite->path, input->name);
    if (input->kind && !input->size)
        return fail_with(failure, -EINVAL, "%.300s: the input '%s' has no size", suite->path,
                         input->name);
    return 0;
}

static int check_workload(const struct suite *suite, struct workload *workload,
                          struct failure *failure)
{
    AUTO_WORDS char **words = NULL;
    struct failure why = {0};
    int count = workload->command ? words_split(workload->command, &words, &why) : 0;
    if (count == -ENOMEM)
        return fail_with(failure, -ENOMEM, "no memory for a suite");
    if (count <= 0 || !*words[0] || strlen(workload->command) > COMMAND_MOST_BYTES)
        return fail_with(failure, -EINVAL, "%.300s: the workload '%s' has no command%s%s",
                         suite->path, workload->name, count < 0 ? ": " : "",
                         count < 0 ? why.text : "");
    char **texts[] = {&workload->package, &workload->input, &workload->about};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (!*texts[i] && !(*texts[i] = strdup("")))
            return fail_with(failure, -ENOMEM, "no memory for a suite");
    if (!workload->needs && !(workload->needs = strdup(words[0])))
        return fail_with(failure, -ENOMEM, "no memory for a suite");
    if (workload->package[strspn(workload->package, "abcdefghijklmnopqrstuvwxyz0123456789.+-")] ||
        workload->package[0] == '-')
        return fail_with(failure, -EINVAL,
                         "%.300s: the workload '%s' names a package '%.80s', which can be none",
                         suite->path, workload->name, workload->package);
    return 0;
}

static int check(const struct suite *suite, struct failure *failure)
{
    int error = 0;
    if (!suite->count)
        return fail_with(failure, -EINVAL, "%.300s holds no workload", suite->path);
    for (size_t i = 0; i < suite->input_count && !error; i++)
        error = check_input(suite, &suite->inputs[i], failure);
    for (size_t i = 0; i < suite->count && !error; i++)
        error = check_workload(suite, &suite->list[i], failure);
    return error;
}

/* --- the file --- */

static int read_file(const char *path, char **content, struct failure *failure)
{
    struct stat about;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &about) < 0)
        return fail_with(failure, -errno, "the suite %.300s cannot be read: %s", path,
                         strerror(errno));
    if (!S_ISREG(about.st_mode) || about.st_size > MOST_BYTES)
        return fail_with(failure, -EINVAL,
                         "the suite %.300s is no ordinary file of at most %d bytes", path,
                         MOST_BYTES);
    *content = calloc((size_t)about.st_size + 1, 1);
    if (!*content)
        return fail_with(failure, -ENOMEM, "no memory for a suite");
    const ssize_t got = read(fd, *content, (size_t)about.st_size);
    if (got < 0 || strlen(*content) != (size_t)got)
        return fail_with(failure, -EINVAL, "the suite %.300s is no text", path);
    return 0;
}

/* The suites that come with assay: beside the build, where it is installed. */
static char *find_installed(const char *name)
{
    static const char *const places[] = {"%s/workloads/%s.ini",
                                         "%s/../share/assay/workloads/%s.ini"};
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    char *path = NULL;
    for (size_t i = 0; slash && i < sizeof(places) / sizeof(*places); i++) {
        *slash = '\0';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        if (asprintf(&path, places[i], folder, name) < 0)
            return NULL;
#pragma GCC diagnostic pop
        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    return asprintf(&path, ASSAY_DATA "/workloads/%s.ini", name) < 0 ? NULL : path;
}

int suite_read(const char *name, struct suite *suite, struct failure *failure)
{
    AUTO_FREE char *content = NULL;
    struct reading reading = {
        .suite = suite, .failure = failure, .workload = SIZE_MAX, .input = SIZE_MAX};
    const bool ours = strcmp(name, "open") == 0 && access(name, F_OK) < 0;
    *suite = (struct suite){.path = ours ? find_installed(name) : strdup(name)};
    if (!suite->path)
        return fail_with(failure, -ENOMEM, "no memory for a suite");
    int error = read_file(suite->path, &content, failure);
    if (!error) {
        reading.rest = content;
        int parsed = ini_parse_stream(next_line, &reading, put_value, &reading);
        error = reading.error;
        if (!error && parsed)
            error = fail_with(failure, -EINVAL,
                              "%.300s, line %d: neither a section nor a key with its value",
                              suite->path, parsed);
    }
    if (!error)
        error = check(suite, failure);
    if (error)
        suite_release(suite);
    return error;
}

void suite_release(struct suite *suite)
{
    for (size_t i = 0; i < suite->count; i++) {
        struct workload *workload = &suite->list[i];
        char *texts[] = {workload->name,  workload->command, workload->package,
                         workload->needs, workload->input,   workload->about};
        for (size_t text = 0; text < sizeof(texts) / sizeof(*texts); text++)
            free(texts[text]);
    }
    for (size_t i = 0; i < suite->input_count; i++) {
        free(suite->inputs[i].name);
        free(suite->inputs[i].kind);
        free(suite->inputs[i].file);
    }
    free(suite->list);
    free(suite->inputs);
    free(suite->path);
    *suite = (struct suite){0};
}
