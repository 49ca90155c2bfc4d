import type { ClassedEntry } from '../../core/entries/entry.ts'
import type { MemoryCall } from '../../core/run/memory-call.ts'
import { defaultWorkspace, refOfWorkspace } from '../../core/workspace/workspace-file.ts'
import type { FileDraft } from '../workspace/files.ts'
import type { NodeListOptions, NodeMemory } from './node-type.ts'
import { type ArchiveFound, distillInRun } from './run-distillation.ts'
import type { RunExecution } from './run-execution.ts'
import { putFileInRun, refuseUnreadableFile } from './run-file.ts'
import { type CallingNode, RunMemory } from './run-memory.ts'

/** The memory of a node, with what it does beside entries. It is recorded like a call: what is recorded is not done again. */
export class RunEffects extends RunMemory implements NodeMemory {
  readonly #execution: RunExecution
  readonly #node: CallingNode

  constructor(execution: RunExecution, node: CallingNode, recorded: readonly MemoryCall[]) {
    super(execution, node, recorded)
    this.#execution = execution
    this.#node = node
  }

  async distill(memoryRef: string, tokenBudget?: number): Promise<string | null> {
    const recorded = this.recordedCall('get')
    if (recorded) return recorded.entries[0]?.id ?? null
    const record = (found: ArchiveFound) => this.record({ op: 'get', ...found, at: this.#execution.tenant.now() })
    return distillInRun(this.#execution, this.#node, { memoryRef, tokenBudget }, record)
  }

  async getFile(path: string, options: Pick<NodeListOptions, 'trustMin'> = {}): Promise<ClassedEntry | null> {
    const [file] = await this.list(refOfWorkspace(defaultWorkspace), { ...options, tag: path, limit: 1 })
    if (file === undefined) await refuseUnreadableFile(this.#execution, path, options.trustMin)
    return file ?? null
  }

  async putFile(path: string, draft: FileDraft): Promise<void> {
    if (this.recordedCall('put')) return
    // Two writes to one file are two versions, so the first is committed before the second is decided.
    await this.commitWrites()
    const made = await putFileInRun(this.#execution, this.#node, path, draft)
    this.record({ op: 'put', ...made, at: this.#execution.tenant.now() })
  }
}
