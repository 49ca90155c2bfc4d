import { toInstant } from '../../core/check.ts'
import type { ProvDocument } from '../../core/provenance/prov/document.ts'
import type { EntryColophon } from '../entries/colophon.ts'
import type { Tenant } from '../tenant.ts'
import { storyToProv } from './story-to-prov.ts'

/** The provenance of an entry as a document in PROV-JSON. */
export async function toProv(
  tenant: Tenant,
  { id, origin, story }: EntryColophon,
  showsPrivateHashes: boolean,
): Promise<ProvDocument> {
  const positions = new Set(
    story.flatMap(({ position, details: { withdrawnPosition: withdrawn } }) => [position, withdrawn]),
  )
  const known = [...positions].filter((position) => typeof position === 'number')
  const instants = await tenant.storage.provenance.instants(tenant.id, known)
  return storyToProv({
    tenantId: tenant.id,
    id,
    agentId: ('agentId' in origin ? origin.agentId : undefined) ?? null,
    story,
    instants: new Map([...instants].map(([position, at]) => [position, toInstant(at)])),
    showsPrivateHashes,
  })
}
