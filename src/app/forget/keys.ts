import { limits } from '../../core/limits.ts'
import type { Work } from './work.ts'

/**
 * Idempotency keys whose first answer named something that goes: the key is a text of the caller's. Repeating such a call
 * is a new call from then on.
 */
export async function eraseKeys(work: Work): Promise<void> {
  const { tenant } = work
  for (let after: string | null = null; ; ) {
    work.checkGoing()
    const limit = limits.forgetPageMax
    const page: Awaited<ReturnType<typeof tenant.storage.forget.outcomes>> = await tenant.storage.forget.outcomes({
      tenantId: tenant.id,
      after,
      limit,
    })
    const idsOf = ({ outcome }: (typeof page)[number]) =>
      [...outcome.entries, ...outcome.ended].map(({ entryId }) => entryId)
    const hidden = await tenant.storage.forget.among(tenant.id, work.fences, page.flatMap(idsOf))
    const gone = new Set(hidden.map(({ entryId }) => entryId))
    const outcomes = page.filter((row) => idsOf(row).some((id) => gone.has(id))).map(({ key }) => key)
    if (outcomes.length > 0) await work.step({ forgetting: { outcomes } }, { idempotencyKeys: outcomes.length })
    after = page.at(-1)?.key ?? null
    if (after === null || page.length < limit) return
  }
}
