import { limits } from '../../core/limits.ts'
import type { WriteOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { findForget } from './forget-record.ts'
import { startForget } from './start-forget.ts'

/**
 * Erases one memory. Like any forget, it is hidden by the first commit, erased by a job, and gets a receipt. Waits for the job for at
 * most `forgetWaitMs`.
 */
export async function eraseMemory(
  tenant: Tenant,
  entryId: string,
  options: WriteOptions,
): Promise<{ readonly repeated: boolean }> {
  const selector = { kind: 'memory', value: entryId } as const
  const request = { selector, reason: 'hard delete', cascade: true }
  const { id, repeated } = await startForget(tenant, request, options)
  const deadline = tenant.now() + limits.forgetWaitMs
  for (let pauseMs = 5; tenant.now() < deadline; pauseMs = Math.min(pauseMs * 2, 200)) {
    const record = await findForget(tenant, id)
    if (record === null || record.facts.receipt !== null) break
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return { repeated }
}
