/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The operations of touring harnesses: what each harness said of them, and the one frame for each
 * that the controller gets, whatever the number of harnesses that have it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/driver/catalogue.h"

bool operation_is(const struct offered_operation *operation, const char *name)
{
    size_t length = strlen(operation->path);
    return strncmp(operation->path, name, length) == 0 && name[length] == '.' &&
           strcmp(operation->kind, name + length + 1) == 0;
}

static char *copy(const char *word)
{
    return strdup(word && strcmp(word, "-") != 0 ? word : "");
}

enum { PATH, KIND, INSTRUMENT, EFFECT, WHEN, BINDS, ALONE, FOLDER, PAGE, WORDS };

int operations_add(struct offers *offers, char *rest, size_t harness)
{
    const char *words[WORDS];
    for (int index = 0; index < WORDS; index++)
        if (!(words[index] = strsep(&rest, " ")))
            return -EBADMSG;
    struct offered_operation *grown =
        realloc(offers->operations, (offers->operation_count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    offers->operations = grown;
    grown[offers->operation_count++] =
        (struct offered_operation){.path = copy(words[PATH]),
                                   .kind = copy(words[KIND]),
                                   .instrument = copy(words[INSTRUMENT]),
                                   .effect = copy(words[EFFECT]),
                                   .when = copy(words[WHEN]),
                                   .page = copy(words[PAGE]),
                                   .note = strdup(rest ? rest : ""),
                                   .binds = strcmp(words[BINDS], "binds") == 0,
                                   .alone = strcmp(words[ALONE], "alone") == 0,
                                   .needs_folder = strcmp(words[FOLDER], "folder") == 0,
                                   .harness = harness};
    return 0;
}

void operations_free(struct offers *offers)
{
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
}

static bool same(const struct offered_operation *left, const struct offered_operation *right)
{
    return strcmp(left->path, right->path) == 0 && strcmp(left->kind, right->kind) == 0;
}

static bool is_first(const struct offers *offers, size_t index)
{
    for (size_t before = 0; before < index; before++)
        if (same(&offers->operations[before], &offers->operations[index]))
            return false;
    return true;
}

static void send_one(struct wire_writer *writer, const struct probe_kit *kit,
                     const struct offers *offers, const struct offered_operation *first)
{
    AUTO_TEXT struct text links = {0};
    for (size_t index = 0; index < offers->operation_count; index++)
        if (same(&offers->operations[index], first))
            catalogue_add_word(&links, kit->harnesses[offers->operations[index].harness].link);
    wire_begin(writer, "operation");
    wire_put_string(writer, "path", first->path);
    wire_put_string(writer, "kind", first->kind);
    wire_put_string(writer, "instrument", first->instrument);
    wire_put_string(writer, "effect", first->effect);
    wire_put_string(writer, "when", first->when);
    wire_put_string(writer, "links", text_string(&links));
    wire_put_u64(writer, "binds", first->binds);
    wire_put_u64(writer, "alone", first->alone);
    wire_put_string(writer, "page", first->page);
    wire_put_string(writer, "note", first->note);
    wire_end(writer);
}

void operations_send(struct wire_writer *writer, const struct probe_kit *kit,
                     const struct offers *offers)
{
    for (size_t index = 0; index < offers->operation_count; index++)
        if (is_first(offers, index))
            send_one(writer, kit, offers, &offers->operations[index]);
}
