import type { Client, EntryDraft, MemoryEntry } from '../client/index.ts'
import { createSourceWriter, type SourceCall, type WriterOptions } from '../client/source-writer.ts'
import { sha256 } from '../core/audit/digest.ts'
import { isOwnPart, type SaidBy, saidBy } from '../core/provenance/said-by.ts'
import {
  eventIdOf,
  inDeletableBatches,
  observedAt,
  readEntries,
  storeOnce,
  tagValue,
  toContent,
  toDraft,
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
      const drafts = draftsOf(entry, key)
      const id = eventIdOf(refOf(key), `${key.subpath ?? ''}:${eventOf(entry, first, index, content)}`)
      const call = { ...callOf(key, id), ...observedAt(entry.timestamp) }
      const stored = await storeOnce(writer, refOf(key), drafts, call)
      // It was stored and deleted before, and is appended again: by an import, for example.
      const again = { ...call, id: eventIdOf(id, crypto.randomUUID()) }
      if (stored?.entries.length === 0) await writer.write(refOf(key), { entries: drafts }, again)
    }
  }

  return {
    append,
    async load(key) {
      const entries = await readEntries(client, refOf(key), { tag: tagOf(key) })
      return entries.length === 0 ? null : joinParts(entries)
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

type Message = { readonly role?: unknown; readonly content?: unknown; readonly model?: unknown }

/** Members by which the SDK marks a line that it wrote in the name of its role: notices, summaries, prompts of subagents, failures. */
const injected = [
  'isMeta',
  'isSynthetic',
  'isCompactSummary',
  'isVisibleInTranscriptOnly',
  'isApiErrorMessage',
  'sourceToolUseID',
]
/** Of a line of the role `user`: the prompt of a subagent is the model's. */
const ofSubagents = ['isSidechain', 'parent_tool_use_id']
/** Members of a line that has the result of a tool. */
const answering = ['toolUseResult', 'tool_use_result', 'sourceToolAssistantUUID']

/** Whether the program wrote a line of a transcript, and not the person or the model in whose role it is. */
export function isInjectedLine(entry: object): boolean {
  const { type, message, origin, ...line } = entry as TranscriptEntry
  const { content, model } = (message ?? {}) as Message
  const isMarked = (names: readonly string[]) => names.some((name) => Boolean(line[name]))
  // Another session, a channel or a task can send a message too.
  const { kind = 'human' } = (origin ?? {}) as { readonly kind?: unknown }
  if (isMarked(injected) || kind !== 'human' || model === '<synthetic>') return true
  // The line of a result has parts: what is a text beside the result may be the person's.
  return type === 'user' && (isMarked(ofSubagents) || (isMarked(answering) && !Array.isArray(content)))
}

/** Who said a line. One that is no message is the program's, and so are the prompts of a subagent. */
function lineSaidBy(entry: TranscriptEntry, { subpath }: SessionKey): SaidBy {
  const { type, message } = entry
  if ((type !== 'user' && type !== 'assistant') || typeof message !== 'object' || message === null) return 'other'
  const { role = type, content } = message as Message
  return saidBy({ role, content, isInjected: isInjectedLine(entry) || (type === 'user' && subpath !== undefined) })
}

const ownPartsTag = 'parts:user'

/** The drafts of a line. If a person's words are beside the results of tools, they are an entry of their own. */
function draftsOf(entry: TranscriptEntry, key: SessionKey): EntryDraft[] {
  const { content, ...message } = (entry.message ?? {}) as Message
  const parts: readonly unknown[] = Array.isArray(content) ? content : []
  const own = parts.map((part) => (isOwnPart(part, 'person') ? part : null))
  const others = parts.map((part, at) => (own[at] === null ? part : null))
  const isMixed = [own, others].every((kind) => kind.some((part) => part !== null))
  if (!isMixed || lineSaidBy({ ...entry, message: { ...message, content: own } }, key) !== 'person')
    return [toDraft(toContent(entry), [tagOf(key)], lineSaidBy(entry, key))]
  return [
    toDraft(toContent({ ...entry, message: { ...message, content: others } }), [tagOf(key)], 'other'),
    toDraft(toContent(own), [tagOf(key), ownPartsTag], 'person'),
  ]
}

/** The lines of entries. Parts that were stored apart are put into the line before them. */
function joinParts(entries: readonly MemoryEntry[]): TranscriptEntry[] {
  const lines: TranscriptEntry[] = []
  for (const entry of entries) {
    const item = toStoredItem<TranscriptEntry | readonly unknown[]>(entry)
    const last = lines.at(-1)
    const { content } = (last?.message ?? {}) as Message
    if (!entry.tags.includes(ownPartsTag)) lines.push(item as TranscriptEntry)
    else if (last !== undefined && Array.isArray(item) && Array.isArray(content)) {
      const whole = content.map((part: unknown, at) => part ?? item[at])
      lines[lines.length - 1] = { ...last, message: { ...(last.message as object), content: whole } }
    }
  }
  return lines
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
