import { type Client, type EntryDraft, isClientError, type MemoryEntry } from '../client/index.ts'
import type { SourceCall, SourceWriter } from '../client/source-writer.ts'
import type { SaidBy } from '../core/provenance/said-by.ts'
import { eventIdOf, inDeletableBatches, readEntries, toContent, toDraft, toStoredItem } from './items.ts'

const attemptsMax = 50

/** A JSON document under a name, as one entry: its name is a tag, and a change is its next version. */
export type DocumentDraft = {
  readonly name: string
  readonly tags: readonly string[]
  readonly value: unknown
  readonly by: SaidBy
}

/** Documents of an integration in one ref. */
export type Documents = {
  /** The documents with a tag, in the order in which they were first stored. */
  find<Value>(tag: string): Promise<Value[]>
  /** Stores a document. A name that is stored with the same value already, or by a retry of the same call, is not stored again. */
  save(draft: DocumentDraft, call: SourceCall): Promise<void>
  /** Deletes all documents with a tag. */
  delete(tag: string, call: SourceCall): Promise<void>
}

export function createDocuments(client: Client, writer: SourceWriter, ref: string): Documents {
  async function store(draft: DocumentDraft, call: SourceCall): Promise<void> {
    const { name, value, tags, by } = draft
    const text = toDraft(toContent(value), [name, ...tags], by)
    let isDeleted = false
    for (let attempt = 1; ; attempt++) {
      const { entries, position } = await client.memory.list(ref, { tag: name, limit: 1, trustMin: 'untrusted' })
      const [known] = entries
      if (known !== undefined && isSame(known, text)) return
      const change =
        known === undefined
          ? { entries: [text] }
          : { entries: [], revisions: [{ id: known.id, ...text }], asOf: position }
      // Two clients that store a new name at once have the same event: the second is refused or answered as a retry.
      const id = eventIdOf(ref, known === undefined && !isDeleted ? call.id : `${call.id}:${crypto.randomUUID()}`)
      try {
        const { entries: stored } = await writer.write(ref, change, { ...call, id })
        // The event is a repeat, and what it stored was deleted since: the name is saved anew.
        isDeleted = stored.length === 0
        if (!isDeleted) return
      } catch (error) {
        const isRaced =
          isClientError(error, 'version_conflict') || isClientError(error, 'source_event_payload_mismatch')
        if (!isRaced || attempt === attemptsMax) throw error
        // The name was stored with another value before, and deleted since.
        isDeleted = isClientError(error, 'source_event_payload_mismatch')
      }
    }
  }

  return {
    find: async <Value>(tag: string) =>
      (await readEntries(client, ref, { tag })).map((entry) => toStoredItem<Value>(entry)),
    save: store,
    async delete(tag, call) {
      for (const deletes of inDeletableBatches(await readEntries(client, ref, { tag })))
        await writer.write(ref, { entries: [], deletes }, { ...call, id: crypto.randomUUID() })
    },
  }
}

function isSame(known: MemoryEntry, { content, tags = [] }: EntryDraft) {
  return known.content === content && tags.every((tag) => known.tags.includes(tag))
}
