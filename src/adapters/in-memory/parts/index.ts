import type { PartState } from '../../../core/commit/parts/index.ts'
import type { TenantState } from '../tenant-state.ts'
import { admin } from './admin.ts'
import { capacities } from './capacities.ts'
import { claims } from './claims.ts'
import { compactions } from './compactions.ts'
import { entries } from './entries.ts'
import { forgetting } from './forgetting.ts'
import { history } from './history.ts'
import { jobs } from './jobs.ts'
import { people } from './people.ts'
import { runs } from './runs.ts'
import { sourceEvents } from './source-events.ts'
import { storedVersions } from './stored-versions.ts'
import { tenantStatus } from './tenant-status.ts'

/** The parts that have rows, in the order in which they are saved. */
export const modelParts = [
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

export function partState(tenant: TenantState): PartState {
  return Object.assign({}, ...modelParts.map((part) => part.state(tenant)))
}
