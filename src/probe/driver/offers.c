/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What this kit can do on this machine, as lists: paths and what cannot be had, operations of
 * touring harnesses, clocks, PAPI's presets. catalogue.c fills them and tells the controller. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "probe/driver/catalogue.h"

/* --- Paths, and what cannot be had --- */

static char *copy(const char *string)
{
    return strdup(string ? string : "");
}

const struct absence *offers_absence(const struct offers *offers, const char *kind,
                                     const char *name)
{
    for (size_t index = 0; index < offers->absence_count; index++)
        if (strcmp(offers->absences[index].kind, kind) == 0 &&
            strcmp(offers->absences[index].name, name) == 0)
            return &offers->absences[index];
    return NULL;
}

int offers_add_absence(struct offers *offers, const char *kind, const char *name, int error,
                       const char *reason)
{
    if (offers_absence(offers, kind, name))
        return 0; /* said once is enough */
    struct absence *added = list_add(&offers->absences, &offers->absence_count, sizeof(*added));
    if (!added)
        return -ENOMEM;
    *added = (struct absence){copy(kind), copy(name), copy(reason), error};
    return 0;
}

int offers_add(struct offers *offers, const char *path, const char *opt, const char *patterns,
               const char *sources, const char *note, size_t harness)
{
    struct offer *added = list_add(&offers->list, &offers->count, sizeof(*added));
    if (!added)
        return -ENOMEM;
    *added = (struct offer){.path = copy(path),
                            .opt = copy(opt),
                            .patterns = copy(patterns),
                            .sources = copy(sources),
                            .note = copy(note),
                            .harness = harness};
    return 0;
}

