import type { Session, SourceEvent } from '../product.ts'
import { duty, type Figure, type Property, required, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const scope = { tenant: 'provenance', user: 'ada' }

/** Texts in which bytes are easily lost: accents in two forms, emoji, blanks, quotes, lines. */
const sayings = ['café', 'cafe\u0301', 'key \u{1f511}', '  blanks  ', 'a "quote"', 'two\nlines', '\ttab', 'ß, ẞ and ſ']

const eventsOf = (scale: number): SourceEvent[] =>
  upTo(scale).flatMap((round) =>
    sayings.flatMap((saying, index) => {
      const text = `Ada wrote on day ${round}: ${saying} (${index}).`
      const event = `note-${round}-${index}`
      const claim = `saying-${round}-${index}`
      // Some are sent in a second event too: both are sources then.
      const again = index % 4 === 0 ? [{ scope, event: `${event}-again`, text, claim }] : []
      return [{ scope, event, text, claim }, ...again]
    }),
  )

/** The written notes, and the notes that are left afterwards, with the notes they name as sources. */
async function summaryFigures(session: Session): Promise<Figure[]> {
  const { note, notes, summarise, madeOf } = session
  if (!note || !notes || !summarise || !madeOf) return []
  const written: string[] = []
  for (const n of upTo(6)) written.push((await session.note?.(scope, `Note ${n}: Ada was at place number ${n}.`)) ?? '')
  await session.summarise?.(scope)
  const named = new Set<string>()
  for (const { id } of (await session.notes?.(scope)) ?? [])
    for (const source of (await session.madeOf?.(scope, id)) ?? []) named.add(source)
  return [duty('notes that a summary names', written.filter((id) => named.has(id)).length, written.length)]
}

/** Where does the memory come from? The answer must be verifiable against the original. */
export const provenance: Property = {
  id: 'provenance',
  title: 'Memories can be traced to their exact source',
  measured:
    'each memory is traced to its events, whose SHA-256 must be that of the bytes that were sent; a summary must name all that it was made of',
  needs: ['trace', 'fingerprint'],
  async measure({ session, scale }) {
    const [trace, fingerprint] = [required(session, 'trace'), required(session, 'fingerprint')]
    const events = eventsOf(scale)
    const hashes = new Map<string, string>()
    for (const sent of events) {
      hashes.set(sent.event, await fingerprint(sent))
      await session.ingest(sent)
    }
    await session.settle()
    const memories = await session.list(scope)
    const seen = new Set<string>()
    const astray: string[] = []
    for (const { id, text } of memories) {
      const sources = await trace(scope, id)
      const isExact = sources.every(({ event, sha256 }) => hashes.get(event) === sha256)
      if (sources.length === 0 || !isExact) astray.push(text)
      for (const { event } of sources) seen.add(event)
    }
    return [
      duty('memories traced to the exact bytes', memories.length - astray.length, memories.length, astray),
      duty('events that some memory leads to', seen.size, events.length),
      ...(await summaryFigures(session)),
    ]
  },
  control: {
    fault:
      'one source in three is given the hash of something else, and one in five is not named; a summary leaves its first note out',
    shows: ['memories traced to the exact bytes', 'events that some memory leads to', 'notes that a summary names'],
    plant(session) {
      let number = 0
      const trace = async (...args: Parameters<NonNullable<typeof session.trace>>) =>
        ((await session.trace?.(...args)) ?? [])
          .filter(() => ++number % 5 !== 0)
          .map((source) => (number % 3 === 0 ? { ...source, sha256: '0'.repeat(64) } : source))
      const madeOf = async (...args: Parameters<NonNullable<typeof session.madeOf>>) =>
        ((await session.madeOf?.(...args)) ?? []).slice(1)
      return withFault(session, { trace, madeOf })
    },
  },
}
