import type { z } from 'zod'
import { add } from '../../app/provenance/add.ts'
import { deleteMemory, patchMemory } from '../../app/provenance/change-memory.ts'
import { findMemory, getMemory } from '../../app/provenance/find-memories.ts'
import { memoryHistory } from '../../app/provenance/memory-history.ts'
import { retrieve } from '../../app/provenance/retrieve.ts'
import type { Tenant } from '../../app/tenant.ts'
import { toInstant } from '../../core/check.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { defaultClassification } from '../../core/provenance/category.ts'
import { type Entities, entityFields, scopeOf, subjectOf } from '../../core/provenance/mem0-entities.ts'
import { byRole, toSaidMessage } from '../../core/provenance/said-by.ts'
import { hashPayload } from '../../core/provenance/source-messages.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import { respond, route } from '../../http/route.ts'
import { allMemories, allSubjects, filterOf, findAll, matching, pageOf } from './list.ts'
import {
  AddBody,
  AddResult,
  DeleteQuery,
  Done,
  EntityList,
  EntityQuery,
  Found,
  History,
  ListBody,
  Memory,
  MemoryList,
  PageQuery,
  Pong,
  SearchBody,
  UpdateBody,
} from './schemas.ts'
import { eventIdOf, serviceOf } from './source.ts'
import { refuseUnsupported, unsupported } from './unsupported.ts'
import { subjectIn, toHistoryView, toMemoryViews } from './views.ts'

const tag = 'mem0'
export const root = '/mem0'
const one = `${root}/v1/memories/{id}` as const