void catalogue_add_word(struct text *list, const char *word)
{
    AUTO_TEXT struct text quoted = {0}, searched = {0};
    text_printf(&quoted, ",%s,", word);
    text_printf(&searched, ",%s,", text_string(list));
    if (strstr(text_string(&searched), text_string(&quoted)))
        return;
    text_printf(list, "%s%s", list->length ? "," : "", word);
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

bool offer_goes_with(const struct offer *offer, const char *source)
{
    return has_word(offer->sources, source);
}

const struct offer *offer_for(const struct offers *offers, const struct probe_kit *kit,
                              const struct cell *cell, struct failure *failure)
{
    int best = 0;
    for (size_t index = 0; index < offers->count; index++) {
        /* How much of the cell an offer meets, in the order a person would check. */
        int close;
        if (strcmp(offers->list[index].path, cell->path) != 0)
            close = 0;
        else if (strcmp(kit->harnesses[offers->list[index].harness].link, cell->link) != 0)
            close = 1;
        else if (strcmp(offers->list[index].opt, cell->opt) != 0)
            close = 2;
        else
            close = has_word(offers->list[index].patterns, pattern_names[cell->pattern]) ? 4 : 3;
        if (close == 4)
            return &offers->list[index];
        if (close > best)
            best = close;
    }
    if (best == 1)
        fail_with(failure, -ENOENT, "path %s is not offered here with link mode %s", cell->path,
                  cell->link);
    else if (best == 2)
        fail_with(failure, -ENOENT, "path %s has no windows compiled at -%s", cell->path,
                  cell->opt);
    else if (best == 3)
        fail_with(failure, -ENOTSUP, "path %s does not support pattern %s", cell->path,
                  pattern_names[cell->pattern]);
    else {
        fail_with(failure, -ENOENT, "this kit has no path %s", cell->path);
        for (size_t index = 0; index < offers->absence_count; index++)
            if (strcmp(offers->absences[index].name, cell->path) == 0)
                fail_with(failure, -ENOENT, "path %s: %s", cell->path,
                          offers->absences[index].reason);
    }
    return NULL;
}

/* ----------------------------------------------------------------------------------------------
 * The operations of touring harnesses: what each harness said of them, and the one frame for each
 * that the controller gets, whatever the number of harnesses that have it. */

bool operation_is(const struct offered_operation *operation, const char *name)
{
    size_t length = strlen(operation->path);
    return strncmp(operation->path, name, length) == 0 && name[length] == '.' &&
           strcmp(operation->kind, name + length + 1) == 0;
}

static char *copy_word(const char *word)
{
    return strdup(word && strcmp(word, "-") != 0 ? word : "");
}

int operations_add(struct offers *offers, char *rest, size_t harness)
{
    enum { PATH, KIND, INSTRUMENT, EFFECT, WHEN, BINDS, ALONE, FOLDER, PAGE, WORDS };
    const char *words[WORDS];
    for (int index = 0; index < WORDS; index++)
        if (!(words[index] = strsep(&rest, " ")))
            return -EBADMSG;
    struct offered_operation *added =
        list_add(&offers->operations, &offers->operation_count, sizeof(*added));
    if (!added)
        return -ENOMEM;
    *added = (struct offered_operation){.path = copy_word(words[PATH]),
                                        .kind = copy_word(words[KIND]),
                                        .instrument = copy_word(words[INSTRUMENT]),
                                        .effect = copy_word(words[EFFECT]),
                                        .when = copy_word(words[WHEN]),
                                        .page = copy_word(words[PAGE]),
                                        .note = strdup(rest ? rest : ""),
                                        .binds = strcmp(words[BINDS], "binds") == 0,
                                        .alone = strcmp(words[ALONE], "alone") == 0,
                                        .needs_folder = strcmp(words[FOLDER], "folder") == 0,
                                        .harness = harness};
    return 0;
}

static bool same_operation(const struct offered_operation *left,
                           const struct offered_operation *right)
{
    return strcmp(left->path, right->path) == 0 && strcmp(left->kind, right->kind) == 0;
}

static bool is_first_operation(const struct offers *offers, size_t index)
{
    for (size_t before = 0; before < index; before++)
        if (same_operation(&offers->operations[before], &offers->operations[index]))
            return false;
    return true;
}

void operations_send(struct wire_writer *writer, const struct probe_kit *kit,
                     const struct offers *offers)
{
    for (size_t index = 0; index < offers->operation_count; index++)
        if (is_first_operation(offers, index)) {
            const struct offered_operation *one = &offers->operations[index];
            AUTO_TEXT struct text links = {0};
            for (size_t i = 0; i < offers->operation_count; i++)
                if (same_operation(&offers->operations[i], &offers->operations[index]))
                    catalogue_add_word(&links, kit->harnesses[offers->operations[i].harness].link);
            wire_say(writer, "operation",
                     "path=%s kind=%s instrument=%s effect=%s when=%s links=%s binds=%d alone=%d "
                     "page=%s note=%s",
                     one->path, one->kind, one->instrument, one->effect, one->when,
                     text_string(&links), one->binds, one->alone, one->page, one->note);
        }
}

/* ----------------------------------------------------------------------------------------------
 * The clocks of watching harnesses: what each harness said of them, and the one frame for each that
 * the controller gets, whatever the number of harnesses that can read it. */

#define CLOCKSOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

static bool take_number(const char *word, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(word, &end, 10);
    return *word >= '0' && *word <= '9' && !*end && errno == 0;
}

static void free_clock(struct offered_clock *clock)
{
    free(clock->name);
    free(clock->kind);
    free(clock->way);
    free(clock->hardware);
    free(clock->claim);
    free(clock->note);
}

const struct offered_clock *clocks_find(const struct offers *offers, const char *name)
{
    for (size_t index = 0; index < offers->clock_count; index++)
        if (strcmp(offers->clocks[index].name, name) == 0)
            return &offers->clocks[index];
    return NULL;
}

int clocks_add(struct offers *offers, char *rest)
{
    enum { NAME, KIND, WAY, HARDWARE, HZ, RESOLUTION, SLOW, STEERED, WORDS };
    const char *words[WORDS];
    uint64_t hz, resolution;
    for (int index = 0; index < WORDS; index++)
        if (!(words[index] = strsep(&rest, " ")))
            return -EBADMSG;
    const char *claim = strsep(&rest, "\t");
    if (!claim || !rest || !take_number(words[HZ], &hz) ||
        !take_number(words[RESOLUTION], &resolution))
        return -EBADMSG;
    if (clocks_find(offers, words[NAME]))
        return 0; /* another harness said it */
    struct offered_clock clock = {
        .name = strdup(words[NAME]),
        .kind = strdup(words[KIND]),
        .way = strdup(words[WAY]),
        .hardware = strdup(strcmp(words[HARDWARE], "-") != 0 ? words[HARDWARE] : ""),
        .claim = strdup(claim),
        .note = strdup(rest),
        .hz = hz,
        .resolution_ps = resolution,
        .slow = strcmp(words[SLOW], "slow") == 0,
        .steered = strcmp(words[STEERED], "steered") == 0};
    struct offered_clock *added = NULL;
    if (clock.name && clock.kind && clock.way && clock.hardware && clock.claim && clock.note)
        added = list_add(&offers->clocks, &offers->clock_count, sizeof(*added));
    if (!added) {
        free_clock(&clock);
        return -ENOMEM;
    }
    *added = clock;
    return 0;
}

void clocks_free(struct offers *offers)
{
    for (size_t index = 0; index < offers->clock_count; index++)
        free_clock(&offers->clocks[index]);
    free(offers->clocks);
}

void clocks_send(struct wire_writer *writer, const struct offers *offers)
{
    char clocksource[64];
    /* What the operating system makes its time of, "" where it does not tell: one word. */
    AUTO_CLOSE int descriptor = open(CLOCKSOURCE_FILE, O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor < 0 ? 0 : read(descriptor, clocksource, sizeof(clocksource) - 1);
    clocksource[length > 0 ? length : 0] = '\0';
    clocksource[strcspn(clocksource, " \t\n")] = '\0';
    for (const struct offered_clock *one = offers->clocks;
         one < offers->clocks + offers->clock_count; one++)
        wire_say(writer, "clock",
                 "name=%s kind=%s way=%s hardware=%s claim=%s note=%s hz=%lu resolution_ps=%lu "
                 "slow=%d steered=%d",
                 one->name, one->kind, one->way, one->hardware[0] ? one->hardware : clocksource,
                 one->claim, one->note, one->hz, one->resolution_ps, one->slow, one->steered);
}

/* ----------------------------------------------------------------------------------------------
 * PAPI's presets as its harnesses described them: which there are, and why one cannot be had. The
 * driver itself does not hold PAPI. */

/* The preset of that name, whatever modifiers follow it. */
static struct preset *presets_find(const struct presets *presets, const char *name)
{
    size_t length = strcspn(name, ":");
    for (size_t i = 0; i < presets->count; i++) {
        const char *known = presets->list[i].name;
        if (known && strlen(known) == length && strncmp(known, name, length) == 0)
            return &presets->list[i];
    }
    return NULL;
}

int presets_add(struct presets *presets, const char *name, int error, const char *reason)
{
    if (presets_find(presets, name))
        return 0; /* another harness said it */
    struct preset *added = list_add(&presets->list, &presets->count, sizeof(*added));
    if (!added)
        return -ENOMEM;
    *added = (struct preset){strdup(name), strdup(reason), error};
    return added->name && added->reason ? 0 : -ENOMEM;
}

int presets_each(const struct presets *presets, const char *glob, event_each *each, void *context)
{
    int stop = 0;
    for (size_t i = 0; i < presets->count && !stop; i++) {
        if (fnmatch(glob, presets->list[i].name, 0) == 0)
            stop = each(context, presets->list[i].name, EVENT_PAPI);
    }
    return stop;
}

int presets_try(const struct presets *presets, const struct event_view *view,
                const struct event *event, char *reason, size_t size)
{
    if (!presets->count) {
        snprintf(reason, size,
                 "it is a preset of PAPI, which only the paths papi-low and papi-high can open, "
                 "and they are not to be had here%s%s",
                 presets->absence ? ": " : "", presets->absence ? presets->absence : "");
        return ENOTSUP;
    }
    const struct preset *preset = presets_find(presets, event->name);
    if (!preset) {
        char wanted[SUGGEST_NAME], sentence[512];
        snprintf(wanted, sizeof(wanted), "%.*s", (int)strcspn(event->name, ":"), event->name);
        struct suggestions suggestions = {.wanted = wanted};
        for (size_t i = 0; i < presets->count; i++)
            suggest_consider(&suggestions, presets->list[i].name);
        suggest_sentence(&suggestions, sentence, sizeof(sentence));
        snprintf(reason, size, "PAPI has no preset of this name%s", sentence);
        return ENOENT;
    }
    if (!preset->error)
        return 0;
    /* Presets are made of the cores' events: why those are not there is the better half of the
     * reason. */
    struct event core = {.name = event->name, .kind = EVENT_HARDWARE};
    char why[768];
    event_open_reason(view, &core, ENOENT, why, sizeof(why));
    snprintf(reason, size, "PAPI says \"%s\": %s", preset->reason, why);
    return preset->error;
}

/* --- All of it --- */

void offers_free(struct offers *offers)
{
    for (size_t index = 0; index < offers->count; index++) {
        free(offers->list[index].path);
        free(offers->list[index].opt);
        free(offers->list[index].patterns);
        free(offers->list[index].sources);
        free(offers->list[index].note);
    }
    for (size_t index = 0; index < offers->absence_count; index++) {
        free(offers->absences[index].kind);
        free(offers->absences[index].name);
        free(offers->absences[index].reason);
    }
    for (size_t index = 0; index < offers->operation_count; index++) {
        struct offered_operation *operation = &offers->operations[index];
        free(operation->path);
        free(operation->kind);
        free(operation->instrument);
        free(operation->effect);
        free(operation->when);
        free(operation->page);
        free(operation->note);
    }
    free(offers->operations);
    clocks_free(offers);
    struct presets *presets = &offers->presets;
    for (size_t i = 0; i < presets->count; i++) {
        free(presets->list[i].name);
        free(presets->list[i].reason);
    }
    free(presets->list);
    *presets = (struct presets){0};
    free(offers->list);
    free(offers->absences);
    *offers = (struct offers){0};
}
