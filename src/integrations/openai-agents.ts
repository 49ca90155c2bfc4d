import { type Client, isClientError, type MemoryEntry } from '../client/index.ts'
import { createSourceWriter, type SourceCall, type SourceWriter, type WriterOptions } from '../client/source-writer.ts'
import { sha256 } from '../core/audit/digest.ts'
import { canonicalJson } from '../core/canonical.ts'
import { type SaidBy, saidBy } from '../core/provenance/said-by.ts'
import { eventIdOf, inDeletableBatches, readEntries, toContent, toDraft, toStoredItem } from './items.ts'

/** Options of `ColophonSession`. */
export type SessionOptions = WriterOptions & {
  readonly client: Client
  /** The conversation. By default a new one. */
  readonly sessionId?: string | undefined
  /** The memoryRef of the session is this, a slash, and its id; 'openai-agents' by default. */
  readonly ref?: string | undefined
}

/** A change of the history that is stored once, however often it is sent. */
export type HistoryTransaction<Item> = {
  readonly operationId: string
  readonly transaction:
    | { readonly type: 'append_items'; readonly items: Item[] }
    | { readonly type: 'replace_suffix'; readonly expectedSuffix: Item[]; readonly replacement: Item[] }
}

/** How often a pop is decided again because another client was faster. */
const attemptsMax = 50

/**
 * The history of a conversation for `@openai/agents`, as a `Session`. Each item is an entry. A change with an operation id is stored
 * once, also after a crash of the client or of the server.
 *
 * @example
 * const session = new ColophonSession({ client, sessionId: 'ticket-17', service: 'support-bot' })
 * await run(agent, 'Where is my order?', { session })
 */
// biome-ignore lint/suspicious/noExplicitAny: the items are those of the framework, which is an optional peer.
export class ColophonSession<Item extends object = any> {
  readonly #client: Client
  readonly #writer: SourceWriter
  readonly #id: string
  readonly #ref: string

  constructor({ client, sessionId = crypto.randomUUID(), ref = 'openai-agents', ...options }: SessionOptions) {
    this.#client = client
    this.#writer = createSourceWriter(client, options, 'openai-agents')
    this.#id = sessionId
    this.#ref = `${ref}/${sessionId}`
  }

  async getSessionId(): Promise<string> {
    return this.#id
  }

  /** The items, oldest first; with a limit, the newest of them. */
  async getItems(limit?: number): Promise<Item[]> {
    const entries = await readEntries(this.#client, this.#ref, limit === undefined ? {} : { limit })
    return entries.map((entry) => toStoredItem<Item>(entry))
  }

  async addItems(items: Item[]): Promise<void> {
    if (items.length > 0) await this.#writer.write(this.#ref, { entries: draftsOf(items, []) }, this.#call('add'))
  }

  /** Removes and returns the newest item. Two clients never get the same one. */
  async popItem(): Promise<Item | undefined> {
    for (let attempt = 1; ; attempt++) {
      const [newest] = await readEntries(this.#client, this.#ref, { limit: 1 })
      if (newest === undefined) return undefined
      try {
        await this.#writer.write(this.#ref, { entries: [], deletes: [newest.id] }, this.#call('pop'))
        return toStoredItem<Item>(newest)
      } catch (error) {
        if (!isClientError(error, 'version_conflict') || attempt === attemptsMax) throw error
      }
    }
  }

  /** Removes all items. They stay readable at earlier positions, and the operation ids stay used. */
  async clearSession(): Promise<void> {
    for (const deletes of inDeletableBatches(await readEntries(this.#client, this.#ref)))
      await this.#writer.write(this.#ref, { entries: [], deletes }, this.#call('clear'))
  }

  /**
   * Appends items, or replaces the newest ones, in one commit. The operation id is the id of the source event: a repeat stores
   * nothing, and the same id with another transaction is refused, as is a suffix that is no longer there.
   */
  async applyHistoryTransaction({ operationId, transaction }: HistoryTransaction<Item>): Promise<void> {
    if (typeof operationId !== 'string' || operationId.trim() === '')
      throw new Error('The operationId of a transaction must be a text that is not empty.')
    // Part of what is stored, so that another transaction under the same id is another payload.
    const tags = [`transaction:${sha256(canonicalJson(transaction)).slice(0, 32)}`]
    const call = this.#call(transaction.type, eventIdOf(this.#ref, operationId))
    if (transaction.type === 'append_items') {
      if (transaction.items.length > 0)
        await this.#writer.write(this.#ref, { entries: draftsOf(transaction.items, tags) }, call)
      return
    }
    const { expectedSuffix, replacement } = transaction
    const suffix = await readEntries(this.#client, this.#ref, { limit: expectedSuffix.length })
    const isThere = isSame(suffix, expectedSuffix)
    if (isThere && expectedSuffix.length + replacement.length === 0) return
    // If the suffix is not there, only the retry of an operation that replaced it is answered; anything else is refused.
    const newest = isThere ? suffix.map(({ id }) => id).reverse() : ['mem_replaced']
    const entries = draftsOf(replacement, tags)
    await this.#writer.write(this.#ref, { entries, deletes: isThere ? newest : [], newest }, call).catch(refuse)
  }

  #call(operation: string, id: string = crypto.randomUUID()): SourceCall {
    return { id, scope: { session_id: this.#id, operation } }
  }
}

/** What a model asks a tool to do. Results, also those of hosted tools and of computers, are items of other types. */
const calls = /^(?:reasoning|(?:function|computer|shell|apply_patch|tool_search)_call)$/

function draftsOf(items: readonly object[], tags: readonly string[]) {
  return items.map((item) => toDraft(toContent(item), tags, authorOf(item)))
}

function authorOf(item: { readonly type?: unknown; readonly role?: unknown; readonly content?: unknown }): SaidBy {
  const { type = 'message' } = item
  if (type === 'message') return saidBy(item)
  return typeof type === 'string' && calls.test(type) ? 'model' : 'other'
}

function isSame(suffix: readonly MemoryEntry[], expected: readonly object[]): boolean {
  if (suffix.length !== expected.length) return false
  return suffix.every((entry, at) => canonicalJson(toStoredItem(entry)) === canonicalJson(expected[at]))
}

function refuse(error: unknown): never {
  if (!isClientError(error, 'version_conflict')) throw error
  throw new Error('The newest items of the session are not those that the transaction replaces.', { cause: error })
}
