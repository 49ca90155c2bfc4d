import type { Client, MemoryEntry } from '../client/index.ts'
import { createSourceWriter, type SourceCall, type WriterOptions } from '../client/source-writer.ts'
import { sha256 } from '../core/audit/digest.ts'
import {
  eventIdOf,
  inDeletableBatches,
  observedAt,
  readEntries,
  storeOnce,
  tagValue,
  toContent,
  toStoredItem,
} from './items.ts'

/** Options of `createSessionStore`. */
export type SessionStoreOptions = WriterOptions & {
  readonly client: Client
  /** The memoryRef of a session is this, its project and its id, separated by slashes; 'claude-agent' by default. */
  readonly ref?: string | undefined
}

/** The transcript of a session, or with `subpath` that of a subagent. */
export type SessionKey = {
  readonly projectKey: string
  readonly sessionId: string
  readonly subpath?: string | undefined
}

/** One line of a transcript. */
export type TranscriptEntry = {
  readonly type: string
  readonly uuid?: string
  readonly timestamp?: string
  readonly [member: string]: unknown
}

/** A `SessionStore` of the Claude Agent SDK. */
export type ColophonSessionStore = {
  append(key: SessionKey, entries: TranscriptEntry[]): Promise<void>
  load(key: SessionKey): Promise<TranscriptEntry[] | null>
  delete(key: SessionKey): Promise<void>
  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>
}

const mainTag = 'transcript:main'
const subTag = 'transcript:sub:'

/**
 * Keeps the transcripts of the Claude Agent SDK. The `uuid` of an entry is the id of its source event, so an entry that is appended
 * again, by a retry, a second process or an import, is stored once.
 *
 * @example
 * const sessionStore = createSessionStore({ client, service: 'code-review' })
 * for await (const message of query({ prompt, options: { sessionStore } })) console.log(message)
 */
export function createSessionStore({
  client,
  ref = 'claude-agent',
  ...options
}: SessionStoreOptions): ColophonSessionStore {
  const writer = createSourceWriter(client, options, 'claude-agent')
  const refOf = ({ projectKey, sessionId }: SessionKey) => `${ref}/${projectKey}/${sessionId}`
  const callOf = ({ projectKey, sessionId, subpath }: SessionKey, id: string): SourceCall => ({
    id,
    scope: { session_id: sessionId, project: projectKey, ...(subpath === undefined ? {} : { subagent: subpath }) },
  })

  async function append(key: SessionKey, entries: TranscriptEntry[]): Promise<void> {
    const first = entries.find(({ uuid }) => uuid !== undefined)?.uuid
    // One after another: their order is the order of the transcript.
    for (const [index, entry] of entries.entries()) {
      const content = toContent(entry)
      const draft = { content, tags: [tagOf(key)] }
      const id = eventIdOf(refOf(key), `${key.subpath ?? ''}:${eventOf(entry, first, index, content)}`)
      const call = { ...callOf(key, id), ...observedAt(entry.timestamp) }
      const stored = await storeOnce(writer, refOf(key), draft, call)
      // It was stored and deleted before, and is appended again: by an import, for example.
      const again = { ...call, id: eventIdOf(id, crypto.randomUUID()) }
      if (stored?.entries.length === 0) await writer.write(refOf(key), { entries: [draft] }, again)
    }
  }

  return {
    append,
    async load(key) {
      const entries = await readEntries(client, refOf(key), { tag: tagOf(key) })
      return entries.length === 0 ? null : entries.map((entry) => toStoredItem<TranscriptEntry>(entry))
    },
    /** Deletes a transcript, and with the main one those of its subagents. */
    async delete(key) {
      const entries = await readEntries(client, refOf(key), key.subpath === undefined ? {} : { tag: tagOf(key) })
      for (const deletes of inDeletableBatches(entries))
        await writer.write(refOf(key), { entries: [], deletes }, callOf(key, crypto.randomUUID()))
    },
    async listSessions(projectKey) {
      const prefix = `${ref}/${projectKey}/`
      const sessions: { sessionId: string; mtime: number }[] = []
      for await (const { memoryRef, lastWriteAt } of client.memory.eachRef())
        if (memoryRef.startsWith(prefix) && !memoryRef.slice(prefix.length).includes('/'))
          sessions.push({ sessionId: memoryRef.slice(prefix.length), mtime: Date.parse(lastWriteAt) })
      return sessions
    },
    async listSubkeys(key) {
      const entries = await readEntries(client, refOf(key))
      return [...new Set(entries.flatMap((entry: MemoryEntry) => tagValue(entry, subTag) ?? []))]
    },
  }
}

function tagOf({ subpath }: SessionKey): string {
  return subpath === undefined ? mainTag : subTag + subpath
}

/**
 * The id of an entry in its session. One without a `uuid` is known by its place in the batch, after an entry that has one. A batch
 * without any has nothing to be known by.
 */
function eventOf({ uuid }: TranscriptEntry, first: string | undefined, index: number, content: string): string {
  if (uuid !== undefined) return uuid
  return first === undefined ? crypto.randomUUID() : `${first}:${index}:${sha256(content).slice(0, 16)}`
}
