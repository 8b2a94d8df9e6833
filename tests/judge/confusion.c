/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The confusion matrix. */
#include "confusion.h"

#include <stdio.h>

void confusion_add(struct confusion_row *row, const struct trial *trial,
                   const struct outcome *outcome)
{
    if (outcome->is_void)
        return;
    row->trials++;
    row->too_far += outcome->is_too_far;
    bool is_fault = trial->plant && !trial->plant->is_harmless;
    if (is_fault && outcome->ratio < 3) {
        row->below++;
        row->below_detected += outcome->is_detected;
        return;
    }
    row->above++;
    row->detected += outcome->is_detected;
    row->right_verdict += outcome->is_right_verdict;
    row->right_cause += outcome->is_right_cause;
    row->named += outcome->is_named;
    row->said[outcome->verdict][outcome->cause]++;
}

void confusion_print_head(void)
{
    printf("# %-24s %6s %6s %8s %7s %6s   said, of those above three times the noise\n", "planted",
           "trials", "above", "detected", "verdict", "cause");
}

void confusion_print(const struct confusion_row *row)
{
    if (row->trials == 0)
        return;
    printf("# %-24s %6u %6u %8u %7u %6u  ", row->planted, row->trials, row->above, row->detected,
           row->right_verdict, row->right_cause);
    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
        for (int cause = 0; cause < CAUSE_COUNT; cause++)
            if (row->said[verdict][cause] > 0)
                printf(" %s%s%s %u,", verdict_names[verdict], cause_names[cause] ? " " : "",
                       cause_names[cause] ? cause_names[cause] : "", row->said[verdict][cause]);
    if (row->below > 0)
        printf(" below: %u of %u detected", row->below_detected, row->below);
    putchar('\n');
}
