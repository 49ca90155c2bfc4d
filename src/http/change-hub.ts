import {
  auditRowsBetween,
  type ChangeRecord,
  type ChangeStreamGap,
  followAuditRows,
  gapOfForget,
  type HeartbeatChange,
  heartbeatChangesOf,
  memoryChangesOf,
  readableChanges,
} from '../app/changes/change-stream.ts'
import type { Engine } from '../app/engine.ts'
import { parseAuditBody } from '../core/audit/audit.ts'
import { toCloudEvent } from '../core/cloud-event.ts'
import type { AuditRow } from '../core/commit/batch.ts'
import { type EventStream, formatEvent } from './sse.ts'

/** The form of the data of an event: our own document, or an event of CloudEvents with that document as its data. */
export type ChangeFormat = 'plain' | 'cloudevents'

/** A subscriber to the changes of a tenant. */
export type ChangeSubscriber = {
  /**
   * Receives each change once, in order, as a formatted event. `drained` is backpressure for the replay of past changes. `recheck` is called
   * when keys or tenants may have changed: the stream ends if its key is no longer valid.
   */
  readonly stream: Pick<EventStream, 'isEnded' | 'send' | 'drained' | 'recheck' | 'end' | 'onEnd'>
  /** By default `plain`. */
  readonly format?: ChangeFormat
  /** The reader of the subscriber: it gets only changes of entries that the reader may see. */
  readonly reader: string | null
}

/** Live changes that are buffered for a subscriber that still reads past changes. */
const bufferedChangesMax = 10_000

/** A subscriber in its hub. Live changes are buffered until the past ones are sent. */
class Member {
  readonly subscriber: ChangeSubscriber
  #past: number
  #buffer: FormattedChange[] | null = []

  constructor(subscriber: ChangeSubscriber, past: number) {
    this.subscriber = subscriber
    this.#past = past
  }

  send(change: FormattedChange): void {
    this.subscriber.stream.send(change.in(this.subscriber.format ?? 'plain'))
  }

