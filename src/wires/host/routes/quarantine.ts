import { listQuarantine, rejectFromQuarantine, releaseFromQuarantine } from '../../../app/provenance/quarantine.ts'
import { type EntryVersion, toMemoryEntry } from '../../../core/entries/entry.ts'
import { respond, route } from '../../../http/route.ts'
import { page } from '../../page.ts'
import { PageQuery } from '../../schema-parts.ts'
import { QuarantineDecided, QuarantineDecision, QuarantinePage } from '../schemas/quarantine.ts'

const base = '/v1/host/colophon/quarantine'
const tag = 'quarantine'

/** Memories below the floor for reads, which a person releases or rejects. */
export const quarantineRoutes = [
  route('listQuarantine', `GET ${base}`, 'memory:read', {
    summary: 'List memories in quarantine',
    description:
      'Current memories below `trust_floor_read`. They are stored and auditable, but lists, searches and prompts leave them out.',
    tag,
    query: PageQuery,
    responses: { 200: QuarantinePage },
    async handler({ tenant, query }) {
      const { items, next } = await page(query, 'entryId', (range) => listQuarantine(tenant, range))
      return { memories: items.map(toView), ...next }
    },
  }),
  route('releaseMemory', `POST ${base}/{id}:release`, 'memory:admin', {
    summary: 'Release a memory from quarantine',
    description: 'Stores the next version of the memory with the class `verified`, and the reason.',
    tag,
    body: QuarantineDecision,
    responses: { 200: QuarantineDecided },
    async handler({ tenant, principal, request, params, body, write }) {
      const decider = { actor: principal.actor, requestId: request.id, version: body.version }
      const { repeated } = await releaseFromQuarantine(tenant, params.id, body.reason, decider, write)
      return respond({ id: params.id, decision: 'released' as const }, { repeated })
    },
  }),
  route('rejectMemory', `POST ${base}/{id}:reject`, 'memory:admin', {
    summary: 'Reject a memory in quarantine',
    description: 'Ends the memory. In a claim, its content is withdrawn. Earlier snapshots keep it.',
    tag,
    body: QuarantineDecision,
    responses: { 200: QuarantineDecided },
    async handler({ tenant, principal, request, params, body, write }) {
      const decider = { actor: principal.actor, requestId: request.id, version: body.version }
      const { repeated } = await rejectFromQuarantine(tenant, params.id, body.reason, decider, write)
      return respond({ id: params.id, decision: 'rejected' as const }, { repeated })
    },
  }),
]

function toView(entry: EntryVersion) {
  const { memoryRef, version, trust, origin, subject, classification } = entry
  return {
    ...toMemoryEntry(entry),
    memoryRef,
    version,
    trust,
    origin,
    subject,
    claimId: classification?.claimId ?? null,
  }
}
