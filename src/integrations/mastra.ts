import type { Client } from '../client/index.ts'
import { createSourceWriter, type SourceCall, type WriterOptions } from '../client/source-writer.ts'
import { type SaidBy, saidBy } from '../core/provenance/said-by.ts'
import { createDocuments, type Documents } from './documents.ts'
import { isListed, type MessageQuery, pageOf, type ThreadQuery, withNeighbours } from './mastra-query.ts'

/** Options of `createMemoryStorage`. */
export type MemoryStorageOptions = WriterOptions & {
  readonly client: Client
  /** The memoryRef of threads, messages and resources; 'mastra' by default. */
  readonly ref?: string | undefined
}

type Metadata = Readonly<Record<string, unknown>>
type Thread = {
  readonly id: string
  readonly resourceId: string
  readonly title?: string
  readonly metadata?: Metadata
  readonly createdAt: Date
  readonly updatedAt: Date
}
type Resource = {
  readonly id: string
  readonly workingMemory?: string | undefined
  readonly metadata?: Metadata
  readonly createdAt: Date
  readonly updatedAt: Date
}
type Message = {
  readonly id: string
  readonly threadId?: string
  readonly resourceId?: string
  readonly createdAt: Date
  readonly role?: unknown
  readonly content: Readonly<Record<string, unknown>>
}
type MessageChange = Partial<Message> & { readonly id: string }

/** The class `MemoryStorage` of `@mastra/core/storage`. */
type BaseClass<Base> = abstract new () => Base

/**
 * Mastra's memory storage on Colophon: threads, messages and resources. A change is a version with its source event, and a message
 * that is saved again is stored once. The first argument is the class `MemoryStorage` of your version of `@mastra/core`.
 *
 * @example
 * const memory = createMemoryStorage(MemoryStorage, { client, service: 'support-bot' })
 * const storage = new MastraCompositeStore({ id: 'colophon', domains: { memory } })
 */
export function createMemoryStorage<Base extends object>(
  MemoryStorage: BaseClass<Base>,
  { client, ref = 'mastra', ...options }: MemoryStorageOptions,
): Base {
  const documents = createDocuments(client, createSourceWriter(client, options, 'mastra'), ref)
  const { prototype } = ColophonMemory
  // The methods of the storage, on the class of the framework: what it adds later, it answers itself.
  const Storage = class extends (MemoryStorage as unknown as new () => object) {}
  for (const name of Object.getOwnPropertyNames(prototype))
    if (name !== 'constructor')
      Object.defineProperty(Storage.prototype, name, Object.getOwnPropertyDescriptor(prototype, name) ?? {})
  return Object.assign(new Storage(), { documents, supportsPartialThreadUpdate: true }) as unknown as Base
}

class ColophonMemory {
  declare readonly documents: Documents

  async getThreadById({ threadId, resourceId }: { threadId: string; resourceId?: string }): Promise<Thread | null> {
    const [thread] = await this.documents.find<Thread>(`thread:${threadId}`)
    if (thread === undefined || (resourceId !== undefined && thread.resourceId !== resourceId)) return null
    return withDates(thread)
  }

  async saveThread({ thread }: { thread: Thread }): Promise<Thread> {
    const tags = ['threads', `threads-of:${thread.resourceId}`]
    const call = callOf('saveThread', `thread:${thread.id}`, { session_id: thread.id })
    await this.documents.save({ name: `thread:${thread.id}`, tags, value: thread, by: 'model' }, call)
    return thread
  }

  async updateThread({ id, title, metadata }: { id: string; title?: string; metadata?: Metadata }): Promise<Thread> {
    const thread = await this.getThreadById({ threadId: id })
    if (thread === null) throw new Error(`Thread with id ${id} not found`)
    const changed = { ...thread, ...(title === undefined ? {} : { title }) }
    return this.saveThread({
      thread: { ...changed, metadata: { ...thread.metadata, ...metadata }, updatedAt: new Date() },
    })
  }

  /** Deletes a thread with its messages. */
  async deleteThread({ threadId }: { threadId: string }): Promise<void> {
    const call = callOf('deleteThread', '', { session_id: threadId })
    await this.documents.delete(`messages-of:${threadId}`, call)
    await this.documents.delete(`thread:${threadId}`, call)
  }

  async listThreads(query: ThreadQuery) {
    const { resourceId, metadata = {} } = query.filter ?? {}
    const tag = resourceId ? `threads-of:${resourceId}` : 'threads'
    const all = (await this.documents.find<Thread>(tag)).map(withDates)
    const wanted = Object.entries(metadata)
    const listed = all.filter((thread) =>
      wanted.every(([name, value]) => JSON.stringify(thread.metadata?.[name]) === JSON.stringify(value)),
    )
    const { items, ...page } = pageOf(listed, { perPageDefault: 100, directionDefault: 'DESC' }, query)
    return { threads: items, ...page }
  }

  /** Saves messages one after another, so that their order is that of the conversation. */
  async saveMessages({ messages }: { messages: Message[] }): Promise<{ messages: Message[] }> {
    for (const message of messages) {
      const { id, threadId = '', resourceId = '' } = message
      const tags = ['messages', `messages-of:${threadId}`, `messages-by:${resourceId}`]
      const scope = { session_id: threadId, ...(resourceId === '' ? {} : { resource: resourceId }), message: id }
      const draft = { name: `message:${id}`, tags, value: message, by: messageSaidBy(message) }
      await this.documents.save(draft, callOf('saveMessages', id, scope))
    }
    return { messages }
  }

