import type { Sealed } from '../../../core/commit/batch.ts'
import type { Intersection, PartState } from '../../../core/commit/parts/index.ts'
import type { Send } from '../connection.ts'
import { admin } from './admin.ts'
import { capacities } from './capacities.ts'
import { claims } from './claims.ts'
import { compactions } from './compactions.ts'
import { entries } from './entries.ts'
import { forgetting } from './forgetting.ts'
import { history } from './history.ts'
import { jobs } from './jobs.ts'
import type { Group } from './part.ts'
import { people } from './people.ts'
import { runs } from './runs.ts'
import { sourceEvents } from './source-events.ts'
import { storedVersions } from './stored-versions.ts'
import { tenantStatus } from './tenant-status.ts'

/** The parts that have rows, in the order in which they are saved: an ending that follows a rewrite in the group knows the new tags, and a new row finds the place of an erased one free. */
export const postgresParts = [
  storedVersions,
  entries,
  admin,
  jobs,
  sourceEvents,
  claims,
  compactions,
  runs,
  history,
  forgetting,
  people,
  capacities,
  tenantStatus,
] as const

/** What all parts have loaded for a group, and what its batches have changed of it since. */
export type PartsLoaded = Intersection<ReturnType<(typeof postgresParts)[number]['none']>>

/** What is loaded for a group that needs nothing. */
export function loadNothing(): PartsLoaded {
  return Object.assign({}, ...postgresParts.map((part) => part.none()))
}

/** Sends all reads at once; they travel together. */
export async function loadParts(send: Send, tenantId: string, batches: Group): Promise<PartsLoaded> {
  return Object.assign({}, ...(await Promise.all(postgresParts.map((part) => part.load(send, tenantId, batches)))))
}

export function partState(loaded: PartsLoaded): PartState {
  return Object.assign({}, ...postgresParts.map((part) => part.state(loaded)))
}

/** Sends all writes of a group. */
export function saveParts(
  send: Send,
  tenantId: string,
  sealed: readonly Sealed[],
  at: number,
  loaded: PartsLoaded,
): Promise<unknown>[] {
  return postgresParts.flatMap((part) => part.save(send, tenantId, sealed, at, loaded))
}
