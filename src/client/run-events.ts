import { followFeed, type StreamOptions } from './stream.ts'
import type { Transport } from './transport.ts'
import type { RunEvent, RunSnapshot } from './types.ts'

/** Which events of a run to stream, and from where. */
export type WatchOptions = StreamOptions & {
  /** `updates`: what a person needs to follow a run (the default). `debug`: every event. */
  readonly modes?: readonly ('updates' | 'messages' | 'debug')[] | undefined
  /** Start after this sequence. By default, from the first event. */
  readonly after?: number | undefined
}

type WatchRequest = { readonly runId: string; readonly streamMode: string; readonly after?: number | undefined }

/** The events of a run, past and new, until the run has ended. */
export async function* watchRun(
  transport: Transport,
  runId: string,
  { modes = ['updates'], after, ...options }: WatchOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  const request = { runId, streamMode: modes.join(','), after }
  for await (const data of follow(transport, request, options)) {
    const event = data as RunEvent
    yield event
    if (/^run\.(completed|failed|cancelled)$/.test(event.type)) return
  }
}

/** The state of a run, now and after each change, until the run has ended. */
export async function* watchRunState(
  transport: Transport,
  runId: string,
  options: StreamOptions = {},
): AsyncGenerator<RunSnapshot, void, undefined> {
  for await (const data of follow(transport, { runId, streamMode: 'values' }, options)) {
    const run = data as RunSnapshot
    yield run
    if (hasEnded(run)) return
  }
}

function hasEnded({ status }: Pick<RunSnapshot, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

async function* follow(
  transport: Transport,
  { runId, streamMode, after }: WatchRequest,
  options: StreamOptions,
): AsyncGenerator<unknown, void, undefined> {
  let last = after === undefined ? undefined : String(after)
  let wasEnded = false
  const feed = {
    operation: 'GET /v1/runs/{runId}/events',
    request: { path: { runId }, query: { streamMode } },
    lastId: () => last,
    // A server that shuts down ends its streams too. After the run has ended, one more stream has the remaining events.
    async isComplete() {
      if (wasEnded) return true
      wasEnded = hasEnded(await transport.send<RunSnapshot>('GET /v1/runs/{runId}', { path: { runId } }, options))
      return false
    },
  } as const
  for await (const { event, data, id } of followFeed(transport, feed, options)) {
    if (event === 'dropped') continue
    if (id !== '') last = id
    yield JSON.parse(data) as unknown
  }
}
