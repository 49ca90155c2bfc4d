import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  copyCheckpoint,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint'
import { type Client, type EntryDraft, isClientError, type MemoryEntry } from '../client/index.ts'
import { createSourceWriter, type SourceCall, type SourceWriter, type WriterOptions } from '../client/source-writer.ts'
import { eventIdOf, inDeletableBatches, readEntries, toDraft, toStoredItem } from './items.ts'
import { valueSaidBy } from './langgraph-entry.ts'

type Config = Parameters<BaseCheckpointSaver['getTuple']>[0]

/** Options of `ColophonCheckpointer`. */
export type CheckpointerOptions = WriterOptions & {
  readonly client: Client
  /** The memoryRef of a thread is this, a slash, and its id; 'langgraph-threads' by default. */
  readonly ref?: string | undefined
  readonly serde?: SerializerProtocol | undefined
}

/** Where a checkpoint is: its thread, its namespace in the thread, and its id. */
type Place = { readonly thread: string; readonly ns: string; readonly id: string }

/** A checkpoint, the value of a channel or a pending write, as an entry holds it. Values are serialised by the serde of the graph. */
type StoredCheckpoint = Place & {
  readonly parent: string | null
  readonly checkpoint: Serialised
  readonly metadata: Serialised
}
type StoredWrite = Place & {
  readonly task: string
  readonly index: number
  readonly channel: string
  readonly value: Serialised
}
type Serialised = readonly [type: string, text: string]

type StoredValue = { readonly channel: string; readonly value: Serialised }

const checkpointTag = 'checkpoint'
/** Ids of checkpoints are ordered by time. Those of two processes can be stored in another order, within this many. */
const newestMax = 50

/**
 * LangGraph's checkpointer on Colophon: the state of each thread after each step, and the writes that are pending. A step that is
 * stored again, by a retry or a second process, is stored once. The value of a channel is stored when its version is new.
 *
 * @example
 * const graph = builder.compile({ checkpointer: new ColophonCheckpointer({ client, service: 'planner' }) })
 */
export class ColophonCheckpointer extends BaseCheckpointSaver {
  readonly #client: Client
  readonly #ref: string
  readonly #writer: SourceWriter

  constructor({ client, ref = 'langgraph-threads', serde, ...options }: CheckpointerOptions) {
    super(serde)
    this.#client = client
    this.#ref = ref
    this.#writer = createSourceWriter(client, options, 'langgraph')
  }

