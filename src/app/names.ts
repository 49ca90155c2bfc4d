import { keyOfActor } from '../core/access/actor.ts'
import { configuredKeyIds } from '../core/access/api-key.ts'
import { isColophonError } from '../core/errors.ts'
import { toApiKey } from './access/keys.ts'
import { findForget } from './forget/forget-record.ts'
import { getRun } from './runs/control.ts'
import type { Tenant } from './tenant.ts'

/** What people call the thing with an id: the name of a key, the workflow of a run, or the key of a forget, and when it was created. */
export type NamedId = { readonly id: string; readonly name: string; readonly createdAt: number | null }

/** The names of keys, runs and forgets. Ids that are unknown, or that the reader cannot see, are left out. */
export async function namesOf(
  tenant: Tenant,
  ids: readonly string[],
  options: { readonly withRuns: boolean; readonly withForgets: boolean },
): Promise<NamedId[]> {
  const found: NamedId[] = []
  for (const id of new Set(ids)) {
    const named = await nameOf(tenant, id, options)
    if (named) found.push(named)
  }
  return found
}

async function nameOf(tenant: Tenant, id: string, options: Parameters<typeof namesOf>[2]): Promise<NamedId | null> {
  if (id.startsWith('run_')) return options.withRuns ? nameOfRun(tenant, id) : null
  if (id.startsWith('fgt_')) return options.withForgets ? nameOfForget(tenant, id) : null
  return nameOfKey(tenant, id)
}

/** A forget is named after the key that requested it. */
async function nameOfForget(tenant: Tenant, id: string): Promise<NamedId | null> {
  const facts = (await findForget(tenant, id))?.facts
  const { keyId } = keyOfActor(facts?.actor ?? '')
  const key = keyId === undefined ? null : await nameOfKey(tenant, keyId)
  return facts === undefined || key === null ? null : { id, name: key.name, createdAt: facts.requestedAt }
}

async function nameOfKey(tenant: Tenant, id: string): Promise<NamedId | null> {
  if (configuredKeyIds.has(id)) return { id, name: 'configured key', createdAt: null }
  const record = await tenant.storage.record(tenant.id, 'key', id)
  if (record === null) return null
  const { name, reader, createdAt } = toApiKey(record)
  // As in the list of keys: a reader sees its own.
  return tenant.reader === null || tenant.reader === reader ? { id, name, createdAt } : null
}

async function nameOfRun(tenant: Tenant, id: string): Promise<NamedId | null> {
  try {
    const { workflowId, createdAt } = await getRun(tenant, id)
    return { id, name: workflowId, createdAt }
  } catch (error) {
    if (isColophonError(error, 'not_found')) return null
    throw error
  }
}
