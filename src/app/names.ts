import { configuredKeyIds } from '../core/access/api-key.ts'
import { isColophonError } from '../core/errors.ts'
import { toApiKey } from './access/keys.ts'
import { getRun } from './runs/control.ts'
import type { Tenant } from './tenant.ts'

/** What people call the thing with an id: the name of a key, or the workflow of a run and when it was created. */
export type NamedId = { readonly id: string; readonly name: string; readonly createdAt: number | null }

/** The names of keys and runs. Ids that are unknown, or that the reader cannot see, are left out. */
export async function namesOf(
  tenant: Tenant,
  ids: readonly string[],
  options: { readonly withRuns: boolean },
): Promise<NamedId[]> {
  const found: NamedId[] = []
  for (const id of new Set(ids)) {
    const named = id.startsWith('run_')
      ? options.withRuns && (await nameOfRun(tenant, id))
      : await nameOfKey(tenant, id)
    if (named) found.push(named)
  }
  return found
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
