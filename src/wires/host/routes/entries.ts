import type { z } from 'zod'
import { removeEntry } from '../../../app/entries/change.ts'
import { patchEntry } from '../../../app/entries/patch.ts'
import { putEntries } from '../../../app/entries/put.ts'
import { listRefs, type ReadOptions } from '../../../app/entries/read.ts'
import { type BatchDraft, writeBatch } from '../../../app/entries/write-batch.ts'
import { toProv } from '../../../app/provenance/prov.ts'
import type { StoryStep } from '../../../app/provenance/story.ts'
import { viewOfRun } from '../../../app/runs/run-snapshot.ts'
import type { Tenant } from '../../../app/tenant.ts'
import { parseInstant, toInstant } from '../../../core/check.ts'
import { ColophonError, invalid } from '../../../core/errors.ts'
import { respond, route } from '../../../http/route.ts'
import { checkScope } from '../../../http/route-context.ts'
import { MemoryEntry } from '../../openwop-v1/schemas/entries.ts'
import { page } from '../../page.ts'
import { toSnake } from '../../provenance/snake-case.ts'
import { Deleted } from '../../schema-parts.ts'
import { readAsOf } from '../read-as-of.ts'
import {
  AsOfQuery,
  ColophonQuery,
  EntryBatch,
  EntryBatchResult,
  EntryDraft,
  EntryPage,
  EntryPatch,
  EntryQuery,
  RefPage,
  RefQuery,
  RevisedEntry,
} from '../schemas/entries.ts'
import { EntryProvenance } from '../schemas/prov.ts'
import { SearchAnswer, SearchDraft, SearchQuery } from '../schemas/search.ts'

const base = '/v1/host/colophon/memory'
const tag = 'memory'

/** The refs and entries of the key's tenant. */
export const entryRoutes = [
  route('listMemoryRefs', `GET ${base}`, 'memory:read', {
    summary: 'List memory refs',
    description: 'The refs that have current entries, in order of name, with the number of entries of each.',
    tag,
    query: RefQuery,
    responses: { 200: RefPage },
    async handler({ tenant, query }) {
      const { items, next } = await page(query, 'memoryRef', (range) => listRefs(tenant, range))
      return { refs: items.map((ref) => ({ ...ref, lastWriteAt: toInstant(ref.lastWriteAt) })), ...next }
    },
  }),
  route('listEntries', `GET ${base}/{ref}/entries`, 'memory:read', {
    summary: 'List the entries of a ref',
    description:
      'Newest first. With `asOf`, memory as it was at that position or instant; with `runId`, as that run sees it.',
    tag,
    query: EntryQuery,
    responses: { 200: EntryPage },
    async handler({ tenant, params, query }) {
      const { asOf: _asOf, runId: _runId, reader: _reader, ...options } = query
      return tenant.list(params.ref, { ...options, ...(await readView(tenant, query)) })
    },
  }),
  route('putEntry', `POST ${base}/{ref}/entries`, 'memory:write', {
    summary: 'Put an entry',
    description:
      'Secrets are redacted before anything is stored. With an `Idempotency-Key` a repeat returns the first entry.',
    tag,
    body: EntryDraft,
    responses: { 201: MemoryEntry },
    async handler({ tenant, params, body, write }) {
      const { entries, repeated } = await putEntries(tenant, params.ref, [body], write, 'put')
      return respond(found(entries[0] ?? null), { repeated })
    },
  }),
  route('putEntries', `POST ${base}/{ref}/entries:batch`, 'memory:write', {
    summary: 'Put many entries',
    description:
      'Up to 1,000 entries in one commit, all or none. The last one is the newest. In the same commit, other entries can be revised, and deleted with the scope `memory:delete`. With a `source`, the entries have a source event: resending it returns the first entries, and the same event id with other entries is refused with 409.',
    tag,
    body: EntryBatch,
    responses: { 201: EntryBatchResult },
    async handler({ tenant, principal, request, params, body, write }) {
      const { entries: drafts, source } = body
      if (body.deletes !== undefined) checkScope(request, 'memory:delete')
      const isPlain =
        source == null && body.deletes === undefined && body.revisions === undefined && body.newest === undefined
      const caller = { actor: principal.actor, keyId: principal.keyId, requestId: request.id }
      const { entries, position, repeated } = isPlain
        ? await tenant.putMany(params.ref, drafts, write)
        : await writeBatch(tenant, params.ref, readBatch(body), caller, write)
      return respond({ entries, position }, { repeated })
    },
  }),
  route('searchEntries', `POST ${base}/{ref}/search`, 'memory:read', {
    summary: 'Search the entries of a ref',
    description: 'Best first. Matches words, and also meaning if the server has an embedder.',
    tag,
    isRead: true,
    query: SearchQuery,
    body: SearchDraft,
    responses: { 200: SearchAnswer },
    async handler({ tenant, params, query: named, body }) {
      const { query, asOf, runId = named.runId, reader: _reader, ...options } = body
      if (named.runId !== undefined && named.runId !== runId)
        throw invalid('runId', 'must be the same in the query and in the body')
      const view = await readView(tenant, { asOf: asOf === undefined ? undefined : String(asOf), runId })
      return tenant.search(params.ref, query, { ...options, ...view })
    },
  }),
  route('getEntry', `GET ${base}/{ref}/entries/{id}`, 'memory:read', {
    summary: 'Get an entry',
    description: 'With `asOf`, the entry as it was at that position or instant; with `runId`, as that run sees it.',
    tag,
    query: AsOfQuery,
    responses: { 200: MemoryEntry },
    handler: async ({ tenant, params, query }) =>
      found(await tenant.get(params.ref, params.id, await readView(tenant, query))),
  }),
  route('getEntryColophon', `GET ${base}/{ref}/entries/{id}/colophon`, 'memory:read', {
    summary: 'Get the provenance of an entry',
    description:
      'The origin of an entry, each step of its history, and the audit record that proves it. With `format=prov`, the same as a document in W3C PROV-JSON.',
    tag,
    query: ColophonQuery,
    responses: { 200: EntryProvenance },
    async handler({ tenant, principal, params, query }) {
      const isAuditor = principal.scopes.includes('audit:read')
      const colophon = found(await tenant.colophon(params.ref, params.id, await readView(tenant, query)))
      if (query.format === 'prov') return toProv(tenant, colophon, isAuditor)
      return { ...colophon, story: colophon.story.map((step) => toStoryView(step, isAuditor)) }
    },
  }),
  route('reviseEntry', `PATCH ${base}/{ref}/entries/{id}`, 'memory:write', {
    summary: 'Revise an entry',
    description:
      'Stores the next version of the entry, with the same id. Earlier snapshots keep the previous version. For memories about a person, under `subject:`, use `PATCH /v1/memories/{id}`. `readers` changes who may read the entry, at once and in its whole history; adding readers needs the key that wrote the entry, or the scope `memory:admin`.',
    tag,
    body: EntryPatch,
    responses: { 200: RevisedEntry },
    async handler({ tenant, principal, params, body, write }) {
      const mayWiden = principal.scopes.includes('memory:admin')
      const { entry, repeated } = await patchEntry(tenant, params.ref, params.id, body, { ...write, mayWiden })
      const { content, ...facts } = entry
      return respond(principal.scopes.includes('memory:read') ? { ...facts, content } : facts, { repeated })
    },
  }),
  route('deleteEntry', `DELETE ${base}/{ref}/entries/{id}`, 'memory:delete', {
    summary: 'Delete an entry',
    description: 'Ends the entry. Earlier snapshots keep it. To erase it from those too, request an erasure.',
    tag,
    responses: { 200: Deleted },
    async handler({ tenant, params, write }) {
      const { deleted, repeated } = await removeEntry(tenant, params.ref, params.id, write)
      return respond({ deleted }, { repeated })
    },
  }),
]

