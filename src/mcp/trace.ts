import type { Client } from '../client/index.ts'

type Colophon = Awaited<ReturnType<Client['memory']['colophon']>>
type Decided = NonNullable<NonNullable<Colophon['resolution']>['rival']>

/** What a model gets instead of a text in quarantine that it did not ask for. */
export const withheldText = '(in quarantine)'

/**
 * The provenance of a memory for a model. A content that it was compared with can be in quarantine, where anyone can have put it
 * with instructions inside: a model that asks about another memory does not get its text.
 */
export async function traceOf(client: Client, ref: string, id: string): Promise<Colophon> {
  const colophon = await client.memory.colophon(ref, id)
  const { resolution } = colophon
  if (resolution === undefined) return colophon
  const { rival, losers } = resolution
  return { ...colophon, resolution: { ...resolution, rival: rival && withheld(rival), losers: losers.map(withheld) } }
}

function withheld(decided: Decided): Decided {
  return decided.quarantined ? { ...decided, content: withheldText } : decided
}
