// Opens a database and puts one entry as a user without rights, and reports how far it came.
import Database from 'better-sqlite3'
import '../../src/adapters/sqlite/open.ts'
import { openColophon } from '../../src/open.ts'
import { programOptions, report } from '../support/child-program.ts'

export type Outcome = {
  readonly at: 'open' | 'put' | 'done'
  readonly name?: string
  readonly code?: string
  readonly message?: string
  readonly hint?: string
}

// Everything is loaded before the rights are given up: the program's own folder may be closed to others.
new Database(':memory:').close()
const nobody = 65_534
if (process.getuid?.() === 0) {
  process.setgroups?.([])
  process.setgid?.(nobody)
  process.setuid?.(nobody)
}

let at: Outcome['at'] = 'open'
try {
  const colophon = await openColophon(programOptions<{ path: string }>())
  at = 'put'
  await colophon
    .memory('acme')
    .put('log', { content: 'more' })
    .finally(() => colophon.close())
  report({ at: 'done' })
} catch (error) {
  const { name, code, message, hint } = error as Record<string, unknown>
  report({ at, name, code, message, hint })
}
