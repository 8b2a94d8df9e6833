-- SPDX-FileCopyrightText: 2026 the assay authors
-- SPDX-License-Identifier: GPL-3.0-or-later
-- Fills a database in memory and asks it: B-trees, sorting, the virtual machine of SQLite.
CREATE TABLE sale(id INTEGER PRIMARY KEY, customer INTEGER, product INTEGER, amount INTEGER);
WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 60000)
INSERT INTO sale SELECT n, n * 7919 % 1009, n * 104729 % 5003, n * 31 % 997 FROM number;
CREATE INDEX by_customer ON sale(customer, product);
SELECT count(*), sum(amount) FROM sale WHERE customer BETWEEN 100 AND 300;
SELECT customer, sum(amount) AS total FROM sale GROUP BY customer ORDER BY total DESC, customer LIMIT 5;
SELECT count(*) FROM sale AS a JOIN sale AS b ON a.customer = b.customer AND a.product = b.product AND a.id < b.id;