  override async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
    const { thread_id: thread, checkpoint_ns: ns = '' } = config.configurable ?? {}
    if (thread === undefined) return undefined
    const id = getCheckpointId(config)
    const found = await this.#checkpoints(thread, id ? idTag({ thread, ns, id }) : nsTag(ns), newestMax)
    const [newest] = found.filter((stored) => stored.ns === ns)
    return newest && this.#toTuple(newest)
  }

  override async *list(config: Config, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } = config.configurable ?? {}
    const before = options.before?.configurable?.checkpoint_id
    let left = options.limit ?? Number.POSITIVE_INFINITY
    const threads = thread === undefined ? await this.#threads() : [thread]
    for (const name of threads) {
      const stored = await this.#checkpoints(name, ns === undefined ? checkpointTag : nsTag(ns))
      for (const checkpoint of stored) {
        if (id !== undefined && checkpoint.id !== id) continue
        if (before !== undefined && checkpoint.id >= before) continue
        const metadata = (await this.#load(checkpoint.metadata)) as Record<string, unknown>
        if (!Object.entries(options.filter ?? {}).every(([key, value]) => metadata[key] === value)) continue
        if (left-- <= 0) return
        yield await this.#toTuple(checkpoint)
      }
    }
  }

  override async put(
    config: Config,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<Config> {
    const place = { ...placeOf(config), id: checkpoint.id }
    const stored: StoredCheckpoint = {
      ...place,
      parent: config.configurable?.checkpoint_id ?? null,
      checkpoint: await this.#dump({ ...copyCheckpoint(checkpoint), channel_values: {} }),
      metadata: await this.#dump(metadata),
    }
    const draft = draftOf(stored, [checkpointTag, nsTag(place.ns), idTag(place)], stored.checkpoint, stored.metadata)
    const values = await Promise.all(
      Object.entries(newVersions).map(async ([channel, version]) => {
        const stored: StoredValue = { channel, value: await this.#dump(checkpoint.channel_values[channel]) }
        return draftOf(stored, [channelTag(place.ns, channel, version)], stored.value)
      }),
    )
    await this.#replace(place, [...values, draft], idTag(place), `checkpoint:${place.ns}:${place.id}`)
    return { configurable: { thread_id: place.thread, checkpoint_ns: place.ns, checkpoint_id: place.id } }
  }

  override async putWrites(config: Config, writes: PendingWrite[], taskId: string): Promise<void> {
    const place = placeOf(config)
    if (place.id === undefined)
      throw new Error('The config of pending writes must have a checkpoint_id in its "configurable" property.')
    for (const [at, [channel, value]] of writes.entries()) {
      const index = WRITES_IDX_MAP[channel] ?? at
      const stored: StoredWrite = {
        ...place,
        id: place.id,
        task: taskId,
        index,
        channel,
        value: await this.#dump(value),
      }
      const tag = `write:${JSON.stringify([place.ns, place.id, taskId, index])}`
      const draft = draftOf(stored, [tag, writesTag({ ...place, id: place.id })], stored.value)
      // A write stays as it was first stored; a special one, such as an error, replaces the one before it.
      if (index >= 0) await this.#storeFirst(place, draft, tag)
      else await this.#replace(place, [draft], tag, `${tag}:${crypto.randomUUID()}`)
    }
  }

  override async deleteThread(threadId: string): Promise<void> {
    const ref = this.#refOf(threadId)
    for (const deletes of inDeletableBatches(await readEntries(this.#client, ref)))
      await this.#writer.write(ref, { entries: [], deletes }, callOf({ thread: threadId, ns: '' }, crypto.randomUUID()))
  }

  #refOf(thread: string): string {
    return `${this.#ref}/${thread}`
  }

  async #threads(): Promise<string[]> {
    const names: string[] = []
    const prefix = `${this.#ref}/`
    for await (const { memoryRef } of this.#client.memory.eachRef())
      if (memoryRef.startsWith(prefix)) names.push(memoryRef.slice(prefix.length))
    return names
  }

  /** The checkpoints with a tag, newest first: their ids are ordered by time. */
  async #checkpoints(thread: string, tag: string, limit?: number): Promise<StoredCheckpoint[]> {
    const query = limit === undefined ? { tag } : { tag, limit }
    const entries = await readEntries(this.#client, this.#refOf(thread), query)
    const stored = entries.map((entry) => toStoredItem<StoredCheckpoint>(entry))
    return stored.filter(({ checkpoint }) => checkpoint !== undefined).sort((a, b) => (a.id < b.id ? 1 : -1))
  }

  async #writesOf(place: Place): Promise<StoredWrite[]> {
    const entries = await readEntries(this.#client, this.#refOf(place.thread), { tag: writesTag(place) })
    return entries.map((entry: MemoryEntry) => toStoredItem<StoredWrite>(entry))
  }

  async #toTuple(stored: StoredCheckpoint): Promise<CheckpointTuple> {
    const { thread, ns, id, parent } = stored
    const checkpoint = (await this.#load(stored.checkpoint)) as Checkpoint
    checkpoint.channel_values = await this.#valuesOf(stored, checkpoint.channel_versions)
    if (checkpoint.v < 4 && parent !== null) await this.#addPendingSends(checkpoint, { thread, ns, id: parent })
    const writes = await this.#writesOf(stored)
    const pendingWrites = await Promise.all(
      writes.map(
        async ({ task, channel, value }) => [task, channel, await this.#load(value)] as [string, string, unknown],
      ),
    )
    const parentConfig = { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: parent } }
    return {
      config: { configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } },
      checkpoint,
      metadata: (await this.#load(stored.metadata)) as CheckpointMetadata,
      pendingWrites,
      ...(parent === null ? {} : { parentConfig }),
    }
  }

  /** The values of the channels of a checkpoint. A version has one value: the first that was stored. */
  async #valuesOf({ thread, ns }: Place, versions: ChannelVersions): Promise<Record<string, unknown>> {
    const found = await Promise.all(
      Object.entries(versions).map(async ([channel, version]) => {
        const [first] = await readEntries(this.#client, this.#refOf(thread), { tag: channelTag(ns, channel, version) })
        return first && ([channel, await this.#load(toStoredItem<StoredValue>(first).value)] as const)
      }),
    )
    return Object.fromEntries(found.filter((value) => value !== undefined).filter(([, value]) => value !== undefined))
  }

  /** Checkpoints before format 4 have the sends of their parent as pending writes, and not as a channel. */
  async #addPendingSends(checkpoint: Checkpoint, parent: Place): Promise<void> {
    const sends = (await this.#writesOf(parent)).filter(({ channel }) => channel === TASKS)
    checkpoint.channel_values[TASKS] = await Promise.all(sends.map(({ value }) => this.#load(value)))
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
  }

  /** Stores entries in place of those with a tag. The event id makes a retry of the same step harmless. */
  async #replace(place: ThreadPlace, entries: EntryDraft[], tag: string, event: string): Promise<void> {
    const ref = this.#refOf(place.thread)
    const write = async (id: string) => {
      const known = await readEntries(this.#client, ref, { tag })
      const deletes = known.map((entry) => entry.id)
      const gone = deletes.length === 0 ? {} : { deletes }
      await this.#writer.write(ref, { entries, ...gone }, callOf(place, eventIdOf(ref, id)))
    }
    try {
      await write(event)
    } catch (error) {
      // The same checkpoint with another content is a new state of it.
      if (!isClientError(error, 'source_event_payload_mismatch')) throw error
      await write(`${event}:${crypto.randomUUID()}`)
    }
  }

  async #storeFirst(place: ThreadPlace, draft: EntryDraft, tag: string): Promise<void> {
    const ref = this.#refOf(place.thread)
    const call = callOf(place, eventIdOf(ref, tag))
    await this.#writer.write(ref, { entries: [draft] }, call).catch((error: unknown) => {
      if (!isClientError(error, 'source_event_payload_mismatch')) throw error
    })
  }

  async #dump(value: unknown): Promise<Serialised> {
    const [type, bytes] = await this.serde.dumpsTyped(value)
    // JSON stays readable for people and for the redaction; anything else is encoded.
    return type === 'json'
      ? [type, new TextDecoder().decode(bytes)]
      : [`${type};base64`, Buffer.from(bytes).toString('base64')]
  }

  async #load([type, text]: Serialised): Promise<unknown> {
    const isEncoded = type.endsWith(';base64')
    const value = isEncoded ? new Uint8Array(Buffer.from(text, 'base64')) : text
    return this.serde.loadsTyped(isEncoded ? type.slice(0, -';base64'.length) : type, value)
  }
}

/** The state of a graph is what its program made. A value that cannot be read here may have messages of tools. */
function draftOf(stored: object, tags: readonly string[], ...values: readonly Serialised[]): EntryDraft {
  const isOther = values.some(([type, text]) => type !== 'json' || valueSaidBy(parsed(text)) === 'other')
  return toDraft(JSON.stringify(stored), tags, isOther ? 'other' : 'model')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

type ThreadPlace = Pick<Place, 'thread' | 'ns'>

function placeOf({ configurable }: Config): ThreadPlace & { readonly id?: string } {
  const { thread_id: thread, checkpoint_ns: ns = '', checkpoint_id: id } = configurable ?? {}
  if (typeof thread !== 'string')
    throw new Error('The config of a checkpointer must have a thread_id, a text, in its "configurable" property.')
  return { thread, ns, ...(id === undefined ? {} : { id }) }
}

function callOf({ thread, ns }: ThreadPlace, id: string): SourceCall {
  return { id, scope: { session_id: thread, ...(ns === '' ? {} : { namespace: ns }) } }
}

function nsTag(ns: string): string {
  return `${checkpointTag}:${JSON.stringify([ns])}`
}

function idTag({ ns, id }: Place): string {
  return `${checkpointTag}:${JSON.stringify([ns, id])}`
}

function channelTag(ns: string, channel: string, version: number | string): string {
  return `channel:${JSON.stringify([ns, channel, version])}`
}

function writesTag({ ns, id }: Place): string {
  return `writes:${JSON.stringify([ns, id])}`
}
