import { ColophonError } from '../../core/errors.ts'
import type { PortableLine } from '../../core/portable/line.ts'
import { listWriters } from '../provenance/writers.ts'
import type { Tenant } from '../tenant.ts'

/**
 * A writer that is bound to a key in this tenant is spoken for by that key alone, so a file that brings words of such a
 * writer is taken from that key alone. What is here already was said before, and may come again.
 */
export async function checkSpeakers(
  tenant: Tenant,
  lines: readonly PortableLine[],
  keyId: string | null,
): Promise<void> {
  const bound = (await listWriters(tenant)).filter(({ apiKeyId }) => apiKeyId !== null && apiKeyId !== keyId)
  if (bound.length === 0) return
  const closed = new Set(bound.map(({ serviceKey }) => serviceKey))
  for (const line of lines) {
    const service = [...speakersOf(line), ...(await servicesOfEvents(tenant, line))].find((speaker) =>
      closed.has(speaker),
    )
    if (service === undefined || (await isHere(tenant, line))) continue
    const message = `The file has words of the writer ${service}, which is bound to another API key here.`
    throw new ColophonError('writer_key_mismatch', message, { details: { service } })
  }
}

function speakersOf(line: PortableLine): readonly string[] {
  switch (line.type) {
    case 'sourceEvent':
      return line.service === null ? [] : [line.service]
    case 'claim':
      return line.assertions.flatMap(({ service }) => service ?? [])
    case 'version':
      return line.origin.kind === 'service' ? [line.origin.service] : []
    default:
      return []
  }
}

/** Words that name an event of a writer are shown as that writer's: also where the event is here, and the words are the file's. */
async function servicesOfEvents({ id, storage }: Tenant, line: PortableLine): Promise<readonly string[]> {
  const ids = [...new Set(eventsNamedBy(line))]
  const events = ids.length === 0 ? [] : await storage.provenance.tellers(id, ids)
  return events.flatMap(({ service }) => service ?? [])
}

function eventsNamedBy(line: PortableLine): readonly string[] {
  if (line.type === 'claim') return line.assertions.map(({ sourceEventId }) => sourceEventId)
  if (line.type !== 'version') return []
  const { origin, classification } = line
  const ofOrigin = 'sourceEventId' in origin ? origin.sourceEventId : undefined
  return [ofOrigin, classification?.sourceEventId].filter((id) => id !== null && id !== undefined)
}

async function isHere({ id, storage }: Tenant, line: PortableLine): Promise<boolean> {
  if (line.type === 'sourceEvent') return (await storage.provenance.sourceEvent(id, line.sourceEventId)) !== null
  if (line.type === 'claim') return (await storage.provenance.claim(id, line.claimId)) !== null
  return line.type === 'version' && (await storage.versions(id, [line])).length > 0
}
