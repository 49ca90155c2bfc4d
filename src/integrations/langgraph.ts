import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint'
import { type Client, isClientError, type MemoryEntry } from '../client/index.ts'
import { createSourceWriter, type SourceWriter, type WriterOptions } from '../client/source-writer.ts'
import { idOf, type StoredItem, toDraft, toItem, underTag } from './langgraph-entry.ts'
import { isMatch, namespacesOf } from './langgraph-match.ts'

export { type CheckpointerOptions, ColophonCheckpointer } from './langgraph-checkpoint.ts'

/** Options of `ColophonStore`. */
export type StoreOptions = WriterOptions & {
  readonly client: Client
  /** The memoryRef of the store; 'langgraph' by default. Several stores can share a tenant. */
  readonly ref?: string
  /** Only items that this reader may see are read. */
  readonly reader?: string
  /** Who inside the tenant may read what is put; by default everyone. */
  readonly readers?: readonly string[]
}

const pageSize = 200
/** The maximum number of search results that are read. */
const foundMax = 100
/** How often a put is decided again because another one was faster. */
const attemptsMax = 50
/** Items that a source event names. */
const namedMax = 20

/**
 * LangGraph's long-term store on Colophon. A put is a new entry that replaces the one before it. All puts of a batch are one
 * commit with one source event, whatever their namespaces, and readers see all of them or none. Replaced entries stay readable
 * at earlier positions. Namespaces and keys are identifiers: one that contains a secret is refused with `secret_leakage`.
 *
 * @example
 * const graph = builder.compile({ store: new ColophonStore({ client }) })
 */
export class ColophonStore extends BaseStore {
  readonly #client: Client
  readonly #ref: string
  readonly #call: { readonly reader: string | undefined }
  readonly #restricted: { readonly readers?: string[] }
  readonly #writer: SourceWriter

  constructor({ client, ref = 'langgraph', reader, readers, ...options }: StoreOptions) {
    super()
    this.#writer = createSourceWriter(client, options, 'langgraph')
    this.#client = client
    this.#ref = ref
    this.#call = { reader }
    this.#restricted = readers === undefined ? {} : { readers: [...readers] }
  }

  /** Reads see the state before the batch. The last put of a key wins. All puts are stored, or none. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results = await Promise.all(operations.map((operation) => this.#read(operation)))
    const puts = new Map(operations.filter(isPut).map((put) => [idOf(put.namespace, put.key), put]))
    if (puts.size > 0) await this.#store([...puts.values()])
    return results as OperationResults<Op>
  }

  async #read(operation: Operation): Promise<unknown> {
    if (isPut(operation)) return undefined
    if ('namespacePrefix' in operation) return this.#find(operation)
    return 'key' in operation ? this.#newest(operation) : this.#namespaces(operation)
  }

  async #newest({ namespace, key }: GetOperation): Promise<Item | null> {
    const query = { tag: idOf(namespace, key), limit: 1, trustMin: 'untrusted' } as const
    const { entries } = await this.#client.memory.list(this.#ref, query, this.#call)
    const [stored] = entries.map(toItem)
    return stored && stored.value !== null ? publicOf(stored) : null
  }

  async #find({ namespacePrefix, filter = {}, limit = 10, offset = 0, query }: SearchOperation): Promise<SearchItem[]> {
    const items: SearchItem[] = []
    const current = query === undefined ? this.#current(namespacePrefix) : this.#ranked(namespacePrefix, query)
    for await (const item of current) {
      if (!isMatch(item.value, filter)) continue
      items.push(item)
      if (items.length === offset + limit) break
    }
    return items.slice(offset)
  }

  /** The items that match a query, best first. */
  async *#ranked(prefix: readonly string[], query: string): AsyncGenerator<SearchItem> {
    const more = { ...tagOf(prefix), limit: foundMax }
    const { results, position } = await this.#client.memory.search(this.#ref, query, more, this.#call)
    for (const { entry, score } of results) {
      const stored = toItem(entry)
      if (stored.value === null) continue
      // A replaced entry is found until it is deleted.
      const tag = idOf(stored.namespace, stored.key)
      const newest = { tag, limit: 1, asOf: String(position) }
      const { entries } = await this.#client.memory.list(this.#ref, newest, this.#call)
      if (entries[0]?.id === entry.id) yield { ...publicOf(stored), score }
    }
  }

  async #namespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const found: string[][] = []
    for await (const { namespace } of this.#current([])) found.push(namespace)
    return namespacesOf(found, operation)
  }

  /** Every item under a namespace, newest first, all at one position. */
  async *#current(prefix: readonly string[]): AsyncGenerator<Item> {
    const seen = new Set<string>()
    const query = { ...tagOf(prefix), limit: pageSize }
    for await (const entry of this.#client.memory.each(this.#ref, query, this.#call)) {
      const stored = toItem(entry)
      const id = idOf(stored.namespace, stored.key)
      if (seen.has(id)) continue
      seen.add(id)
      if (stored.value !== null) yield publicOf(stored)
    }
  }

  /** Stores the puts in place of the entries that are there. If another put was faster, its entries are replaced instead. */
  async #store(puts: readonly PutOperation[]): Promise<void> {
    const call = { id: crypto.randomUUID(), scope: scopeOf(puts) }
    for (let attempt = 1; ; attempt++) {
      const known = await Promise.all(puts.map((put) => this.#entriesOf(put)))
      const entries = puts.flatMap((put, index) => {
        const [newest] = (known[index] ?? []).map(toItem)
        const createdAt = newest && newest.value !== null ? newest.createdAt : new Date()
        return put.value === null ? [] : [{ ...toDraft(put, createdAt), ...this.#restricted }]
      })
      const deletes = known.flat().map(({ id }) => id)
      if (entries.length + deletes.length === 0) return
      try {
        await this.#writer.write(this.#ref, { entries, ...(deletes.length === 0 ? {} : { deletes }) }, call)
        return
      } catch (error) {
        if (!isClientError(error, 'version_conflict') || attempt === attemptsMax) throw error
      }
    }
  }

  async #entriesOf({ namespace, key }: PutOperation): Promise<readonly MemoryEntry[]> {
    const query = { tag: idOf(namespace, key), limit: pageSize, trustMin: 'untrusted' } as const
    return (await this.#client.memory.list(this.#ref, query, this.#call)).entries
  }
}

/** Which namespaces a batch writes to, and by which keys. */
function scopeOf(puts: readonly PutOperation[]): Record<string, unknown> {
  const shown = puts.slice(0, namedMax).map(({ namespace, key }) => ({ namespace, key }))
  return { items: shown, ...(puts.length > shown.length ? { more: puts.length - shown.length } : {}) }
}

function tagOf(prefix: readonly string[]): { tag?: string } {
  return prefix.length === 0 ? {} : { tag: underTag(prefix) }
}

function isPut(operation: Operation): operation is PutOperation {
  return 'value' in operation
}

function publicOf({ namespace, key, value, createdAt, updatedAt }: StoredItem): Item {
  return { namespace: [...namespace], key, value: value ?? {}, createdAt, updatedAt }
}
