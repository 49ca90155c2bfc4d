import type { Deps } from '../app/deps.ts'
import { changes, changesUntil, type MemoryChange } from '../app/follow.ts'
import { formatEvent } from './sse.ts'

/** Gets each change once, in order, already formatted. */
export type Watcher = (frame: string) => void

type Gate = (position: number, frame: string) => void

/** `started` resolves once the hub stands at a position: every later change goes through its gates. */
type Hub = { readonly gates: Set<Gate>; readonly stop: AbortController; readonly started: PromiseWithResolvers<void> }

/**
 * One reader per tenant for any number of watchers: a change is read and formatted once, however many get it. A hub
 * lives as long as somebody watches.
 */
export class ChangeHubs {
  readonly #deps: Deps
  readonly #hubs = new Map<string, Hub>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Everything behind the position: the past from the store, then live, without a gap and without a repeat. */
  async watch(
    tenantId: string,
    after: number,
    watcher: Watcher,
    signal: AbortSignal,
    onError: () => void,
  ): Promise<void> {
    let past = after
    let kept: { position: number; frame: string }[] | null = []
    // Joined before the past is read, so nothing falls between; live changes wait until the past has been sent.
    const hub = this.#join(
      tenantId,
      (position, frame) => {
        if (position <= past) return
        if (kept) kept.push({ position, frame })
        else watcher(frame)
      },
      signal,
      onError,
    )
    // Read after the hub has its place, so it is at or behind that: the past reaches into what is live.
    await hub.started.promise
    const reached = (await this.#deps.storage.clock(tenantId))?.position ?? 0
    for await (const change of changesUntil(this.#deps, tenantId, after, reached, signal)) watcher(toFrame(change))
    past = Math.max(after, reached)
    const waiting = kept
    kept = null
    for (const { position, frame } of waiting) if (position > past) watcher(frame)
  }

  #join(tenantId: string, gate: Gate, signal: AbortSignal, onError: () => void): Hub {
    let hub = this.#hubs.get(tenantId)
    if (!hub) {
      hub = { gates: new Set(), stop: new AbortController(), started: Promise.withResolvers() }
      this.#hubs.set(tenantId, hub)
      void this.#run(tenantId, hub)
    }
    const joined = hub
    joined.gates.add(gate)
    joined.stop.signal.addEventListener('abort', onError)
    signal.addEventListener('abort', () => {
      joined.gates.delete(gate)
      joined.stop.signal.removeEventListener('abort', onError)
      if (joined.gates.size === 0) this.#end(tenantId, joined)
    })
    return joined
  }

  async #run(tenantId: string, hub: Hub): Promise<void> {
    try {
      const after = (await this.#deps.storage.clock(tenantId))?.position ?? 0
      hub.started.resolve()
      for await (const change of changes(this.#deps, tenantId, { after, signal: hub.stop.signal })) {
        const frame = toFrame(change)
        for (const gate of hub.gates) gate(change.position, frame)
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
  }
}

function toFrame(change: MemoryChange): string {
  return formatEvent({ event: 'change', data: change, id: String(change.position) })
}
