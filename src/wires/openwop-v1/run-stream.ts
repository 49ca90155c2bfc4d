import { getRun } from '../../app/runs/control.ts'
import type { RunDescription } from '../../app/runs/describe-run.ts'
import { describeRun } from '../../app/runs/describe-run.ts'
import { readLog, waitForEvents } from '../../app/runs/event-log.ts'
import type { Tenant } from '../../app/tenant.ts'
import type { RunEvent } from '../../core/run/run.ts'
import { isEnded } from '../../core/run/run.ts'
import { type EventStream, formatEvent } from '../../http/sse.ts'
import { isShown, isUrgent, type StreamMode } from './stream-modes.ts'

/** What a run needs of its stream. */
export type RunStream = Pick<EventStream, 'signal' | 'send' | 'drained' | 'end'>

/** What a client of a run's event stream requested. */
export type RunStreamOptions = {
  readonly runId: string
  /** The last sequence that the client has; -1 for none. */
  readonly after: number
  readonly modes: readonly StreamMode[]
  readonly bufferMs: number
  readonly withTokens: boolean
  /** Fails if the key of the stream was revoked or has expired. */
  readonly recheck: () => Promise<void>
  readonly form: StreamForm
}

/** How a version of the protocol shows a run and its events. */
export type StreamForm = {
  readonly toEvent: (event: RunEvent) => ShownEvent
  readonly toRun: (run: RunDescription) => object
  /** Whether the mode `updates` has events of this type. */
  readonly isUpdate: (type: string) => boolean
}

type ShownEvent = { readonly type: string; readonly sequence: number }

/** Sends the log and then each new event, and ends after the last event of the run. */
export async function streamRun(tenant: Tenant, options: RunStreamOptions, stream: RunStream): Promise<void> {
  const { runId, modes } = options
  const outlet = modes[0] === 'values' ? valuesOutlet(tenant, options, stream) : eventsOutlet(options, stream)
  let next = options.after + 1
  for (;;) {
    const { standing, events, isFull } = await readLog(tenant, runId, next)
    await outlet.take(events.map(options.form.toEvent))
    next = (events.at(-1)?.sequence ?? next - 1) + 1
    if (stream.signal.aborted) return
    await stream.drained()
    if (isFull) continue
    if (isEnded(standing.status) && next >= standing.nextSequence) break
    // A client can have a sequence beyond the log, as after restoring a backup. It waits for new events too.
    await waitForEvents(tenant, runId, Math.min(next, standing.nextSequence), stream.signal)
    if (stream.signal.aborted) return
    // Before any later event is sent: a revoked key gets no more events.
    await options.recheck()
  }
  await outlet.close()
  stream.end()
}

type Outlet = { take(events: readonly ShownEvent[]): Promise<void>; close(): Promise<void> }

/** Sends each event as its own frame, or several in a batch with `bufferMs`. */
function eventsOutlet({ modes, bufferMs, form }: RunStreamOptions, stream: RunStream): Outlet {
  let buffered: ShownEvent[] = []
  let timer: NodeJS.Timeout | null = null
  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    const last = buffered.at(-1)
    if (last) stream.send(formatEvent({ event: 'batch', data: buffered, id: String(last.sequence) }))
    buffered = []
  }
  stream.signal.addEventListener('abort', () => timer && clearTimeout(timer))
  return {
    async take(events) {
      for (const event of events.filter(({ type }) => isShown(type, modes, form.isUpdate))) {
        if (bufferMs === 0) stream.send(formatEvent({ event: event.type, data: event, id: String(event.sequence) }))
        else {
          buffered.push(event)
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

/** Sends the whole run at once, and after each change. */
function valuesOutlet(tenant: Tenant, { runId, withTokens, form }: RunStreamOptions, stream: RunStream): Outlet {
  let isFirst = true
  return {
    async take(events) {
      if (events.length === 0 && !isFirst) return
      isFirst = false
      const run = await getRun(tenant, runId)
      const data = form.toRun(await describeRun(tenant, run, { withTokens }))
      stream.send(formatEvent({ event: 'state.snapshot', data, id: String(run.nextSequence - 1) }))
    },
    async close() {},
  }
}
