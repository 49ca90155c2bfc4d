import type { Database } from 'better-sqlite3'
import type { PartState } from '../../../core/commit/parts/index.ts'
import { admin } from './admin.ts'
import { claims } from './claims.ts'
import { compactions } from './compactions.ts'
import { entries } from './entries.ts'
import { forgetting } from './forgetting.ts'
import { history } from './history.ts'
import { jobs } from './jobs.ts'
import type { SharedTables } from './part.ts'
import { runs } from './runs.ts'
import { sourceEvents } from './source-events.ts'
import { storedVersions } from './stored-versions.ts'

/** The parts that have rows, in the order in which they are saved. */
const all = [
  entries,
  storedVersions,
  admin,
  jobs,
  runs,
  history,
  sourceEvents,
  claims,
  compactions,
  forgetting,
] as const

export function prepareParts(db: Database, tables: SharedTables) {
  const parts = all.map((prepare) => prepare(db, tables))
  return {
    parts,
    state: (tenantId: string): PartState => Object.assign({}, ...parts.map((part) => part.state(tenantId))),
  }
}
