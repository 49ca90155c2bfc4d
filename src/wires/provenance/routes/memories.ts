import type { FastifyRequest } from 'fastify'
import { add } from '../../../app/provenance/add.ts'
import { deleteMemory, patchMemory } from '../../../app/provenance/change-memory.ts'
import { getMemory, listMemories } from '../../../app/provenance/find-memories.ts'
import { memoryHistory, memorySources } from '../../../app/provenance/memory-history.ts'
import { retrieve } from '../../../app/provenance/retrieve.ts'
import { toInstant } from '../../../core/check.ts'
import { parseReaders, readerForbidden } from '../../../core/entries/readers.ts'
import { respond, route } from '../../../http/route.ts'
import { checkScope, principalOf } from '../../../http/route-context.ts'
import { readAdd } from '../read-add.ts'
import { AddAnswer, AddDraft } from '../schemas/add.ts'
import { History } from '../schemas/history.ts'
import {
  ChangedMemory,
  DeleteQuery,
  Memory,
  MemoryPage,
  MemoryPatch,
  MemoryQuery,
  MomentQuery,
  ReaderQuery,
  Removed,
  Retrieval,
  RetrieveDraft,
} from '../schemas/memories.ts'
import { SourceList } from '../schemas/provenance.ts'
import { toCamel } from '../snake-case.ts'
import {
  isAuditor,
  toChangedView,
  toHistoryView,
  toMemoryView,
  toRetrievalView,
  toSourceOfMemory,
} from '../views/memories.ts'

const tag = 'memories'
const one = '/v1/memories/{id}'

/** A marked memory is in every prompt about its person, for every reader: no writer decides that about its own text. */
function checkMayMark(request: FastifyRequest): void {
  checkScope(request, 'memory:admin')
  if (principalOf(request).reader !== null)
    throw readerForbidden('A key that is bound to a reader cannot set or remove always_include.')
}

