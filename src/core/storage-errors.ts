import type { ErrorSpec } from './errors.ts'

/** Errors of the database and its schema: a part of `errorTable`. */
export const storageErrors = {
  storage_busy: { kind: 'busy', retryable: true, hint: 'Another process held the database too long. Retry.' },
  storage_full: {
    kind: 'unavailable',
    retryable: true,
    hint: 'The disk or the database is full. Free space, then retry; nothing of this call was stored.',
  },
  storage_read_only: {
    kind: 'unavailable',
    retryable: false,
    hint: 'The database cannot be written. Check the permissions of its file and folder, or its server mode.',
  },
  storage_unavailable: {
    kind: 'unavailable',
    retryable: true,
    hint: 'The database did not answer. If this was a write, retry with the same idempotency key: it may have been stored.',
  },
  clock_ahead: {
    kind: 'unavailable',
    retryable: true,
    hint: 'Set the clock of the server. If it is right because nothing was written for more than a year, or because an old backup was restored, start the server once with COLOPHON_CLOCK_TRUSTED=1, or a program with the option clockTrusted of openColophon. Nothing of this call was stored.',
  },
  clock_behind: {
    kind: 'unavailable',
    retryable: true,
    hint: 'Set the clock of the server. If it is right and the records are from the future, see "Clocks" in docs/OPERATIONS.md.',
  },
  storage_corrupt: {
    kind: 'corrupt',
    retryable: false,
    hint: 'The database file is damaged or is not a Colophon database. Restore a backup.',
  },
  schema_newer: {
    kind: 'unavailable',
    retryable: false,
    hint: 'A newer Colophon has migrated this database. Run that version, or restore a backup made before it.',
  },
  schema_too_old: {
    kind: 'unavailable',
    retryable: false,
    hint: 'Export each tenant with the program that made the database (colophon export). Then import the files with this one, into a new data folder or an empty database (colophon import).',
  },
  schema_changed: {
    kind: 'corrupt',
    retryable: false,
    hint: 'A migration that was applied here differs from the one in this program. Use the program it came from.',
  },
  distribution_unavailable: {
    kind: 'unavailable',
    retryable: false,
    hint: 'Install the extension Citus on the server, run "create extension citus" in the database and add its nodes. Or go on with one PostgreSQL.',
  },
  driver_missing: {
    kind: 'unavailable',
    retryable: false,
    hint: 'Install the named package beside colophon, then start again.',
  },
} as const satisfies Record<string, ErrorSpec>
