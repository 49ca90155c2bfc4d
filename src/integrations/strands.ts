import { createSourceWriter, type SourceCall, type WriterOptions } from '../client/source-writer.ts'
import { sha256 } from '../core/audit/digest.ts'
import { byRole } from '../core/provenance/said-by.ts'
import { visibleText } from '../core/visible-text.ts'
import { eventIdOf, storeOnce, toDraft } from './items.ts'
import { partDrafts, searchTexts, type TextMemoryOptions, textOf } from './texts.ts'

/** Options of `createMemoryStore`. `Extraction` is what the framework takes as `extraction`. */
export type MemoryStoreOptions<Extraction> = WriterOptions &
  TextMemoryOptions & {
    /** The conversation, for the source events. By default a new one. */
    readonly sessionId?: string | undefined
    /**
     * The run of the agent, whose messages the framework numbers from 0: no other run may have this id. By default a new one, so each
     * agent has a store of its own.
     */
    readonly runId?: string | undefined
    /** The memoryRef is this, a slash, and the subject; 'strands' by default. */
    readonly ref?: string | undefined
    /** The name of the store for the tools of the agent; 'colophon' by default. */
    readonly name?: string | undefined
    readonly description?: string | undefined
    /** The maximum number of memories for a query; 10 by default. */
    readonly maxSearchResults?: number | undefined
    /** False: the agent can only search. */
    readonly writable?: boolean | undefined
    /** When messages are stored without a call of a tool; by default never. */
    readonly extraction?: Extraction | undefined
  }

type Metadata = Record<string, string | number>

/** A `MemoryStore` of Strands Agents. */
export type ColophonMemoryStore<Extraction> = {
  readonly name: string
  readonly description?: string
  readonly maxSearchResults: number
  readonly writable: boolean
  readonly extraction?: Extraction
  /** The memories that match a query, best first. */
  search(query: string, options?: { maxSearchResults?: number }): Promise<{ content: string; metadata: Metadata }[]>
  /** Stores a text. One that is stored already is not stored again. */
  add(content: string, metadata?: Readonly<Record<string, unknown>>): Promise<void>
  /** Stores the texts of messages, each once. A retry has the same numbers. */
  addMessages(
    messages: readonly { readonly role: string; readonly content: readonly object[] }[],
    context?: { readonly sequenceNumbers?: readonly number[] },
  ): Promise<void>
}

/**
 * A memory store for the `MemoryManager` of Strands Agents. The framework sends a write again after a failure: each is stored once.
 *
 * @example
 * const memoryManager = new MemoryManager({ stores: [createMemoryStore({ client, subject: 'ada' })], addToolConfig: true })
 */
export function createMemoryStore<Extraction = boolean>({
  client,
  subject,
  sessionId = crypto.randomUUID(),
  runId = crypto.randomUUID(),
  ref = 'strands',
  name = 'colophon',
  description,
  maxSearchResults = 10,
  writable = true,
  extraction,
  ...options
}: MemoryStoreOptions<Extraction>): ColophonMemoryStore<Extraction> {
  const writer = createSourceWriter(client, options, 'strands')
  const memoryRef = `${ref}/${subject}`
  const callOf = (id: string, scope: Readonly<Record<string, unknown>>): SourceCall => ({
    id: eventIdOf(memoryRef, id),
    scope: { session_id: sessionId, ...scope },
  })
  return {
    name,
    ...(description === undefined ? {} : { description }),
    maxSearchResults,
    writable,
    ...(extraction === undefined ? {} : { extraction }),
    async search(query, { maxSearchResults: limit = maxSearchResults } = {}) {
      const found = await searchTexts(client, memoryRef, query, limit)
      return found.map(({ entry, score }) => ({
        content: visibleText(entry.content),
        metadata: { id: entry.id, createdAt: entry.createdAt, score },
      }))
    },
    async add(content, metadata) {
      // What the agent adds with its tool, the model says.
      const draft = { ...toDraft(content.trim(), [], 'model'), subject }
      const scope = { operation: 'add', ...(metadata === undefined ? {} : { metadata }) }
      const id = `add:${sha256(draft.content)}`
      const stored = await storeOnce(writer, memoryRef, draft, callOf(id, scope))
      // It was stored and deleted before, and is true again.
      if (stored?.entries.length === 0)
        await storeOnce(writer, memoryRef, draft, callOf(`${id}:${crypto.randomUUID()}`, scope))
    },
    async addMessages(messages, { sequenceNumbers = [] } = {}) {
      // One after another: their order is the order of the conversation.
      for (const [index, { role, content }] of messages.entries()) {
        const text = textOf(content)
        if (text === '') continue
        const number = sequenceNumbers[index]
        // The text is part of the id, so that two agents with one store do not take each other's messages for retries.
        const id = number === undefined ? crypto.randomUUID() : `${runId}:${number}:${sha256(text).slice(0, 16)}`
        const call = callOf(id, { operation: 'addMessages', ...(number === undefined ? {} : { message: number }) })
        await storeOnce(writer, memoryRef, partDrafts({ role, by: byRole(role), text }, { subject }), call)
      }
    },
  }
}
