/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads a recording: lines of words, each line belongs to the last point or event above it. */
#include "recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "clean.h"

/* event NAME KIND CLASS */
static bool read_event(struct case_file *file, const char *words)
{
    char event[80], kind[40], class[40];
    if (sscanf(words, "%79s %39s %39s", event, kind, class) != 3)
        return false;
    struct evidence *evidence = memory_add(file->events, file->event_count);
    evidence->event = copy_of(event);
    evidence->kind = copy_of(kind);
    evidence->class = copy_of(class);
    return true;
}

/* point SPECIMEN N PATH PATTERN OPT LINK GRADE LOW HIGH FAULTS SWITCHES; -1: not predicted */
static bool read_point(struct evidence *evidence, const char *words)
{
    char specimen[40], path[40], pattern[8], opt[8], link[16], grade[16];
    struct point *point = evidence_add_point(evidence);
    if (sscanf(words,
               "%39s %" SCNu64 " %39s %7s %7s %15s %15s %" SCNd64 " %" SCNd64 " %" SCNd64
               " %" SCNd64,
               specimen, &point->n, path, pattern, opt, link, grade, &point->truth.low,
               &point->truth.high, &point->faults, &point->switches) != 11)
        return false;
    point->specimen = copy_of(specimen);
    point->path = copy_of(path);
    point->opt = copy_of(opt);
    point->link = copy_of(link);
    point->core = copy_of("");
    point->pattern = (enum pattern)pattern_from_name(pattern);
    point->counters = 1;
    point->is_null = strcmp(specimen, "null") == 0;
    point->truth.grade = strcmp(grade, "proven") == 0    ? TRUTH_PROVEN
                         : strcmp(grade, "bounded") == 0 ? TRUTH_BOUNDED
                         : strcmp(grade, "model") == 0   ? TRUTH_MODEL
                                                         : TRUTH_NONE;
    return true;
}

/* class NAME COUNT GRADE, or opcode NAME COUNT */
static bool read_trait(struct point *point, enum trait_kind kind, const char *words)
{
    char name[40], grade[16] = "proven";
    int64_t count;
    if (sscanf(words, "%39s %" SCNd64 " %15s", name, &count, grade) < 2)
        return false;
    struct trait *trait = memory_add(point->traits, point->trait_count);
    trait->kind = kind;
    trait->name = copy_of(name);
    trait->count = count;
    trait->proven = strcmp(grade, "proven") == 0;
    return true;
}

/* run PROCESS VALUE ENABLED RUNNING MINOR MAJOR VOLUNTARY INVOLUNTARY */
static bool read_run(struct point *point, const char *words)
{
    struct evidence_run *run = memory_add(point->runs, point->run_count);
    return sscanf(words,
                  "%" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                  " %" SCNu64,
                  &run->process, &run->value, &run->enabled, &run->running,
                  &run->account.minor_faults, &run->account.major_faults, &run->account.voluntary,
                  &run->account.involuntary) == 8;
}

static bool read_line(struct case_file *file, const char *line)
{
    struct evidence *evidence = file->event_count > 0 ? &file->events[file->event_count - 1] : NULL;
    struct point *point =
        evidence && evidence->point_count > 0 ? &evidence->points[evidence->point_count - 1] : NULL;
    if (strncmp(line, "machine ", 8) == 0) {
        file->emulated = strstr(line, "emulated") != NULL;
        file->virtualized = strstr(line, "virtualized") != NULL;
        return true;
    }
    if (strncmp(line, "event ", 6) == 0)
        return read_event(file, line + 6);
    if (evidence && strncmp(line, "point ", 6) == 0)
        return read_point(evidence, line + 6);
    if (point && strncmp(line, "class ", 6) == 0)
        return read_trait(point, TRAIT_CLASS, line + 6);
    if (point && strncmp(line, "opcode ", 7) == 0)
        return read_trait(point, TRAIT_OPCODE, line + 7);
    return point && strncmp(line, "run ", 4) == 0 && read_run(point, line + 4);
}

void recording_read(const char *file, struct case_file *to)
{
    AUTO_FILE FILE *stream = fopen(file, "re");
    if (!stream) {
        fprintf(stderr, "%s: %m\n", file);
        exit(1);
    }
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    for (int number = 1; getline(&line, &size, stream) >= 0; number++)
        if (line[0] != '#' && !read_line(to, line)) {
            fprintf(stderr, "%s:%d: cannot be read as a recording\n", file, number);
            exit(1);
        }
}
