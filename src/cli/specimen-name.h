/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A specimen's parameters as a person wrote them, judged before anything is measured. */
#pragma once

#include "engine/session.h"

/* name: NAME or NAME/KEY=VALUE,.../ of this specimen. -EINVAL with a sentence when a key is none of
 * the specimen's, or a value no number. Which numbers make sense is the probe's to judge. */
int specimen_name_check(const struct catalogue_specimen *specimen, const char *name,
                        struct failure *failure);