  deliver(change: FormattedChange): void {
    if (change.position <= this.#past) return
    if (this.#buffer === null) this.send(change)
    // The subscriber reads past changes more slowly than new ones arrive: it has to reconnect.
    else if (this.#buffer.push(change) > bufferedChangesMax) this.subscriber.stream.end()
  }

  /** The changes up to a position were sent. */
  endPast(position: number): void {
    this.#past = position
    const buffered = this.#buffer ?? []
    this.#buffer = null
    for (const change of buffered) this.deliver(change)
  }
}

/** `started` resolves when the hub has its start position: every later change is delivered to its members. */
type Hub = {
  readonly members: Set<Member>
  readonly stop: AbortController
  readonly started: PromiseWithResolvers<void>
}

/**
 * Fan-out of changes: one reader per tenant for any number of subscribers. A change is read and formatted once. A hub exists as long as
 * it has subscribers.
 */
export class ChangeHubs {
  readonly #engine: Engine
  readonly #hubs = new Map<string, Hub>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Sends every change after a position: past ones from the database, then live ones, each exactly once. */
  async subscribe(tenantId: string, after: number, subscriber: ChangeSubscriber): Promise<void> {
    const { stream, reader } = subscriber
    const member = new Member(subscriber, after)
    // Joins before it reads past changes, so none is missed.
    const hub = this.#join(tenantId, member)
    // The end of the past is read after the hub has started, so the past overlaps with the live changes.
    await hub.started.promise
    // The key may have been revoked while the stream opened. The hub only sees changes after its start position.
    await stream.recheck()
    const reached = (await this.#engine.tenant(tenantId).auditHead()).position
    for await (const row of auditRowsBetween(this.#engine.tenant(tenantId), after, reached)) {
      if (stream.isEnded) return
      for (const change of await this.#changesFor(tenantId, reader, row)) member.send(change)
      await stream.drained()
    }
    member.endPast(Math.max(after, reached))
  }

  #join(tenantId: string, member: Member): Hub {
    let hub = this.#hubs.get(tenantId)
    if (!hub) {
      hub = { members: new Set(), stop: new AbortController(), started: Promise.withResolvers() }
      this.#hubs.set(tenantId, hub)
      void this.#run(tenantId, hub)
    }
    const joined = hub
    joined.members.add(member)
    member.subscriber.stream.onEnd(() => {
      joined.members.delete(member)
      if (joined.members.size === 0) this.#end(tenantId, joined)
    })
    return joined
  }

  async #run(tenantId: string, hub: Hub): Promise<void> {
    try {
      const after = (await this.#engine.tenant(tenantId).auditHead()).position
      hub.started.resolve()
      for await (const row of followAuditRows(this.#engine.tenant(tenantId), after, hub.stop.signal)) {
        // Before any later change is sent: a revoked key receives nothing more.
        if (parseAuditBody(row).kind.startsWith('admin.')) await recheck(hub)
        // Members of one reader get the same.
        for (const [reader, members] of Map.groupBy(hub.members, ({ subscriber }) => subscriber.reader)) {
          const changes = await this.#changesFor(tenantId, reader, row)
          for (const change of changes) for (const member of members) member.deliver(change)
        }
      }
    } catch {
      // The database is unavailable: the streams end, and clients reconnect with their last position.
    }
    hub.started.resolve()
    this.#end(tenantId, hub)
  }

  /** What a reader may see of an audit row. */
  async #changesFor(tenantId: string, reader: string | null, row: AuditRow): Promise<readonly FormattedChange[]> {
    const tenant = this.#engine.tenant(tenantId).withReader(reader)
    const ticks = await heartbeatChangesOf(tenant, row)
    const changes = await readableChanges(tenant, memoryChangesOf(row))
    const gap = gapOfForget(row)
    const gaps =
      gap === null ? [] : [{ position: gap.to, in: (format: ChangeFormat) => formatGap(tenantId, gap, format) }]
    return [...formattedChanges(tenantId, changes), ...formattedTicks(tenantId, ticks), ...gaps]
  }

  #end(tenantId: string, hub: Hub): void {
    if (this.#hubs.get(tenantId) === hub) this.#hubs.delete(tenantId)
    hub.stop.abort()
    for (const { subscriber } of [...hub.members]) subscriber.stream.end()
  }
}

async function recheck(hub: Hub): Promise<void> {
  await Promise.all([...hub.members].map(({ subscriber: { stream } }) => stream.recheck().catch(() => stream.end())))
}

/** A change as a frame of the stream. It is formatted on the first use of a format, for all subscribers. */
type FormattedChange = { readonly position: number; readonly in: (format: ChangeFormat) => string }

function formattedChanges(tenantId: string, changes: readonly ChangeRecord[]): FormattedChange[] {
  return changes.map((change, index) =>
    toFormatted('change', change, (data) => {
      // One commit can change several refs, so the position alone is not unique.
      const facts = { id: `${change.position}.${index}`, type: typeOf(change.kind), subject: change.memoryRef }
      return toCloudEvent(tenantId, { ...facts, time: change.at, data })
    }),
  )
}

/** Events of a name of their own: clients that follow memory do not get them. */
function formattedTicks(tenantId: string, ticks: readonly HeartbeatChange[]): FormattedChange[] {
  return ticks.map((tick, index) =>
    toFormatted('heartbeat', tick, (data) => {
      const facts = { id: `${tick.position}.tick.${index}`, type: `colophon.${tick.kind}` }
      return toCloudEvent(tenantId, { ...facts, subject: tick.payload.heartbeatId, time: tick.at, data })
    }),
  )
}

function toFormatted<T extends { readonly position: number }>(
  event: string,
  change: T,
  toCloud: (change: T) => unknown,
): FormattedChange {
  const frames = new Map<ChangeFormat, string>()
  const formatAs = (format: ChangeFormat) => {
    const data = format === 'plain' ? change : toCloud(change)
    const frame = formatEvent({ event, data, id: String(change.position) })
    frames.set(format, frame)
    return frame
  }
  return { position: change.position, in: (format) => frames.get(format) ?? formatAs(format) }
}

/** The frame of a gap: a range of positions whose changes are not available. */
export function formatGap(tenantId: string, gap: ChangeStreamGap, format: ChangeFormat): string {
  const facts = { id: `gap.${gap.from}.${gap.to}`, type: typeOf('gap') }
  const data = format === 'plain' ? gap : toCloudEvent(tenantId, { ...facts, data: gap })
  return formatEvent({ event: 'gap', data, id: String(gap.to) })
}

/** The event type of a kind of change, such as `colophon.memory.written`. */
function typeOf(kind: string): string {
  return kind.startsWith('memory.') ? `colophon.${kind}` : `colophon.memory.${kind}`
}
