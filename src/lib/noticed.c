/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What was noticed in a region, in words. */
#define ASSAY_NO_INLINE
#include <stdio.h>

#include "lib/calipers.h"

static const struct {
    unsigned bit;
    const char *words;
} all[] = {
    {ASSAY_SAW_FAULTS, "page faults"},
    {ASSAY_SAW_SWITCHES, "a switch of the CPU"},
    {ASSAY_SAW_INTERRUPTS, "interrupts of the timer"},
    {ASSAY_SAW_MULTIPLEXING, "counters shared with others"},
    {ASSAY_SAW_DISTURBED, "an interrupted reading"},
    {ASSAY_SAW_TOO_DEEP, "regions too deep to be measured"},
    {ASSAY_NOT_CALIBRATED, "not calibrated"},
    {ASSAY_NOT_MEASURED, "not measured"},
    {ASSAY_NOT_STEADY, "calibrating was not steady"},
    {ASSAY_SAW_LOST_TRAPS, "traps were lost"},
};

int assay_noticed_words(unsigned noticed, char *words, size_t size)
{
    size_t used = 0;
    unsigned known = 0;
    if (size)
        words[0] = 0;
    for (size_t i = 0; i <= sizeof(all) / sizeof(all[0]); i++) {
        const bool last = i == sizeof(all) / sizeof(all[0]);
        const char *text = last ? "something unknown" : all[i].words;
        if (!(last ? noticed & ~known : noticed & all[i].bit))
            continue;
        known |= last ? 0 : all[i].bit;
        size_t left = used < size ? size - used : 0;
        used += (size_t)snprintf(left ? words + used : NULL, left, "%s%s", used ? ", " : "", text);
    }
    return (int)used;
}
