import type { Engine } from '../app/engine.ts'
import { getRun, getStanding } from '../app/runs/control.ts'
import { toRunView } from '../app/runs/snapshot.ts'
import { limits } from '../core/limits.ts'
import { type RunEventDoc, toEventDoc } from '../core/run/event-doc.ts'
import { isEnded, runKeyOf } from '../core/run/run.ts'
import { isTold, isUrgent, type StreamMode } from '../core/run/stream-modes.ts'
import { type EventStream, formatEvent } from './sse.ts'

export type RunStreamOptions = {
  readonly tenantId: string
  readonly runId: string
  /** The last sequence the client has seen; -1 when none. */
  readonly after: number
  readonly modes: readonly StreamMode[]
  readonly bufferMs: number
  readonly withTokens: boolean
  /** Fails when the key that opened the stream opens nothing any more. */
  readonly recheck: () => Promise<void>
}

/** Sends what is in the log and then what comes, and ends after the last event of the run. */
export async function streamRun(engine: Engine, options: RunStreamOptions, stream: EventStream): Promise<void> {
  const { tenantId, runId, modes } = options
  const outlet = modes[0] === 'values' ? valuesOutlet(engine, options, stream) : eventsOutlet(options, stream)
  let next = options.after + 1
  for (;;) {
    // The status is read before the log: if it says that the run has ended, its last event is there.
    const run = await getStanding(engine.tenant(tenantId), runId)
    const events = await engine.storage.runs.events({ tenantId, runId, from: next, limit: limits.eventPageMax })
    await outlet.take(events.map((event) => toEventDoc(runId, event)))
    next = (events.at(-1)?.sequence ?? next - 1) + 1
    if (stream.signal.aborted) return
    await stream.drained()
    if (events.length === limits.eventPageMax) continue
    if (isEnded(run.status) && next >= run.nextSequence) break
    // A client may have seen more than there is, as after a backup was restored: it waits for what comes all the same.
    const seen = Math.min(next, run.nextSequence)
    const woken = engine.runWatch.wait(runKeyOf(tenantId, runId), seen, stream.signal)
    // Looks once more, now that it would be woken: what came in between is not waited for.
    if ((await getStanding(engine.tenant(tenantId), runId)).nextSequence <= seen) await woken
    if (stream.signal.aborted) return
    // Before anything later goes out: a key that was revoked is told nothing more.
    await options.recheck()
  }
  await outlet.close()
  stream.end()
}

type Outlet = { take(events: readonly RunEventDoc[]): Promise<void>; close(): Promise<void> }

/** Each event as its own frame, or several together when the client asked for that. */
function eventsOutlet({ modes, bufferMs }: RunStreamOptions, stream: EventStream): Outlet {
  let held: RunEventDoc[] = []
  let timer: NodeJS.Timeout | null = null
  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    const last = held.at(-1)
    if (last) stream.send(formatEvent({ event: 'batch', data: held, id: String(last.sequence) }))
    held = []
  }
  stream.signal.addEventListener('abort', () => timer && clearTimeout(timer))
  return {
    async take(events) {
      for (const event of events.filter(({ type }) => isTold(type, modes))) {
        if (bufferMs === 0) stream.send(formatEvent({ event: event.type, data: event, id: String(event.sequence) }))
        else {
          held.push(event)
          if (isUrgent(event.type)) flush()
          else timer ??= setTimeout(flush, bufferMs)
        }
      }
    },
    async close() {
      flush()
    },
  }
}

/** The whole run, each time it has changed; the first time at once. */
function valuesOutlet(engine: Engine, options: RunStreamOptions, stream: EventStream): Outlet {
  const { tenantId, runId, withTokens } = options
  let isFirst = true
  return {
    async take(events) {
      if (events.length === 0 && !isFirst) return
      isFirst = false
      const run = await getRun(engine.tenant(tenantId), runId)
      const data = await toRunView(engine.tenant(tenantId), run, { withTokens })
      stream.send(formatEvent({ event: 'state.snapshot', data, id: String(run.nextSequence - 1) }))
    },
    async close() {},
  }
}
