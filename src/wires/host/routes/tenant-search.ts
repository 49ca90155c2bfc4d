import type { z } from 'zod'
import type { Memory } from '../../../app/provenance/memory-view.ts'
import { searchTenant, type TenantSearchResult } from '../../../app/search/search-tenant.ts'
import type { Scope } from '../../../core/access/scopes.ts'
import { toInstant } from '../../../core/check.ts'
import { beginningOf, type SearchKind, searchKinds } from '../../../core/search/tenant-search.ts'
import { route } from '../../../http/route.ts'
import { checkScope } from '../../../http/route-context.ts'
import { TenantSearchAnswer, TenantSearchDraft } from '../schemas/tenant-search.ts'

/** Some kinds have a scope of their own, as in their lists. */
const scopeOfKind: Partial<Record<SearchKind, Scope>> = { sources: 'audit:read', runs: 'runs:read' }

/** A search over everything of the key's tenant. */
export const tenantSearchRoutes = [
  route('searchTenant', 'POST /v1/host/colophon/search', 'memory:read', {
    summary: 'Search the whole tenant',
    description:
      'Finds memories by their words, and refs, people, source events, claims and runs by name or by the beginning of an id. One call examines a bounded number of memories, the last change first; the cursor continues.',
    tag: 'memory',
    isRead: true,
    body: TenantSearchDraft,
    responses: { 200: TenantSearchAnswer },
    async handler({ tenant, principal, request, body }) {
      const { query = '', kinds = searchKinds.filter((kind) => mayFind(principal.scopes, kind)), ...rest } = body
      for (const kind of kinds) if (!mayFind(principal.scopes, kind)) checkScope(request, scopeOfKind[kind] as Scope)
      const { reader: _reader, asOf, ...options } = rest
      const moment = typeof asOf === 'string' && /^\d{1,15}$/.test(asOf) ? Number(asOf) : asOf
      return toAnswer(await searchTenant(tenant, { ...options, query, kinds, asOf: moment }))
    },
  }),
]

function mayFind(scopes: readonly Scope[], kind: SearchKind): boolean {
  const needed = scopeOfKind[kind]
  return needed === undefined || scopes.includes(needed)
}

function toAnswer({ memories, refs, sources, claims, runs, ...rest }: TenantSearchResult) {
  return {
    ...rest,
    ...(memories && { memories: memories.map(toFoundMemory) }),
    ...(refs && { refs: refs.map((ref) => ({ ...ref, lastWriteAt: toInstant(ref.lastWriteAt) })) }),
    ...(sources && {
      sources: sources.map(({ sourceEventId, service, eventId, subject, receivedAt }) => ({
        ...{ id: sourceEventId, service, eventId, subject },
        receivedAt: toInstant(receivedAt),
      })),
    }),
    ...(claims && {
      claims: claims.map(({ id, subject, category, claimKey, status, winner }) => ({
        ...{ id, subject, category, claimKey, status, winner },
      })),
    }),
    ...(runs && {
      runs: runs.map(({ runId, workflowId, status, createdAt }) => ({
        ...{ runId, workflowId, status },
        createdAt: toInstant(createdAt),
      })),
    }),
  } satisfies z.input<typeof TenantSearchAnswer>
}

function toFoundMemory(memory: Memory) {
  const { id, memoryRef, tags, category, claimKey, status, version, trust, isQuarantined, attribution } = memory
  return {
    ...{ id, memoryRef, tags, category, claimKey, status, version, trust, isQuarantined },
    ...beginningOf(memory.content),
    writer: memory.service,
    keyId: attribution.keyId,
    ...(attribution.runId === undefined ? {} : { runId: attribution.runId }),
    sources: memory.sources,
    createdAt: toInstant(memory.createdAt),
    changedAt: toInstant(memory.updatedAt),
    ...(memory.expiresAt === null ? {} : { expiresAt: toInstant(memory.expiresAt) }),
  }
}
