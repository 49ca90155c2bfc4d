import type { Memory, Run, Scope, Session, SourceEvent } from '../product.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'
import { marker, upTo } from '../random.ts'
import { hasText, storedBytes } from '../stored-bytes.ts'

const gone: Scope = { tenant: 'resurrection', user: 'ada' }
const staying: Scope = { tenant: 'resurrection', user: 'bob' }
const memories = 6

const textOf = (word: string) => `The word is ${word}.`

async function state(session: Session, scope: Scope, words: readonly string[]): Promise<void> {
  for (const [n, word] of words.entries())
    await session.ingest({ scope, event: `${scope.user}-${n}`, text: textOf(word) })
  await session.settle()
}

/** A call that may be refused, because what it needs is forgotten. */
const unlessRefused = async <T>(call: () => Promise<T>): Promise<T | null> => call().catch(() => null)

/** A value that was forgotten must not come back by what was still under way, or by repeating what used it. */
export const resurrection: Property = {
  id: 'resurrection',
  title: 'Forgotten values do not come back',
  measured: `a person with ${memories} memories is forgotten while a run that read them waits; then the run goes on, it and an earlier one are replayed, notes are summarised, and the server restarts; words that any answer or the stored bytes have are counted`,
  needs: ['forget', 'beginRun', 'endRun', 'replay'],
  needsOwnPlace: true,
  async measure({ session, product, place, plant, seed }) {
    const forget = required(session, 'forget')
    const replay = required(session, 'replay')
    const endRun = required(session, 'endRun')
    const wordsOf = ({ user }: Scope) => upTo(memories).map((n) => marker(seed, `${user} value ${n}`))
    const words = wordsOf(gone)
    await state(session, gone, words)
    await state(session, staying, wordsOf(staying))
    const earlier: Run = await required(session, 'beginRun')(gone)
    await endRun(gone, earlier)
    const waiting: Run = await required(session, 'beginRun')(gone)
    const read = words.filter((word) => waiting.seen.some(({ text }) => text.includes(word))).length
    await forget(gone)
    await session.settle()
    const ways: Record<string, readonly Memory[]> = {
      'the run that waited': (await unlessRefused(() => endRun(gone, waiting)))?.seen ?? [],
      'its replay': (await unlessRefused(() => replay(gone, waiting)))?.seen ?? [],
      'the replay of an earlier run': (await unlessRefused(() => replay(gone, earlier)))?.seen ?? [],
    }
    await unlessRefused(async () => session.summarise?.(gone))
    await session.settle()
    await session.stop()
    const opened = plant(await product.open(place))
    try {
      await opened.settle()
      ways['the list after a restart'] = await opened.list(gone)
      ways['a search after a restart'] = (await opened.search?.(gone, 'The word')) ?? []
      const others = await opened.list(staying)
      await opened.stop()
      const bytes = await storedBytes(place)
      const back = Object.entries(ways).filter(([, seen]) =>
        words.some((word) => seen.some(({ text }) => text.includes(word))),
      )
      const kept = wordsOf(staying).filter((word) => others.some(({ text }) => text.includes(word)))
      return [
        duty('words that the run had read before', read, words.length),
        duty('words of others still readable', kept.length, words.length),
        breach(
          'ways by which a word came back',
          back.length,
          Object.keys(ways).length,
          back.map(([way]) => way),
        ),
        breach('words in the bytes afterwards', words.filter((word) => hasText(bytes, word)).length, words.length),
      ]
    } finally {
      await opened.stop()
    }
  },
  control: {
    fault: 'an event that was under way during the forget is ingested after it',
    shows: ['ways by which a word came back', 'words in the bytes afterwards'],
    plant(session: Session) {
      let last: SourceEvent | null = null
      return withFault(session, {
        async ingest(event) {
          if (event.scope.user === gone.user) last = event
          await session.ingest(event)
        },
        async forget(scope) {
          await session.forget?.(scope)
          if (last !== null) await session.ingest({ ...last, event: `${last.event} again` })
        },
      })
    },
  },
}
