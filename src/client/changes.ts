import { followFeed, type StreamOptions } from './stream.ts'
import type { Transport } from './transport.ts'
import type { ChangeCloudEvent, ChangeGap, HeartbeatEvent, MemoryChange } from './types.ts'

/** A change, or a gap: a range of positions whose changes are not available. */
export type ChangeEvent = ({ readonly event: 'change' } & MemoryChange) | ({ readonly event: 'gap' } & ChangeGap)

/** Where the stream of changes starts, and how it connects. */
export type ChangesOptions = StreamOptions & {
  /** Start after this position. By default, only new changes are sent. */
  readonly after?: number | undefined
  /** Only changes of entries that this reader may see. */
  readonly reader?: string | undefined
}

/**
 * The tenant's changes in order of position, each exactly once, also across restarts of the server. A commit can make
 * several changes at one position, and the connection may break between them. So a new connection requests that position
 * again, and changes that were already delivered are skipped.
 */
export async function* followChanges(
  transport: Transport,
  options?: ChangesOptions,
): AsyncGenerator<ChangeEvent, void, undefined> {
  for await (const { event, data } of followOnce(transport, undefined, options))
    if (event !== 'heartbeat') yield { event, ...(JSON.parse(data) as object) } as ChangeEvent
}

/** The events of heartbeats in the same stream. */
export async function* followHeartbeats(
  transport: Transport,
  options?: ChangesOptions,
): AsyncGenerator<HeartbeatEvent, void, undefined> {
  for await (const { event, data } of followOnce(transport, undefined, options))
    if (event === 'heartbeat') yield JSON.parse(data) as HeartbeatEvent
}

/** The same changes as events of CloudEvents 1.0. A gap is an event of the type `colophon.memory.gap`. */
export async function* followCloudEvents(
  transport: Transport,
  options?: ChangesOptions,
): AsyncGenerator<ChangeCloudEvent, void, undefined> {
  for await (const { data } of followOnce(transport, 'cloudevents', options)) yield JSON.parse(data) as ChangeCloudEvent
}

/** The events of the stream, each exactly once. */
async function* followOnce(
  transport: Transport,
  format: 'cloudevents' | undefined,
  { after, reader, ...options }: ChangesOptions = {},
): AsyncGenerator<{ readonly event: string; readonly data: string }, void, undefined> {
  let position: number | undefined
  let delivered: string[] = []
  const feed = {
    operation: 'GET /v1/host/colophon/changes',
    request: { query: { after, format, reader } },
    lastId: () => (position === undefined ? undefined : String(delivered.length === 0 ? position : position - 1)),
    noteId(id: string) {
      if (position === undefined && id !== '') position = Number(id)
    },
  } as const
  for await (const { event, data, id } of followFeed(transport, feed, options)) {
    if (event !== 'change' && event !== 'heartbeat' && event !== 'gap') continue
    if (Number(id) !== position) delivered = []
    position = Number(id)
    if (delivered.includes(data)) continue
    if (event !== 'gap') delivered.push(data)
    yield { event, data }
  }
}
