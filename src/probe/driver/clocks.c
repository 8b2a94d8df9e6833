/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks of watching harnesses: what each harness said of them, and the one frame for each that
 * the controller gets, whatever the number of harnesses that can read it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/driver/catalogue.h"

#define CLOCKSOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

enum { NAME, KIND, WAY, HARDWARE, HZ, RESOLUTION, SLOW, STEERED, WORDS };

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

static int append(struct offers *offers, struct offered_clock *clock)
{
    struct offered_clock *grown = NULL;
    if (clock->name && clock->kind && clock->way && clock->hardware && clock->claim && clock->note)
        grown = realloc(offers->clocks, (offers->clock_count + 1) * sizeof(*grown));
    if (!grown) {
        free_clock(clock);
        return -ENOMEM;
    }
    offers->clocks = grown;
    grown[offers->clock_count++] = *clock;
    return 0;
}

int clocks_add(struct offers *offers, char *rest)
{
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
    return append(offers, &clock);
}

const struct offered_clock *clocks_find(const struct offers *offers, const char *name)
{
    for (size_t index = 0; index < offers->clock_count; index++)
        if (strcmp(offers->clocks[index].name, name) == 0)
            return &offers->clocks[index];
    return NULL;
}

void clocks_free(struct offers *offers)
{
    for (size_t index = 0; index < offers->clock_count; index++)
        free_clock(&offers->clocks[index]);
    free(offers->clocks);
}

/* What the operating system makes its time of, "" where it does not tell: one word. */
static void read_clocksource(char *word, size_t size)
{
    AUTO_CLOSE int descriptor = open(CLOCKSOURCE_FILE, O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor < 0 ? 0 : read(descriptor, word, size - 1);
    word[length > 0 ? length : 0] = '\0';
    word[strcspn(word, " \t\n")] = '\0';
}

static void send_one(struct wire_writer *writer, const struct offered_clock *clock,
                     const char *clocksource)
{
    wire_begin(writer, "clock");
    wire_put_string(writer, "name", clock->name);
    wire_put_string(writer, "kind", clock->kind);
    wire_put_string(writer, "way", clock->way);
    wire_put_string(writer, "hardware", clock->hardware[0] ? clock->hardware : clocksource);
    wire_put_string(writer, "claim", clock->claim);
    wire_put_string(writer, "note", clock->note);
    wire_put_u64(writer, "hz", clock->hz);
    wire_put_u64(writer, "resolution_ps", clock->resolution_ps);
    wire_put_u64(writer, "slow", clock->slow);
    wire_put_u64(writer, "steered", clock->steered);
    wire_end(writer);
}

void clocks_send(struct wire_writer *writer, const struct offers *offers)
{
    char clocksource[64];
    read_clocksource(clocksource, sizeof(clocksource));
    for (size_t index = 0; index < offers->clock_count; index++)
        send_one(writer, &offers->clocks[index], clocksource);
}
