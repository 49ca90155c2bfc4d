import { ColophonError } from '../core/errors.ts'
import type { Tenant } from './tenant.ts'

/** What a host with durable memory offers to keep it small. Discovery advertises it under the same condition (`capabilities.ts`). */
export type DurableCapability = 'compaction' | 'distillation' | 'consolidation'

/** Refuses what this host does not advertise: it replaces memories for the long term, and here all of them end with the process. */
export function requireCapability({ storage }: Pick<Tenant, 'storage'>, capability: DurableCapability): void {
  if (storage.traits.durable) return
  throw new ColophonError(
    'capability_not_provided',
    `This host keeps memory only as long as its process runs, so it offers no ${capability}.`,
    { details: { capability } },
  )
}
