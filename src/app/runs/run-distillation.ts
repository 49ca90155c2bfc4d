import { refOfArchives } from '../../core/distillation/archive.ts'
import { checkDistilledRef } from '../../core/distillation/check-request.ts'
import { checkTokenBudget, effectiveBudget } from '../../core/distillation/token-plan.ts'
import { readerForbidden } from '../../core/entries/readers.ts'
import { isColophonError } from '../../core/errors.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import { compactionEvents } from '../compaction/maintenance-run.ts'
import { type DistillingRun, distillRef } from '../distillation/distill-ref.ts'
import type { RunExecution } from './run-execution.ts'
import type { CallingNode } from './run-memory.ts'

export type ArchiveFound = Pick<MemoryCall, 'memoryRef' | 'entries'>

/**
 * Distills a ref for a node. The archive is one commit with its events in the log of the run and with `record`, so a node that is executed
 * again after a crash makes no second one. The run does not see it. If the same sources and budget have an archive already, nothing is
 * written: the run only finds it.
 */
export async function distillInRun(
  execution: RunExecution,
  node: CallingNode,
  { memoryRef, tokenBudget }: { readonly memoryRef: string; readonly tokenBudget: number | undefined },
  record: (found: ArchiveFound) => void,
): Promise<string | null> {
  checkDistilledRef('memoryRef', memoryRef)
  if (tokenBudget !== undefined) checkTokenBudget('tokenBudget', tokenBudget)
  const { tenant, signal } = execution
  const { actor, reader = null } = execution.progress.facts
  if (reader !== null)
    throw readerForbidden('A run for a reader cannot distill: an archive has the entries of all readers.')
  if (execution.progress.isChanged) await execution.commitStep()
  const found = (id: string) => ({ memoryRef: refOfArchives(memoryRef), entries: [{ id, version: 1 }] })
  let isStored = false
  let moved: unknown
  const store: DistillingRun['store'] = async (change, facts, readUnder) => {
    const note = () => {
      record(found(facts.outputId))
      for (const { type, ...event } of compactionEvents(facts, node)) execution.progress.emit(type, event)
    }
    try {
      await execution.commitWith(change, note, readUnder)
      isStored = true
    } catch (error) {
      if (!isColophonError(error, 'run_changed')) throw error
      // The run was paused, cancelled or forgotten meanwhile: not the archive but the step has to be decided again.
      moved = error
      throw new Error('The run was changed meanwhile.', { cause: error })
    }
  }
  const { runId } = execution.progress.base
  const request = { distillationId: tenant.system.newId('dst'), memoryRef, actor, signal, run: { runId, store } }
  const made = await distillRef(tenant, { ...request, tokenBudget: effectiveBudget(tokenBudget) }).catch(
    (error: unknown) => {
      throw moved ?? error
    },
  )
  if (!isStored) record(made === null ? { memoryRef: '', entries: [] } : found(made.outputId))
  return made?.outputId ?? null
}
