import { fullAccess } from '../../core/entries/access.ts'
import type { ReadView } from '../../core/entries/as-of.ts'
import { isMemoryRef } from '../../core/names.ts'
import { isWorkspaceRef } from '../../core/workspace/workspace-file.ts'
import type { RunExecution } from './run-execution.ts'

/** Whether a run can read a ref at all. Workspace files have no readers, so a run for a reader has none, as the API refuses them. */
export function canReadRef({ progress }: RunExecution, memoryRef: string): boolean {
  return isMemoryRef(memoryRef) && (progress.view.access.reader === null || !isWorkspaceRef(memoryRef))
}

/** A run sees its own writes, except those to the workspace: files are those of the snapshot until the run ends. */
export function viewOfRef({ progress: { view } }: RunExecution, memoryRef: string): ReadView {
  return isWorkspaceRef(memoryRef) ? { ...view, own: [] } : view
}

/** What a read by id sees: every class. */
export function wholeViewOf(execution: RunExecution, memoryRef: string): ReadView {
  const view = viewOfRef(execution, memoryRef)
  return { ...view, access: { ...view.access, trustMin: fullAccess.trustMin } }
}
