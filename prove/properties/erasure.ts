import type { Scope, Session } from '../product.ts'
import { breach, duty, fact, type Property, required, withFault } from '../property.ts'
import { marker, upTo } from '../random.ts'
import { hasText, storedBytes } from '../stored-bytes.ts'

const gone: Scope = { tenant: 'erasure', user: 'ada' }
const staying: Scope = { tenant: 'erasure', user: 'bob' }
const memories = 9

/** Ingests, changes a third, removes a third, reads and searches, as a memory in use. Returns the words that were stored. */
async function live(session: Session, scope: Scope, seed: number) {
  const wordOf = (what: string) => marker(seed, `${scope.user} ${what}`)
  for (const n of upTo(memories))
    await session.ingest({
      scope,
      event: `${scope.user}-${n}`,
      text: `The word of number ${n} is ${wordOf(`stated ${n}`)}.`,
    })
  await session.settle()
  const stated = await session.list(scope)
  const current = new Set(upTo(memories).map((n) => wordOf(`stated ${n}`)))
  const used = new Set(current)
  for (const [index, { id, text }] of stated.entries()) {
    const word = [...current].find((one) => text.includes(one)) ?? ''
    if (index % 3 === 0 && session.change) {
      const changed = wordOf(`changed ${index}`)
      await session.change(scope, id, `The word is ${changed} now.`)
      used.add(changed)
      current.delete(word)
      current.add(changed)
    } else if (index % 3 === 1 && session.remove) {
      await session.remove(scope, id)
      current.delete(word)
    }
  }
  await session.search?.(scope, 'The word')
  if (session.beginRun && session.endRun) await session.endRun(scope, await session.beginRun(scope))
  await session.settle()
  return { current: [...current], used: [...used] }
}

/** Forgotten text must not be found in any read, nor in the files. */
export const erasure: Property = {
  id: 'erasure',
  title: 'Forgotten data is erased from the stored bytes',
  measured: `a person with ${memories} memories, changed, removed, searched and read by a run, is forgotten; after a stop, all bytes that are kept are searched for the words`,
  needs: ['forget'],
  needsOwnPlace: true,
  async measure({ session, place, seed }) {
    const forget = required(session, 'forget')
    const ada = await live(session, gone, seed)
    const bob = await live(session, staying, seed)
    const before = await storedBytes(place)
    await forget(gone)
    await session.settle()
    const left = (await session.list(gone)).length
    const others = await session.list(staying)
    await session.stop()
    const after = await storedBytes(place)
    const inBytes = (words: readonly string[], bytes: Buffer) => words.filter((word) => hasText(bytes, word)).length
    return [
      duty(
        'words of others still readable',
        bob.current.filter((word) => others.some(({ text }) => text.includes(word))).length,
        bob.current.length,
      ),
      breach('memories still listed', left, ada.current.length),
      breach('words left in the bytes', inBytes(ada.used, after), ada.used.length),
      fact('words in the bytes before', inBytes(ada.used, before), ada.used.length),
    ]
  },
  control: {
    fault: 'forgetting removes the memories from the list and keeps their history',
    shows: ['words left in the bytes'],
    plant: (session) =>
      withFault(session, {
        forget: async (scope) => {
          for (const { id } of await session.list(scope)) await session.remove?.(scope, id)
        },
      }),
  },
}
