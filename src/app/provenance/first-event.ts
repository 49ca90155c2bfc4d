import { editOf, type SourceEventRecord } from '../../core/provenance/source-event.ts'
import type { Tenant } from '../tenant.ts'
import type { Memory } from './memory-view.ts'
import { mayReadEvent } from './readable-claims.ts'

/** Edits that are followed back. An older event is not looked for. */
const editsMax = 32

/** The source event that stated a memory before any edit of it; null if no event did, or the reader cannot see it. */
export async function firstEventOf(
  tenant: Tenant,
  { source }: Pick<Memory, 'source'>,
): Promise<SourceEventRecord | null> {
  const { provenance } = tenant.storage
  let id = source?.sourceEventId
  for (let step = 0; step < editsMax && id !== undefined; step++) {
    const event = await provenance.sourceEvent(tenant.id, id)
    // Its metadata is about all that came of it.
    if (event === null || event.isErased || !(await mayReadEvent(tenant, event))) return null
    const edit = editOf(event)
    if (edit === null) return event
    const [first] = await provenance.entryVersions(tenant.id, edit.edits)
    const origin = first?.origin
    const stated = origin !== undefined && 'sourceEventId' in origin ? origin.sourceEventId : undefined
    id = stated === id ? undefined : stated
  }
  return null
}
