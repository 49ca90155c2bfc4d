import { readdirSync, readFileSync } from 'node:fs'
import { sha256 } from '../../core/audit/digest.ts'
import { ColophonError } from '../../core/errors.ts'
import { invariant } from '../../core/invariant.ts'

/** One numbered step of a schema. Steps are added, never edited: a database has the checksums of the steps it got. */
export type Migration = {
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

export type AppliedMigration = { readonly number: number; readonly name: string; readonly checksum: string }

/** The first migration of every database from before version 0.1.0. Its steps became migration 1, so none leads from there to here. */
const firstBeforeRelease = '0001-tenants-and-entries'

export function readMigrations(folder: URL): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return names.map((name, index) => {
    const number = Number(name.slice(0, 4))
    invariant(number === index + 1, `migrations are numbered without gaps, but ${name} is not number ${index + 1}`)
    const sql = readFileSync(new URL(name, folder), 'utf8')
    return { number, name: name.slice(0, -'.sql'.length), sql, checksum: sha256(sql.replaceAll('\r\n', '\n')) }
  })
}

/** The migrations that the database lacks; refuses a schema that this program does not know. */
export function pendingMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  if (applied.some(({ name }) => name === firstBeforeRelease)) {
    throw new ColophonError(
      'schema_too_old',
      'The database was made by a Colophon from before the release of version 0.1.0.',
    )
  }
  for (const step of applied) {
    const mine = known[step.number - 1]
    if (mine === undefined) {
      throw new ColophonError('schema_newer', 'The database has a newer schema than this program knows.', {
        details: { databaseMigration: step.number, programMigration: known.length },
      })
    }
    if (mine.checksum !== step.checksum) {
      throw new ColophonError(
        'schema_changed',
        `Migration ${step.number} of the database is not the one of this program.`,
        {
          details: { migration: step.number },
        },
      )
    }
  }
  const done = new Set(applied.map((step) => step.number))
  return known.filter((step) => !done.has(step.number))
}
