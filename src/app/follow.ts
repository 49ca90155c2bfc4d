import { changesOf, kindOf } from '../core/audit.ts'
import { checkCount, checkKnownKeys, toInstant } from '../core/check.ts'
import { limits } from '../core/limits.ts'
import type { Deps } from './deps.ts'

/** One change of readable memory: identifiers only. */
export type MemoryChange = {
  readonly position: number
  readonly at: string
  readonly kind: string
  readonly memoryRef: string
  readonly entryIds: readonly string[]
  readonly reason?: string
}

export type ChangesOptions = {
  /** Start behind this position; without it, with what happens from now on. */
  readonly after?: number
  readonly signal?: AbortSignal
}

/** The tenant's changes in order of position, none left out and none twice, as long as the caller wants them. */
export async function* changes(
  deps: Deps,
  tenantId: string,
  options: ChangesOptions = {},
): AsyncGenerator<MemoryChange> {
  checkKnownKeys('options', options, ['after', 'signal'])
  if (options.after !== undefined) checkCount('after', options.after, 0)
  const { signal } = options
  let position = options.after ?? (await deps.storage.clock(tenantId))?.position ?? 0
  while (!signal?.aborted) {
    const limit = limits.auditPageRecordsMax
    const rows = await deps.storage.audit({ tenantId, from: position + 1, to: Number.MAX_SAFE_INTEGER, limit })
    for (const row of rows) {
      for (const change of changesOf(row)) {
        if (signal?.aborted) return
        yield { position: row.position, at: toInstant(row.at), kind: kindOf(row), ...change }
      }
      position = row.position
    }
    if (rows.length < limit) await deps.watch.wait(tenantId, position, signal)
  }
}
