import { refOfArchives } from '../../core/distillation/archive.ts'
import { checkDistilledRef } from '../../core/distillation/check-request.ts'
import { checkTokenBudget, effectiveBudget } from '../../core/distillation/token-plan.ts'
import { readerForbidden } from '../../core/entries/readers.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import { distillRef } from '../distillation/distill-ref.ts'
import type { RunExecution } from './run-execution.ts'

/**
 * Distills a ref for a node. The archive is no write of the run: it is stored at once, and the run does not see it. The same sources and
 * budget find the same archive, so a node that is executed again after a crash makes no second one.
 */
export async function distillInRun(
  { tenant, progress, signal }: RunExecution,
  memoryRef: string,
  tokenBudget: number | undefined,
): Promise<Pick<MemoryCall, 'memoryRef' | 'entries'>> {
  checkDistilledRef('memoryRef', memoryRef)
  if (tokenBudget !== undefined) checkTokenBudget('tokenBudget', tokenBudget)
  const { actor, reader = null } = progress.facts
  if (reader !== null)
    throw readerForbidden('A run for a reader cannot distill: an archive has the entries of all readers.')
  const made = await distillRef(tenant, {
    distillationId: tenant.system.newId('dst'),
    memoryRef,
    tokenBudget: effectiveBudget(tokenBudget),
    actor,
    signal,
  })
  if (made === null) return { memoryRef: '', entries: [] }
  return { memoryRef: refOfArchives(memoryRef), entries: [{ id: made.outputId, version: 1 }] }
}
