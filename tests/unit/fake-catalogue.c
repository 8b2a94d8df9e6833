/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the fake probe has: paths, specimens, operations, clocks, counters and subjects, each as the
 * mode alters it. */
#include "fake-probe.h"

static const char *const good_operation[][2] = {
    {"path", "perf-read"}, {"kind", "stop"},    {"instrument", "perf"},
    {"effect", "stops"},   {"when", "running"}, {"links", "lazy"},
    {"binds", "1"},        {"alone", "0"},      {"page", ""},
    {"note", ""},          {NULL, NULL}};

static const char *const good_clock[][2] = {
    {"name", "hpet"},  {"kind", "wall"},
    {"way", "device"}, {"hardware", "hpet"},
    {"claim", ""},     {"note", ""},
    {"hz", "1"},       {"resolution_ps", "18446744073709551615"},
    {"slow", "1"},     {"steered", "0"},
    {NULL, NULL}};

static void send_operations(struct fake *fake)
{
    SEND(fake, "operation", {"path", "timer"}, {"kind", "nothing"}, {"instrument", "timer"},
         {"effect", "keeps"}, {"when", "any"}, {"links", "static,lazy"}, {"binds", "0"},
         {"alone", "0"}, {"page", ""}, {"note", ""});
    SEND(fake, "operation", {"path", "perf-user-cold"}, {"kind", "read"}, {"instrument", "perf"},
         {"effect", "keeps"}, {"when", "running"}, {"links", "lazy"}, {"binds", "1"},
         {"alone", "1"}, {"page", "cold"}, {"note", "a note"});
    if (strncmp(fake->mode, "operation:", strlen("operation:")) == 0)
        send_altered(fake, "operation", good_operation);
    if (is(fake, "operation-twice"))
        SEND(fake, "operation", {"path", "timer"}, {"kind", "nothing"}, {"instrument", "other"},
             {"effect", "stops"}, {"when", "any"}, {"links", "lazy"}, {"binds", "0"},
             {"alone", "0"}, {"page", ""}, {"note", ""});
    for (unsigned i = 0; is(fake, "endless-operations"); i++) {
        char kind[16];
        snprintf(kind, sizeof(kind), "k%u", i);
        SEND(fake, "operation", {"path", "p"}, {"kind", kind}, {"instrument", "i"},
             {"effect", "keeps"}, {"when", "any"}, {"links", "lazy"}, {"binds", "0"},
             {"alone", "0"}, {"page", ""}, {"note", ""});
    }
}

/* In modes about clocks alone. */
static void send_clocks(struct fake *fake)
{
    if (strncmp(fake->mode, "clock", 5) != 0)
        return;
    SEND(fake, "clock", {"name", "tsc"}, {"kind", "wall"}, {"way", "instruction"},
         {"hardware", "tsc"}, {"claim", "a page of perf"}, {"note", "a note"},
         {"hz", "18446744073709551615"}, {"resolution_ps", "0"}, {"slow", "0"}, {"steered", "1"});
    SEND(fake, "clock", {"name", "cpu"}, {"kind", "place"}, {"way", "syscall"}, {"hardware", ""},
         {"claim", ""}, {"note", ""}, {"hz", "0"}, {"resolution_ps", "7"}, {"slow", "1"},
         {"steered", "0"});
    if (strncmp(fake->mode, "clock:", strlen("clock:")) == 0)
        send_altered(fake, "clock", good_clock);
    for (unsigned i = 0; is(fake, "clocks-endless"); i++) {
        char name[16];
        snprintf(name, sizeof(name), "c%u", i);
        SEND(fake, "clock", {"name", name}, {"kind", "wall"}, {"way", "vdso"}, {"hardware", ""},
             {"claim", ""}, {"note", ""}, {"hz", "0"}, {"resolution_ps", "0"}, {"slow", "0"},
             {"steered", "0"});
    }
}

static const char *const good_counter[][2] = {{"source", "qemu"},
                                              {"classes", "instructions,instructions-raw"},
                                              {"details", "code"},
                                              {"note", "its own CPUID"},
                                              {NULL, NULL}};

static const char *const good_subject[][2] = {
    {"name", "stack32"}, {"summary", "places"}, {"shows", "M9"}, {"n", "18446744073709551615"},
    {"truth", "1"},      {"base", "-5"},        {"each", "7"},   {"bits", "32"},
    {"libc", "1"},       {NULL, NULL}};

