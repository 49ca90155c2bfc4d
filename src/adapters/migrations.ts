import { readdirSync, readFileSync } from 'node:fs'
import { sha256 } from '../core/digest.ts'
import { assert, ColophonError } from '../core/errors.ts'

/** One numbered step of a schema. Steps are added, never edited: the checksum of an applied one is compared. */
export type Migration = {
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

export type AppliedMigration = { readonly number: number; readonly name: string; readonly checksum: string }

export function readMigrations(folder: URL): Migration[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
  return names.map((name, index) => {
    const number = Number(name.slice(0, 4))
    assert(number === index + 1, `migrations are numbered without gaps, but ${name} is not number ${index + 1}`)
    const sql = readFileSync(new URL(name, folder), 'utf8')
    return { number, name: name.slice(0, -'.sql'.length), sql, checksum: sha256(sql.replaceAll('\r\n', '\n')) }
  })
}

/** What is still to do; refuses a schema that this program does not know. */
export function pendingMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
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
