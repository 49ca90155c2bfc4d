import type { Client } from '../client/index.ts'
import { createSourceWriter, type WriterOptions } from '../client/source-writer.ts'
import { byRole, rolePrefix } from '../core/provenance/said-by.ts'
import { visibleText } from '../core/visible-text.ts'
import { eventIdOf, observedAt, storeOnce, tagValue } from './items.ts'
import { partDrafts, searchTexts, textOf } from './texts.ts'

/** Options of `createMemoryService`. */
export type MemoryServiceOptions = WriterOptions & {
  readonly client: Client
  /** The memoryRef of a person is this, the name of the app and the id of the user, separated by slashes; 'adk' by default. */
  readonly ref?: string | undefined
  /** The maximum number of memories for a query; 10 by default. */
  readonly limit?: number | undefined
}

/** A session of the Agent Development Kit, as far as the service reads it. */
export type MemorySession = {
  readonly id: string
  readonly appName: string
  readonly userId: string
  readonly events: readonly SessionEvent[]
}

/** An event of a session. */
export type SessionEvent = {
  readonly id: string
  readonly invocationId?: string | undefined
  readonly author?: string | undefined
  /** Milliseconds since 1970. */
  readonly timestamp?: number | undefined
  /** A piece of a streamed answer: the whole answer comes as an event of its own. */
  readonly partial?: boolean | undefined
  readonly content?: { readonly role?: string | undefined; readonly parts?: readonly object[] | undefined } | undefined
}

/** A memory that a search found. */
export type FoundMemory = {
  content: { role: string; parts: { text: string }[] }
  author?: string
  timestamp: string
}

/** A `BaseMemoryService` of the Agent Development Kit. */
export type ColophonMemoryService = {
  /** Stores the texts of a session's events, each once, however often the session is added. */
  addSessionToMemory(session: MemorySession): Promise<void>
  /** The memories of a user that match a query, best first. */
  searchMemory(request: { appName: string; userId: string; query: string }): Promise<{ memories: FoundMemory[] }>
}

/**
 * The memory service of Google's Agent Development Kit on Colophon. The id of an event is the id of its source event, so a session that
 * has grown, or is added again, adds only what is new.
 *
 * @example
 * const runner = new Runner({ appName, agent, sessionService, memoryService: createMemoryService({ client }) })
 */
export function createMemoryService({
  client,
  ref = 'adk',
  limit = 10,
  ...options
}: MemoryServiceOptions): ColophonMemoryService {
  const writer = createSourceWriter(client, options, 'adk')
  const refOf = (appName: string, userId: string) => `${ref}/${asSegment(appName)}/${asSegment(userId)}`
  return {
    async addSessionToMemory({ id: sessionId, appName, userId, events }) {
      const memoryRef = refOf(appName, userId)
      // One after another: their order is the order of the session.
      for (const { id, invocationId, author, timestamp, partial, content } of events) {
        const text = textOf(content?.parts?.filter((part) => !isThought(part)))
        if (partial === true || text === '') continue
        const run = invocationId === undefined ? {} : { run_id: invocationId }
        const observed = observedAt(timestamp)
        const role = content?.role ?? 'user'
        const tags = [
          ...(author === undefined ? [] : [`author:${author}`]),
          ...(observed.observedAt === undefined ? [] : [`at:${observed.observedAt}`]),
        ]
        const scope = { session_id: sessionId, app: appName, event: id, ...run }
        const call = { id: eventIdOf(memoryRef, `${sessionId}:${id}`), scope, ...observed }
        await storeOnce(
          writer,
          memoryRef,
          partDrafts({ role, by: byRole(role), text }, { subject: userId, tags }),
          call,
        )
      }
    },
    async searchMemory({ appName, userId, query }) {
      const found = await searchTexts(client, refOf(appName, userId), query, limit)
      const memories = found.map(({ entry }) => {
        const author = tagValue(entry, 'author:')
        const content = { role: tagValue(entry, rolePrefix) ?? 'user', parts: [{ text: visibleText(entry.content) }] }
        const timestamp = tagValue(entry, 'at:') ?? entry.createdAt
        return { content, ...(author === undefined ? {} : { author }), timestamp }
      })
      return { memories }
    },
  }
}

/** A name as one part of a ref: `a/b` and `c` must not be the ref of `a` and `b/c`. */
function asSegment(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F')
}

/** What a model thinks is not what it said. */
function isThought(part: { readonly thought?: boolean }): boolean {
  return part.thought === true
}