  async updateMessages({ messages }: { messages: MessageChange[] }): Promise<Message[]> {
    const changed: Message[] = []
    for (const { content, ...change } of messages) {
      const [message] = (await this.listMessagesById({ messageIds: [change.id] })).messages
      if (message === undefined) continue
      const metadata = joined(message.content.metadata, content?.metadata)
      const next = { ...message.content, ...content, ...(metadata === undefined ? {} : { metadata }) }
      changed.push({ ...message, ...change, content: next })
    }
    return (await this.saveMessages({ messages: changed })).messages
  }

  async deleteMessages(messageIds: string[]): Promise<void> {
    for (const id of messageIds)
      await this.documents.delete(`message:${id}`, callOf('deleteMessages', '', { message: id }))
  }

  async listMessagesById({ messageIds }: { messageIds: string[] }): Promise<{ messages: Message[] }> {
    const found = await Promise.all(messageIds.map((id) => this.documents.find<Message>(`message:${id}`)))
    return { messages: found.flat().map(withDates) }
  }

  async listMessages(query: MessageQuery & { threadId: string | string[]; resourceId?: string }) {
    const threads = [query.threadId].flat()
    if (threads.length === 0 || threads.some((id) => id.trim() === ''))
      throw new Error('threadId must be a non-empty string or array of non-empty strings')
    const found = await Promise.all(threads.map((id) => this.documents.find<Message>(`messages-of:${id}`)))
    return this.listFrom(found.flat(), query)
  }

  async listMessagesByResourceId(query: MessageQuery & { resourceId: string }) {
    return this.listFrom(await this.documents.find<Message>(`messages-by:${query.resourceId}`), query)
  }

  async listFrom(stored: readonly Message[], query: MessageQuery & { resourceId?: string }) {
    const { resourceId, filter, include = [] } = query
    const isOfResource = (message: Message) => resourceId === undefined || message.resourceId === resourceId
    const listed = stored.map(withDates).filter((message) => isOfResource(message) && isListed(message, filter))
    const defaults = { perPageDefault: 40, directionDefault: 'ASC' as const }
    const { items, ...page } = pageOf(listed, defaults, query)
    const more: Message[] = []
    for (const one of include) {
      const [target] = (await this.listMessagesById({ messageIds: [one.id] })).messages
      if (target === undefined || !isOfResource(target)) continue
      const thread = (await this.documents.find<Message>(`messages-of:${target.threadId ?? ''}`)).map(withDates)
      more.push(...withNeighbours(thread.filter(isOfResource), one))
    }
    const known = new Map([...items, ...more].map((message) => [message.id, message]))
    const sorted = pageOf([...known.values()], { ...defaults, perPageDefault: known.size }, { orderBy: query.orderBy })
    // With included messages there is more if one of the listed kind is in neither.
    const shown = listed.filter(({ id }) => known.has(id)).length
    const hasMore = include.length === 0 ? page.hasMore : shown < page.total
    return { messages: more.length === 0 ? items : sorted.items, ...page, hasMore }
  }

  async getResourceById({ resourceId }: { resourceId: string }): Promise<Resource | null> {
    const [resource] = await this.documents.find<Resource>(`resource:${resourceId}`)
    return resource === undefined ? null : withDates(resource)
  }

  async saveResource({ resource }: { resource: Resource }): Promise<Resource> {
    const call = callOf('saveResource', `resource:${resource.id}`, { resource: resource.id })
    const draft = { name: `resource:${resource.id}`, tags: ['resources'], value: resource, by: 'model' } as const
    await this.documents.save(draft, call)
    return resource
  }

  async updateResource(change: { resourceId: string; workingMemory?: string; metadata?: Metadata }): Promise<Resource> {
    const { resourceId: id, workingMemory, metadata } = change
    const now = new Date()
    const known = (await this.getResourceById({ resourceId: id })) ?? { id, createdAt: now, updatedAt: now }
    const text = workingMemory === undefined ? {} : { workingMemory }
    const resource = { ...known, ...text, metadata: { ...known.metadata, ...metadata }, updatedAt: now }
    return this.saveResource({ resource })
  }

  /** Deletes everything of this storage. */
  async dangerouslyClearAll(): Promise<void> {
    for (const tag of ['messages', 'threads', 'resources']) await this.documents.delete(tag, callOf('clear', '', {}))
  }
}

/** The results of tools are parts of the message of the model that called them. */
export function messageSaidBy({ role, content }: { readonly role?: unknown; readonly content: unknown }): SaidBy {
  if (typeof content !== 'object' || content === null) return saidBy({ role, content })
  const { parts, content: text, toolInvocations = [] } = content as Readonly<Record<string, unknown>>
  const calls = Array.isArray(toolInvocations) ? toolInvocations : []
  const asParts = calls.map((toolInvocation) => ({ type: 'tool-invocation', toolInvocation }))
  return saidBy({ role, content: [Array.isArray(content) ? content : (parts ?? []), text, asParts].flat() })
}

function callOf(operation: string, id: string, scope: Readonly<Record<string, unknown>>): SourceCall {
  return { id, scope: { ...scope, operation } }
}

/** JSON has no dates: these members are dates in Mastra. */
function withDates<T extends { readonly createdAt: Date; readonly updatedAt?: Date }>(value: T): T {
  const updated = value.updatedAt === undefined ? {} : { updatedAt: new Date(value.updatedAt) }
  return { ...value, createdAt: new Date(value.createdAt), ...updated }
}

function joined(before: unknown, change: unknown): object | undefined {
  if (before === undefined && change === undefined) return undefined
  return { ...(before as object | undefined), ...(change as object | undefined) }
}
