import { followFeed, type StreamOptions } from './stream.ts'
import type { Transport } from './transport.ts'
import type { RunEvent, RunSnapshot } from './types.ts'

export type WatchOptions = StreamOptions & {
  /** `updates` is what a person wants to know, `debug` is everything. */
  readonly modes?: readonly ('updates' | 'messages' | 'debug')[] | undefined
  /** Start behind this sequence; without it, at the beginning. */
  readonly after?: number | undefined
}

type Watched = { readonly runId: string; readonly streamMode: string; readonly after?: number | undefined }

/** The events of a run, those to come as well, until it has ended. */
export async function* watchRun(
  transport: Transport,
  runId: string,
  { modes = ['updates'], after, ...options }: WatchOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  const watched = { runId, streamMode: modes.join(','), after }
  for await (const data of follow(transport, watched, options)) {
    const event = data as RunEvent
    yield event
    if (/^run\.(completed|failed|cancelled)$/.test(event.type)) return
  }
}

/** The run itself, now and each time it has changed, until it has ended. */
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
  { runId, streamMode, after }: Watched,
  options: StreamOptions,
): AsyncGenerator<unknown, void, undefined> {
  let last = after === undefined ? undefined : String(after)
  let wasEnded = false
  const feed = {
    operation: 'GET /v1/runs/{runId}/events',
    request: { path: { runId }, query: { streamMode } },
    lastId: () => last,
    // A server that stops ends its streams too. When the run is seen to have ended, the next stream has all the rest.
    async isOver() {
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
