import { followFeed, type StreamOptions } from './stream.ts'
import type { Transport } from './transport.ts'
import type { ChangeGap, MemoryChange } from './types.ts'

export type ChangeEvent = ({ readonly event: 'change' } & MemoryChange) | ({ readonly event: 'gap' } & ChangeGap)

export type ChangesOptions = StreamOptions & {
  /** Start behind this position; without it, with what happens from now on. */
  readonly after?: number | undefined
}

/**
 * The tenant's changes in order of position, none left out and none twice, through restarts of the server. A commit can
 * make several changes at one position, and the connection may break between them: so it asks for that position again
 * and leaves out what it has told.
 */
export async function* followChanges(
  transport: Transport,
  { after, ...options }: ChangesOptions = {},
): AsyncGenerator<ChangeEvent, void, undefined> {
  let position: number | undefined
  let told: string[] = []
  const feed = {
    operation: 'GET /v1/host/colophon/changes',
    request: { query: { after } },
    lastId: () => (position === undefined ? undefined : String(told.length === 0 ? position : position - 1)),
    noteId(id: string) {
      if (position === undefined && id !== '') position = Number(id)
    },
  } as const
  for await (const { event, data, id } of followFeed(transport, feed, options)) {
    if (event !== 'change' && event !== 'gap') continue
    if (Number(id) !== position) told = []
    position = Number(id)
    if (told.includes(data)) continue
    if (event === 'change') told.push(data)
    yield { event, ...(JSON.parse(data) as object) } as ChangeEvent
  }
}
