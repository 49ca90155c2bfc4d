import type { Database } from 'better-sqlite3'
import type { Clock, CommitState } from '../../../core/commit/batch.ts'
import type { PartState } from '../../../core/commit/parts/index.ts'
import { admin } from './admin.ts'
import { capacities } from './capacities.ts'
import { claims } from './claims.ts'
import { compactions } from './compactions.ts'
import { entries } from './entries.ts'
import { forgetting } from './forgetting.ts'
import { history } from './history.ts'
import { jobs } from './jobs.ts'
import type { SharedTables } from './part.ts'
import { people } from './people.ts'
import { runs } from './runs.ts'
import { sourceEvents } from './source-events.ts'
import { storedVersions } from './stored-versions.ts'
import { tenantStatus } from './tenant-status.ts'

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
  people,
  capacities,
  tenantStatus,
] as const

/** How many tenants' states are kept. Making one costs some 5 µs, a twentieth of a put. */
const statesMax = 1_000

export function prepareParts(db: Database, tables: SharedTables) {
  const parts = all.map((prepare) => prepare(db, tables))
  const states = new Map<string, PartState>()
  const stateOf = (tenantId: string): PartState => {
    const known = states.get(tenantId)
    if (known !== undefined) return known
    if (states.size === statesMax) states.clear()
    const state: PartState = Object.assign({}, ...parts.map((part) => part.state(tenantId)))
    states.set(tenantId, state)
    return state
  }
  return {
    parts,
    /** What sealing the next batch must see. */
    begin(tenantId: string, clock: Clock): CommitState {
      for (const part of parts) part.begin?.()
      return Object.assign(stateOf(tenantId), { clock })
    },
  }
}