function readBatch({
  revisions = [],
  deletes = [],
  asOf,
  newest,
  source,
  ...body
}: z.output<typeof EntryBatch>): BatchDraft {
  const conditions = { asOf: asOf ?? null, newest: newest ?? null }
  return { ...body, revisions, deletes, ...conditions, source: source == null ? null : readSource(source) }
}

function readSource({
  service,
  eventId,
  observedAt,
  scope = null,
  evidence = null,
}: NonNullable<z.output<typeof EntryBatch>['source']>): BatchDraft['source'] {
  const instant = observedAt == null ? null : parseInstant('source.observedAt', observedAt)
  return { service: service ?? null, eventId, observedAt: instant, scope, evidence }
}

type ViewQuery = { readonly asOf?: string | undefined; readonly runId?: string | undefined }

/** A run has its own view. */
async function readView(tenant: Tenant, { asOf, runId }: ViewQuery): Promise<ReadOptions> {
  const run = runId === undefined ? {} : { run: await viewOfRun(tenant, runId) }
  if (asOf === undefined) return run
  return { asOf: readAsOf(asOf), ...run }
}

/** The provenance of a story step has the names of the provenance API, and the same visibility by scope. */
function toStoryView({ details, ...step }: StoryStep, isAuditor: boolean): StoryStep {
  const { isHashPrivate, ...shown } = details
  const hidden = isHashPrivate === true && !isAuditor ? { payloadHash: null } : {}
  if (!shown.provenance) return { ...step, details: { ...shown, ...hidden } }
  return { ...step, details: { ...shown, ...hidden, provenance: toSnake({ ...shown.provenance, ...hidden }) } }
}

function found<T>(value: T | null): T {
  if (value === null) throw new ColophonError('not_found', 'There is no such entry.')
  return value
}
