import { ColophonError } from '../../core/errors.ts'
import type { PortableLine } from '../../core/portable/import-line.ts'
import { isBoundTo } from '../../core/provenance/writer.ts'
import { listWriters } from '../provenance/writers.ts'
import type { Tenant } from '../tenant.ts'

/**
 * Refuses lines of a writer that is bound to another API key of this tenant: only a call with that key may write in its name. Lines that
 * are stored already may come again.
 */
export async function checkBoundWriters(
  tenant: Tenant,
  lines: readonly PortableLine[],
  keyId: string | null,
): Promise<void> {
  const bound = (await listWriters(tenant)).filter((writer) => writer.apiKeyId !== null && !isBoundTo(writer, keyId))
  if (bound.length === 0) return
  const boundServices = new Set(bound.map(({ serviceKey }) => serviceKey))
  for (const line of lines) {
    const service = [...servicesOf(line), ...(await servicesOfEvents(tenant, line))].find((name) =>
      boundServices.has(name),
    )
    if (service === undefined || (await isStored(tenant, line))) continue
    const message = `The file has lines of the writer ${service}, which is bound to another API key of this tenant.`
    throw new ColophonError('writer_key_mismatch', message, { details: { service } })
  }
}

function servicesOf(line: PortableLine): readonly string[] {
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

/** The services of the events that a line names. The line is attributed to them, also when the event itself is stored already. */
async function servicesOfEvents({ id, storage }: Tenant, line: PortableLine): Promise<readonly string[]> {
  const ids = [...new Set(eventsNamedBy(line))]
  const events = ids.length === 0 ? [] : await storage.provenance.sourceEventSummaries(id, ids)
  return events.flatMap(({ service }) => service ?? [])
}

function eventsNamedBy(line: PortableLine): readonly string[] {
  if (line.type === 'claim') return line.assertions.map(({ sourceEventId }) => sourceEventId)
  if (line.type !== 'version') return []
  const { origin, classification } = line
  const ofOrigin = 'sourceEventId' in origin ? origin.sourceEventId : undefined
  return [ofOrigin, classification?.sourceEventId].filter((id) => id !== null && id !== undefined)
}

async function isStored({ id, storage }: Tenant, line: PortableLine): Promise<boolean> {
  if (line.type === 'sourceEvent') return (await storage.provenance.sourceEvent(id, line.sourceEventId)) !== null
  if (line.type === 'claim') return (await storage.provenance.claim(id, line.claimId)) !== null
  return line.type === 'version' && (await storage.versions(id, [line])).length > 0
}