/** Memories about people, with the source events that they come from. */
export const memoriesRoutes = [
  route('addMemories', 'POST /v1/memories/add', 'memory:write', {
    summary: 'Add memories from messages',
    description:
      'Stores the event and starts a job that extracts memories from it. Resending an event returns the first response. The same event id with other messages is refused with 409.',
    tag,
    body: AddDraft,
    responses: { 202: AddAnswer },
    async handler({ tenant, principal, request, body, write }) {
      if (body.infer === false && body.messages.some(({ always_include }) => always_include)) checkMayMark(request)
      const caller = { actor: principal.actor, keyId: principal.keyId, requestId: request.id }
      const { event, repeated, hasNothing } = await add(tenant, readAdd(body), caller, write)
      const stored = {
        job_id: event.jobId,
        status: 'queued' as const,
        ...(hasNothing ? { nothing_to_extract: true } : {}),
        processing_eta_seconds: 1,
        request_id: event.requestId,
        timestamp: toInstant(event.receivedAt),
        memory_ref: `subject:${event.subject}`,
      }
      // The event id of a source makes a call repeatable, as an idempotency key does.
      const replay = { 'idempotent-replay': 'true', 'openwop-idempotent-replay': 'true' }
      return respond(stored, { repeated, headers: repeated ? replay : {} })
    },
  }),
  route('retrieveMemories', 'POST /v1/memories/retrieve', 'memory:read', {
    summary: 'Retrieve memories for a query',
    description: 'The memories about a person that match a query, best first, and a text of them for a prompt.',
    tag,
    isRead: true,
    body: RetrieveDraft,
    responses: { 200: Retrieval },
    async handler({ tenant, principal, body }) {
      const { externalUserId: subject, reader: _reader, explain = false, ...request } = toCamel(body)
      const found = await retrieve(tenant, { ...request, subject })
      return toRetrievalView(found, isAuditor(principal.scopes), explain)
    },
  }),
  route('listMemories', 'GET /v1/memories', 'memory:read', {
    summary: 'List the memories about a person',
    description: 'Newest first. With `as_of`, memory as it was at that position or instant.',
    tag,
    query: MemoryQuery,
    responses: { 200: MemoryPage },
    async handler({ tenant, principal, query }) {
      const { externalUserId: subject, reader: _reader, ...filter } = toCamel(query)
      const { memories, ...next } = await listMemories(tenant, { ...filter, subject })
      return { data: memories.map((memory) => toMemoryView(memory, isAuditor(principal.scopes))), ...next }
    },
  }),
  route('getMemory', `GET ${one}`, 'memory:read', {
    summary: 'Get a memory',
    description:
      'The newest version, also of a superseded or archived memory. With `as_of`, the memory as it was at that position or instant.',
    tag,
    query: MomentQuery,
    responses: { 200: Memory },
    handler: async ({ tenant, principal, params, query }) =>
      toMemoryView(await getMemory(tenant, params.id, query.as_of), isAuditor(principal.scopes)),
  }),
  route('getMemoryHistory', `GET ${one}/history`, 'memory:read', {
    summary: 'Get the history of a memory',
    description: 'Every change of the memory, with the actor of each.',
    tag,
    query: ReaderQuery,
    responses: { 200: History },
    handler: async ({ tenant, params }) => toHistoryView(await memoryHistory(tenant, params.id)),
  }),
  route('listMemorySources', `GET ${one}/sources`, 'memory:read', {
    summary: 'List the sources of a memory',
    description: 'Every source event of a writer that stated this memory, and the key that sent it.',
    tag,
    query: ReaderQuery,
    responses: { 200: SourceList },
    async handler({ tenant, principal, params }) {
      const sources = await memorySources(tenant, params.id)
      return { data: sources.map((source) => toSourceOfMemory(source, isAuditor(principal.scopes))) }
    },
  }),
  route('changeMemory', `PATCH ${one}`, 'memory:write', {
    summary: 'Change a memory',
    description:
      'A new content is an assertion of the calling key, decided like any other. The response is the memory with that content, also if it is superseded. With `reason` and the scope `memory:admin` it is pinned. `readers` changes who may read it, at once and in its whole history; adding readers needs the key that stated it, or the scope `memory:admin`. `always_include` (needs the scope `memory:admin`), importance, archiving (needs the scope `memory:delete`) and restoring create a new version. The response has the content only for keys with the scope `memory:read`.',
    tag,
    body: MemoryPatch,
    responses: { 200: ChangedMemory },
    async handler({ tenant, principal, request, params, body, write }) {
      // An archived memory is no longer found, as a deleted one.
      if (body.is_archived === true) checkScope(request, 'memory:delete')
      if (body.always_include != null) checkMayMark(request)
      const editor = {
        actor: principal.actor,
        requestId: request.id,
        // A pin and a mark decide for everyone in the tenant.
        mayPin: principal.scopes.includes('memory:admin') && principal.reader === null,
      }
      const content = body.content ?? undefined
      const importance = body.importance ?? body.importance_score ?? undefined
      const reason = body.reason ?? undefined
      const { trust } = body
      const readers = body.readers === undefined ? undefined : parseReaders('readers', body.readers)
      const archived = body.is_archived ?? undefined
      const always_include = body.always_include ?? undefined
      const patch = toCamel({ content, importance, reason, trust, is_archived: archived, readers, always_include })
      const { memory, repeated } = await patchMemory(tenant, params.id, patch, editor, write)
      return respond(toChangedView(memory, principal.scopes), { repeated })
    },
  }),
  route('deleteMemory', `DELETE ${one}`, 'memory:delete', {
    summary: 'Delete a memory',
    description:
      'Withdraws its assertions, so that the next content of its claim wins. With `hard_delete` it is erased from earlier snapshots too.',
    tag,
    query: DeleteQuery,
    responses: { 200: Removed },
    async handler({ tenant, principal, params, query, write }) {
      // It also erases the messages that stated the memory, which may be of others.
      if (query.hard_delete === true && principal.reader !== null)
        throw readerForbidden('A key that is bound to a reader cannot erase.')
      const { repeated } = await deleteMemory(tenant, params.id, { isErased: query.hard_delete }, write)
      return respond({ id: params.id, deleted: true }, { repeated })
    },
  }),
]
