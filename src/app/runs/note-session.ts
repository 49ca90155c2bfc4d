import { toRepeated } from '../../core/run/event-doc.ts'
import { type RunEnd, summarise } from '../../core/run/lifecycle.ts'
import type { Progress } from '../../core/run/progress.ts'
import type { Deps } from '../deps.ts'
import { loadSettings } from '../redaction-state.ts'
import { isOfSession, type RecordedRun } from './recorded.ts'

/** The session-end memory of a run; a replay repeats what its source recorded and writes nothing. */
export async function noteSession(
  deps: Deps,
  tenantId: string,
  progress: Progress,
  status: RunEnd['status'],
  source: RecordedRun | null,
): Promise<void> {
  if (progress.facts.fork?.mode === 'replay') {
    progress.events.push(...(source?.events.filter(isOfSession).map(toRepeated) ?? []))
    return
  }
  const settings = await loadSettings(deps.storage, tenantId)
  if (!settings.session_summary) return
  const ids = { entryId: deps.system.newId('mem'), salt: deps.system.newSalt() }
  summarise(progress, status, ids, deps.system.now())
}
