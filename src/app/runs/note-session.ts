import { type RunEnd, summarise } from '../../core/run/lifecycle.ts'
import type { Progress } from '../../core/run/progress.ts'
import { toRepeated } from '../../core/run/repeat-event.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { isOfSession, type RecordedRun } from './recorded.ts'

/** The session-end memory of a run; a replay repeats what its source recorded and writes nothing. */
export async function noteSession(
  tenant: Tenant,
  progress: Progress,
  status: RunEnd['status'],
  source: RecordedRun | null,
): Promise<void> {
  if (progress.facts.fork?.mode === 'replay') {
    progress.events.push(...(source?.events.filter(isOfSession).map(toRepeated) ?? []))
    return
  }
  const settings = await loadSettings(tenant.storage, tenant.id)
  if (!settings.sessionSummary) return
  const ids = { entryId: tenant.system.newId('mem'), salt: tenant.system.newSalt() }
  summarise(progress, status, ids, tenant.now())
}
