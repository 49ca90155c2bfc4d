import { auditRowsBetween, type ChangeRecord, followAuditRows, memoryChangesOf } from '../app/changes/change-stream.ts'
import type { Engine } from '../app/engine.ts'
import { parseAuditBody } from '../core/audit/audit.ts'
import { formatEvent } from './sse.ts'

/** A subscriber to the changes of a tenant: one open event stream. */
export type ChangeSubscriber = {
  /** Receives each change once, in order, as a formatted event. */
  readonly send: (frame: string) => void
  /** Resolves when the client has read most of what was sent: backpressure for the replay of past changes. */
  readonly drained: () => Promise<void>
  /** Called when keys or tenants may have changed: ends the subscription if its key is no longer valid. */
  readonly recheck: () => Promise<void>
  /** Ends the stream. */
  readonly end: () => void
  readonly signal: AbortSignal
}

type Member = { readonly deliver: (position: number, frame: string) => void; readonly subscriber: ChangeSubscriber }

/** Live changes that are buffered for a subscriber that still reads past changes. */
const bufferedChangesMax = 10_000

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
    let past = after
    let buffer: { position: number; frame: string }[] | null = []
    // Joins before it reads past changes, so none is missed. Live changes are buffered until the past ones are sent.
    const deliver: Member['deliver'] = (position, frame) => {
      if (position <= past) return
      if (buffer === null) return subscriber.send(frame)
      buffer.push({ position, frame })
      // The subscriber reads past changes more slowly than new ones arrive: it has to reconnect.
      if (buffer.length > bufferedChangesMax) subscriber.end()
    }
    const hub = this.#join(tenantId, { deliver, subscriber })
    // The end of the past is read after the hub has started, so the past overlaps with the live changes.
    await hub.started.promise
    // The key may have been revoked while the stream opened. The hub only sees changes after its start position.
    await subscriber.recheck()
    const reached = (await this.#engine.tenant(tenantId).auditHead()).position
    for await (const row of auditRowsBetween(this.#engine.tenant(tenantId), after, reached)) {
      if (subscriber.signal.aborted) return
      for (const change of memoryChangesOf(row)) subscriber.send(toFrame(change))
      await subscriber.drained()
    }
    past = Math.max(after, reached)
    const buffered = buffer
    buffer = null
    for (const { position, frame } of buffered) if (position > past) subscriber.send(frame)
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
    member.subscriber.signal.addEventListener('abort', () => {
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
        for (const change of memoryChangesOf(row)) {
          const frame = toFrame(change)
          for (const { deliver } of hub.members) deliver(change.position, frame)
        }
      }
    } catch {
      // The database is unavailable: the streams end, and clients reconnect with their last position.
    }
    hub.started.resolve()
    this.#end(tenantId, hub)
  }

  #end(tenantId: string, hub: Hub): void {
    if (this.#hubs.get(tenantId) === hub) this.#hubs.delete(tenantId)
    hub.stop.abort()
    for (const { subscriber } of [...hub.members]) subscriber.end()
  }
}

async function recheck(hub: Hub): Promise<void> {
  await Promise.all([...hub.members].map(({ subscriber }) => subscriber.recheck().catch(subscriber.end)))
}

function toFrame(change: ChangeRecord): string {
  return formatEvent({ event: 'change', data: change, id: String(change.position) })
}
