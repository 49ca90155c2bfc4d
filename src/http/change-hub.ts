import { followRows, type MemoryChange, memoryChangesOf, rowsUntil } from '../app/changes/follow.ts'
import type { Engine } from '../app/engine.ts'
import { parseBody } from '../core/audit/audit.ts'
import { formatEvent } from './sse.ts'

/** Somebody who watches a tenant. */
export type Watcher = {
  /** Gets each change once, in order, already formatted. */
  readonly send: (frame: string) => void
  /** Resolves when there is room for more: the past may be long, and it can wait. */
  readonly drained: () => Promise<void>
  /** Called when keys or tenants may have changed: ends the watch if its key opens nothing any more. */
  readonly recheck: () => Promise<void>
  /** Called when the stream cannot go on. */
  readonly end: () => void
  readonly signal: AbortSignal
}

type Member = { readonly gate: (position: number, frame: string) => void; readonly watcher: Watcher }

/** Live changes kept for a watcher that is still reading the past. */
const keptChangesMax = 10_000

/** `started` resolves once the hub stands at a position: every later change goes through its gates. */
type Hub = {
  readonly members: Set<Member>
  readonly stop: AbortController
  readonly started: PromiseWithResolvers<void>
}

/**
 * One reader per tenant for any number of watchers: a change is read and formatted once, however many get it. A hub
 * lives as long as somebody watches.
 */
export class ChangeHubs {
  readonly #engine: Engine
  readonly #hubs = new Map<string, Hub>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Everything behind the position: the past from the store, then live, without a gap and without a repeat. */
  async watch(tenantId: string, after: number, watcher: Watcher): Promise<void> {
    let past = after
    let kept: { position: number; frame: string }[] | null = []
    // Joined before the past is read, so nothing falls between; live changes wait until the past has been sent.
    const gate: Member['gate'] = (position, frame) => {
      if (position <= past) return
      if (kept === null) return watcher.send(frame)
      kept.push({ position, frame })
      // It reads the past more slowly than the present goes on: it has to come back.
      if (kept.length > keptChangesMax) watcher.end()
    }
    const hub = this.#join(tenantId, { gate, watcher })
    // Read after the hub has its place, so it is at or behind that: the past reaches into what is live.
    await hub.started.promise
    // A key that was revoked while the stream opened: the hub notices only what comes behind its place.
    await watcher.recheck()
    const reached = (await this.#engine.tenant(tenantId).auditHead()).position
    for await (const row of rowsUntil(this.#engine.tenant(tenantId), after, reached)) {
      if (watcher.signal.aborted) return
      for (const change of memoryChangesOf(row)) watcher.send(toFrame(change))
      await watcher.drained()
    }
    past = Math.max(after, reached)
    const waiting = kept
    kept = null
    for (const { position, frame } of waiting) if (position > past) watcher.send(frame)
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
    member.watcher.signal.addEventListener('abort', () => {
      joined.members.delete(member)
      if (joined.members.size === 0) this.#end(tenantId, joined)
    })
    return joined
  }

  async #run(tenantId: string, hub: Hub): Promise<void> {
    try {
      const after = (await this.#engine.tenant(tenantId).auditHead()).position
      hub.started.resolve()
      for await (const row of followRows(this.#engine.tenant(tenantId), after, hub.stop.signal)) {
        // Before anything later goes out: a key that was revoked is told nothing more.
        if (parseBody(row).kind.startsWith('admin.')) await recheck(hub)
        for (const change of memoryChangesOf(row)) {
          const frame = toFrame(change)
          for (const { gate } of hub.members) gate(change.position, frame)
        }
      }
    } catch {
      // The database went away: the streams end, and clients come back with their last position.
    }
    hub.started.resolve()
    this.#end(tenantId, hub)
  }

  #end(tenantId: string, hub: Hub): void {
    if (this.#hubs.get(tenantId) === hub) this.#hubs.delete(tenantId)
    hub.stop.abort()
    for (const { watcher } of [...hub.members]) watcher.end()
  }
}

async function recheck(hub: Hub): Promise<void> {
  await Promise.all([...hub.members].map(({ watcher }) => watcher.recheck().catch(watcher.end)))
}

function toFrame(change: MemoryChange): string {
  return formatEvent({ event: 'change', data: change, id: String(change.position) })
}