/* In modes about commands alone. */
static void send_commands(struct fake *fake)
{
    const bool counter = strncmp(fake->mode, "counter:", 8) == 0;
    const bool subject = strncmp(fake->mode, "subject:", 8) == 0;
    if (!counter && !subject && strncmp(fake->mode, "commands", 8) != 0)
        return;
    SEND(fake, "counter", {"source", "perf_event"}, {"classes", ""}, {"details", ""}, {"note", ""});
    SEND(fake, "counter", {"source", "step"}, {"classes", "instructions"},
         {"details", "code,calls"}, {"note", "slow"});
    SEND(fake, "subject", {"name", "loop"}, {"summary", "a loop"}, {"shows", "M8 M10"}, {"n", "9"},
         {"truth", "0"}, {"base", "0"}, {"each", "0"}, {"bits", "64"}, {"libc", "0"});
    if (counter)
        send_altered(fake, "counter", good_counter);
    if (subject)
        send_altered(fake, "subject", good_subject);
    for (unsigned i = 0; is(fake, "commands-endless-counters"); i++) {
        char name[16];
        snprintf(name, sizeof(name), "c%u", i);
        SEND(fake, "counter", {"source", name}, {"classes", ""}, {"details", ""}, {"note", ""});
    }
    for (unsigned i = 0; is(fake, "commands-endless-subjects"); i++) {
        char name[16];
        snprintf(name, sizeof(name), "s%u", i);
        SEND(fake, "subject", {"name", name}, {"summary", ""}, {"shows", ""}, {"n", "0"},
             {"truth", "0"}, {"base", "0"}, {"each", "0"}, {"bits", "64"}, {"libc", "0"});
    }
}

void send_catalogue(struct fake *fake)
{
    SEND(fake, "fact", {"key", "cpu.model"}, {"value", "Fake CPU"});
    SEND(fake, "fact", {"key", "sys.hidden"}, {"error", "13"});
    if (is(fake, "endless-catalogue"))
        for (unsigned i = 0;; i++) {
            wire_begin(&fake->writer, "absent");
            wire_put_string(&fake->writer, "kind", "path");
            wire_put_u64(&fake->writer, "name", i);
            wire_put_u64(&fake->writer, "error", 1);
            wire_put_string(&fake->writer, "reason", "never ends");
            send_end(fake);
        }
    SEND(fake, "specimen", {"name", "null"}, {"summary", "nothing"}, {"stresses", "nothing"},
         {"min_n", "0"}, {"max_n", "18446744073709551615"}, {"needs", ""}, {"parameters", ""});
    SEND(fake, "truth", {"specimen", "null"}, {"class", "instructions"}, {"base", "-1"},
         {"each", "2"}, {"grade", "proven"}, {"why", ""}, {"sources", "step,qemu"});
    SEND(fake, "truth", {"specimen", "null"}, {"class", "branch-misses"}, {"base", "0"},
         {"each", "1"}, {"grade", "bounded"}, {"why", "predictors learn"}, {"sources", ""},
         {"high_base", "7"}, {"high_each", "3"});
    if (is(fake, "bound-without-top"))
        SEND(fake, "truth", {"specimen", "null"}, {"class", "cycles"}, {"base", "0"}, {"each", "1"},
             {"grade", "bounded"}, {"why", ""}, {"sources", ""});
    if (is(fake, "truth-of-nothing"))
        SEND(fake, "truth", {"specimen", "ghost"}, {"class", "instructions"}, {"base", "0"},
             {"each", "2"}, {"grade", "proven"}, {"why", ""}, {"sources", "step,qemu"});
    if (is(fake, "specimen-twice"))
        SEND(fake, "specimen", {"name", "null"}, {"summary", ""}, {"stresses", ""}, {"min_n", "0"},
             {"max_n", "1"}, {"needs", ""}, {"parameters", ""});
    SEND(fake, "path", {"name", "perf-read"}, {"patterns", "ar,ao"}, {"opts", "O0,O2"},
         {"links", "static"}, {"note", ""});
    SEND(fake, "path", {"name", "bare"}, {"patterns", "rr"}, {"opts", "O2"}, {"links", "static"},
         {"sources", "step,qemu"}, {"note", ""});
    SEND(fake, "source", {"name", "step"}, {"summary", "steps"},
         {"classes", "instructions,syscalls"},
         {"runs", is(fake, "source-without-runs") ? "0" : "5"});
    if (is(fake, "source-twice"))
        SEND(fake, "source", {"name", "step"}, {"summary", ""}, {"classes", ""}, {"runs", "1"});
    send_operations(fake);
    send_clocks(fake);
    send_commands(fake);
    SEND(fake, "absent", {"kind", "path"}, {"name", "papi-low"}, {"error", "2"},
         {"reason", "not built"});
    if (is(fake, "stray-frame"))
        SEND(fake, "confetti", {"colour", "blue"});
    if (is(fake, "last-word"))
        SEND(fake, "error", {"reason", "the moon is full"});
    if (is(fake, "skips")) /* a frame is lost on the way */
        fake->writer.sequence++;
    if (is(fake, "look-early")) { /* both by one write */
        wire_begin(&fake->writer, "ready");
        wire_end(&fake->writer);
        SEND(fake, "looked", {"readings", "5,6"});
        return;
    }
    send_word(fake, "ready");
}
