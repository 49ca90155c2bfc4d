import { fullAccess } from '../../core/entries/access.ts'
import type { ReadView } from '../../core/entries/as-of.ts'
import { isWorkspaceRef } from '../../core/workspace/workspace-file.ts'
import type { RunExecution } from './run-execution.ts'

/** A run sees its own writes, except those to the workspace: files are those of the snapshot until the run ends. */
export function viewOfRef({ progress: { view } }: RunExecution, memoryRef: string): ReadView {
  return isWorkspaceRef(memoryRef) ? { ...view, own: [] } : view
}

/** What a read by id sees: every class. */
export function wholeViewOf(execution: RunExecution, memoryRef: string): ReadView {
  const view = viewOfRef(execution, memoryRef)
  return { ...view, access: { ...view.access, trustMin: fullAccess.trustMin } }
}
