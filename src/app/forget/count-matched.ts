import type { Fence } from '../../core/forget/fence.ts'
import type { ForgetSelector } from '../../core/forget/selector.ts'
import { limits } from '../../core/limits.ts'
import { foldName } from '../../core/people/spelling.ts'
import type { ScanPlace } from '../../ports/storage.ts'
import { yieldToEventLoop } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { sourcePages } from './erase-source-events.ts'

/**
 * Counts the entries, source events, runs and secrets that the selector matches, without what was derived from them. A mistyped name
 * matches nothing, and the response must show that.
 */
export async function countMatched(
  tenant: Tenant,
  { kind, value }: ForgetSelector,
  fences: readonly Fence[],
): Promise<number> {
  if (kind === 'memory') return countEntries(await tenant.storage.forget.among(tenant.id, fences, [value]))
  const [entries, sources] = [await scanEntries(tenant, fences), await countSources(tenant, fences)]
  const isRun = kind === 'runId' && (await tenant.storage.runs.get(tenant.id, value)) !== null
  const secrets = kind === 'subject' ? await countSecrets(tenant, value) : 0
  return entries + sources + (isRun ? 1 : 0) + secrets
}

function countEntries(versions: readonly { readonly entryId: string }[]): number {
  return new Set(versions.map(({ entryId }) => entryId)).size
}

async function scanEntries(tenant: Tenant, fences: readonly Fence[]): Promise<number> {
  let found = 0
  let last = ''
  for (let after: ScanPlace | null = null; ; ) {
    await yieldToEventLoop()
    const query = { tenantId: tenant.id, fences, after, limit: limits.forgetScanRowsMax }
    const page: Awaited<ReturnType<typeof tenant.storage.forget.scan>> = await tenant.storage.forget.scan(query)
    for (const { entryId } of page.versions) {
      if (entryId !== last) found += 1
      last = entryId
    }
    after = page.next
    if (after === null) return found
  }
}

async function countSources(tenant: Tenant, fences: readonly Fence[]): Promise<number> {
  let found = 0
  for await (const page of sourcePages(tenant, fences)) found += page.length
  return found
}

async function countSecrets(tenant: Tenant, subject: string): Promise<number> {
  let found = 0
  for (let after: string | null = null; ; ) {
    const limit = limits.forgetPageMax
    const query = { tenantId: tenant.id, kind: 'secret' as const, after, limit }
    const page: Awaited<ReturnType<typeof tenant.storage.records>> = await tenant.storage.records(query)
    found += page.filter(({ body }) => foldName(String(body.facts?.userId ?? '')) === foldName(subject)).length
    after = page.at(-1)?.id ?? null
    if (after === null || page.length < limit) return found
  }
}
