/** Gives a database the register of migrations that a program from before version 0.1.0 left. For both databases. */
export const registerBeforeRelease = `
  delete from schema_migration;
  insert into schema_migration (number, name, checksum, applied_at)
  values (1, '0001-tenants-and-entries', 'x', 1), (2, '0002-audit', 'x', 1)`

/** What the error message for such a database must contain. */
export const wayOutOfTooOld = /program that made the database \(colophon export\).*new data folder.*\(colophon import\)/