/** The routes that the client of mem0 calls, over the use cases of the provenance API. */
export const mem0Routes = [
  route('pingMem0', `GET ${root}/v1/ping`, 'memory:read', {
    summary: 'Check the key',
    description: 'The first call of the client of mem0. The tenant is that of the key.',
    tag,
    responses: { 200: Pong },
    handler: async () => ({ status: 'ok' as const, message: 'The key is valid.' }),
  }),
  route('addMem0Memories', `POST ${root}/v3/memories/add`, 'memory:write', {
    summary: 'Add messages (mem0)',
    description:
      'Stores a source event of the writer that the key is bound to, or of the writer `mem0`. A job extracts the memories. An `Idempotency-Key`, or a `timestamp` with the same content, makes a retry harmless.',
    tag,
    body: AddBody,
    responses: { 200: AddResult },
    async handler({ tenant, principal, request, body, write }) {
      refuseUnsupported(body)
      const entities = entitiesOf(body)
      const subject = subjectOf(entities)
      const { redaction } = await tenant.context()
      // Kept as they are in the scope, where a secret in a text would be rewritten.
      await redaction.redact(({ scan }) => refuseSecrets({ app_id: entities.app_id, run_id: entities.run_id }, scan))
      const messages =
        typeof body.messages === 'string' ? [{ role: 'user' as const, content: body.messages }] : body.messages
      const { idempotencyKey } = write
      const source = {
        service: await serviceOf(tenant, principal),
        eventId: eventIdOf(body, { idempotencyKey, requestId: request.id }),
        observedAt: body.timestamp === undefined ? null : body.timestamp * 1_000,
        scope: scopeOf(entities),
        evidence: null,
      }
      const draft = {
        subject,
        agentId: entities.agent_id ?? null,
        infer: body.infer ?? true,
        metadata: body.metadata ?? {},
        // The client of mem0 has no classes: what is neither the person's nor the model's is untrusted.
        messages: messages.map(({ role, content }) => toSaidMessage(byRole(role), content)),
        payloadHash: hashPayload(messages),
        source,
      }
      const caller = { actor: principal.actor, keyId: principal.keyId, requestId: request.id }
      const { event, repeated } = await add(tenant, draft, caller, write)
      const message = 'Memory processing has been queued for background execution'
      return respond({ message, status: 'PENDING', event_id: event.jobId }, { repeated })
    },
  }),
  route('listMem0Memories', `POST ${root}/v3/memories`, 'memory:read', {
    summary: 'List memories (mem0)',
    description: 'The memories of the subject that `filters` names, newest first, by page.',
    tag,
    isRead: true,
    query: PageQuery,
    body: ListBody,
    responses: { 200: MemoryList },
    async handler({ tenant, query, body }) {
      refuseUnsupported(body)
      const options = { includeSuperseded: body.latest_only === false, path: `${root}/v3/memories` }
      const { results, paging } = await findAll(tenant, filterOf(body.filters, body), query, options)
      return { ...paging, results }
    },
  }),
  route('searchMem0Memories', `POST ${root}/v3/memories/search`, 'memory:read', {
    summary: 'Search memories (mem0)',
    description: 'The memories of the subject that `filters` names and that match a query, best first.',
    tag,
    isRead: true,
    body: SearchBody,
    responses: { 200: Found },
    async handler({ tenant, body }) {
      refuseUnsupported(body)
      const { query, threshold = 0, top_k: wanted = limits.memoriesPageDefault } = body
      const filter = filterOf(body.filters, body)
      const limit = filter.isMore ? limits.memoriesPageMax : wanted
      const { memories } = await retrieve(tenant, { subject: filter.subject, query, limit, isMatchesOnly: true })
      const views = await toMemoryViews(tenant, memories)
      const scored = views.map((view, at) => ({ ...view, score: memories[at]?.relevance ?? 0 }))
      const matches = await matching(scored, filter)
      return { results: matches.filter(({ score }) => score >= threshold).slice(0, wanted) }
    },
  }),
  route('getMem0Memory', `GET ${one}`, 'memory:read', {
    summary: 'Get a memory (mem0)',
    description: 'The newest version of a memory.',
    tag,
    responses: { 200: Memory },
    handler: async ({ tenant, params }) => viewOf(tenant, await getMemory(tenant, params.id)),
  }),
  route('updateMem0Memory', `PUT ${one}`, 'memory:write', {
    summary: 'Change a memory (mem0)',
    description:
      'The new text is an assertion of the calling key, decided like any other: the response is the memory with that text, also if another one is current.',
    tag,
    body: UpdateBody,
    responses: { 200: Memory },
    async handler({ tenant, principal, request, params, body, write }) {
      refuseUnsupported(body)
      const { text, metadata, timestamp } = body
      if (metadata !== undefined)
        throw unsupported('metadata', 'It belongs to the source event: add a memory with other metadata.')
      if (timestamp !== undefined)
        throw unsupported('timestamp', 'A change is observed when it is made: leave the field out.')
      if (text === undefined) throw unsupported('an update without text', 'Send the new text of the memory.')
      const editor = { actor: principal.actor, requestId: request.id, mayPin: false }
      const { memory, repeated } = await patchMemory(tenant, params.id, { content: text }, editor, write)
      const { memory: content, metadata: stored, ...facts } = await viewOf(tenant, memory)
      const mayRead = principal.scopes.includes('memory:read')
      // What its source event says is read with that scope only, as everywhere.
      const unread = { ...facts, metadata: null, app_id: null, run_id: null }
      return respond(mayRead ? { ...facts, memory: content, metadata: stored } : unread, { repeated })
    },
  }),
  route('deleteMem0Memory', `DELETE ${one}`, 'memory:delete', {
    summary: 'Delete a memory (mem0)',
    description: 'Withdraws its assertions. Its history stays readable; to erase it, use forget.',
    tag,
    query: DeleteQuery,
    responses: { 200: Done },
    async handler({ tenant, params, query, write }) {
      refuseUnsupported(query)
      const { repeated } = await deleteMemory(tenant, params.id, {}, write)
      return respond({ message: 'Memory deleted successfully!' }, { repeated })
    },
  }),
  route('deleteMem0Memories', `DELETE ${root}/v1/memories`, 'memory:delete', {
    summary: 'Delete memories (mem0)',
    description: 'Deletes the memories of a subject, superseded ones too, one after another: a retry continues.',
    tag,
    isUnkeyed: true,
    query: EntityQuery,
    responses: { 200: Done },
    async handler({ tenant, query, write }) {
      refuseUnsupported(query)
      const filter = filterOf(entitiesOf(query))
      // Superseded ones first: the deletion of a current one would make them current. Those in quarantine too: they could leave it.
      const all = await allMemories(tenant, filter.subject, { includeSuperseded: true, trustMin: 'untrusted' })
      const memories = [...all.filter((memory) => !isActive(memory)), ...all.filter(isActive)]
      const wanted = filter.isMore ? await matching(await toMemoryViews(tenant, memories), filter) : memories
      for (const { id } of wanted) {
        await deleteMemory(tenant, id, {}, { ...(write.actor === undefined ? {} : { actor: write.actor }) }).catch(
          (error: unknown) => {
            // Another request deleted it since.
            if (!isColophonError(error, 'not_found')) throw error
          },
        )
      }
      return { message: 'Memories deleted successfully!' }
    },
  }),
  route('getMem0History', `GET ${one}/history`, 'memory:read', {
    summary: 'Get a history (mem0)',
    description: 'Every change of a memory, oldest first, with its actor.',
    tag,
    responses: { 200: History },
    async handler({ tenant, params }) {
      const steps = await memoryHistory(tenant, params.id)
      const { entryId, memoryRef, classification } = await findMemory(tenant, params.id, { includeDeleted: true })
      const { category } = classification ?? defaultClassification
      return toHistoryView({ entryId, memoryRef, category }, steps)
    },
  }),
  route('listMem0Entities', `GET ${root}/v1/entities`, 'memory:read', {
    summary: 'List entities (mem0)',
    description: 'The users, agents, apps and runs that have memories.',
    tag,
    query: PageQuery,
    responses: { 200: EntityList },
    async handler({ tenant, query }) {
      const { results, paging } = pageOf(await allSubjects(tenant), query, `${root}/v1/entities`)
      return { ...paging, results: results.map((ref) => toEntity(tenant, ref)) }
    },
  }),
]

/** The entities that a request names. */
function entitiesOf(request: { readonly [Field in keyof Entities]?: string | null | undefined }): Entities {
  return Object.fromEntries(entityFields.flatMap((field) => (request[field] == null ? [] : [[field, request[field]]])))
}

function isActive({ status }: { readonly status: string }): boolean {
  return status === 'active'
}

async function viewOf(tenant: Tenant, memory: Parameters<typeof toMemoryViews>[1][number]) {
  const [view] = await toMemoryViews(tenant, [memory])
  return view as NonNullable<typeof view>
}

type Subject = Awaited<ReturnType<typeof allSubjects>>[number]

function toEntity(tenant: Tenant, { memoryRef, entries, lastWriteAt }: Subject) {
  const { kind, id } = subjectIn(memoryRef) ?? { kind: 'user', id: memoryRef }
  return {
    id,
    name: id,
    type: kind as z.output<typeof EntityList>['results'][number]['type'],
    total_memories: entries,
    created_at: null,
    updated_at: toInstant(lastWriteAt),
    owner: tenant.id,
  }
}
