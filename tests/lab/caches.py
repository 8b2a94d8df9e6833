# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An emulated machine has no caches that time could show: nothing is measured, and everything says so."""
import json

import tap
from laboratory import VIA, LabCase


class Caches(LabCase):
    def test_all_is_null_with_the_reason(self):
        store = self.path("caches.sqlite")
        done = self.assay("caches", "--json", "--store", store, via=VIA)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        rows = json.loads(done.stdout)["results"]
        self.assertTrue(rows)
        for row in rows:
            for key in ("measured_bytes", "line_bytes", "ways"):
                self.assertIsNone(row[key])
                self.assertIn("emulated", row[key + "_reason"])
        with self.assertRaises(FileNotFoundError):
            open(store, "rb").close()


if __name__ == "__main__":
    tap.main()
