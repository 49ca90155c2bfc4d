import { changesOf, parseBody } from '../core/audit.ts'
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
    const reached = (await deps.storage.clock(tenantId))?.position ?? 0
    yield* changesUntil(deps, tenantId, position, reached, signal)
    position = Math.max(position, reached)
    await deps.watch.wait(tenantId, position, signal)
  }
}

/** What changed behind one position and up to another, both of which are past. */
export async function* changesUntil(
  deps: Deps,
  tenantId: string,
  after: number,
  to: number,
  signal?: AbortSignal,
): AsyncGenerator<MemoryChange> {
  for (let position = after; position < to; ) {
    const rows = await deps.storage.audit({ tenantId, from: position + 1, to, limit: limits.auditPageRecordsMax })
    for (const row of rows) {
      for (const change of changesOf(row)) {
        if (signal?.aborted) return
        yield { position: row.position, at: toInstant(row.at), kind: parseBody(row).kind, ...change }
      }
    }
    position = rows.at(-1)?.position ?? to
  }
}
