import type { Retriable, Scope, Session } from '../product.ts'
import { breach, duty, fact, type Property, required, withFault } from '../property.ts'
import { marker, upTo } from '../random.ts'

const gone: Scope = { tenant: 'retries', user: 'ada' }
const staying: Scope = { tenant: 'retries', user: 'bob' }

/** The result of one round of retries. */
type Round = {
  readonly taken: number
  readonly shown: number
  readonly back: number
  readonly where: readonly string[]
}

async function sendAgain(session: Session, writes: readonly Retriable[], words: readonly string[]): Promise<Round> {
  const answers = await Promise.all(writes.map(async ({ kind, send }) => ({ kind, ...(await send()) })))
  await session.settle()
  const notes = (await session.notes?.(gone)) ?? []
  const texts = [...(await session.list(gone)), ...notes].map(({ text }) => text)
  const taken = answers.filter(({ isTaken }) => isTaken)
  return {
    taken: taken.length,
    shown: answers.filter(({ answer }) => words.some((word) => answer.includes(word))).length,
    back: words.filter((word) => texts.some((text) => text.includes(word))).length,
    where: taken.map(({ kind }) => kind),
  }
}

/** A client without a response retries its write, possibly after the person was forgotten. */
export const retries: Property = {
  id: 'retries',
  title: 'Retries do not restore forgotten data',
  measured:
    'every sort of write that may be sent again is made for a person who is then forgotten, and sent again while that is done, afterwards and after a restart; writes that are taken and words that are back are counted',
  needs: ['writesOf', 'forget', 'notes'],
  needsOwnPlace: true,
  async measure({ session, product, place, plant, seed, scale }) {
    const writesOf = required(session, 'writesOf')
    const forget = required(session, 'forget')
    const wordsOf = ({ user }: Scope) => upTo(scale).map((n) => marker(seed, `${user} retry ${n}`))
    const make = async (from: NonNullable<Session['writesOf']>, scope: Scope) => {
      const made = wordsOf(scope).map((word, n) => from(scope, `The word is ${word}.`, `${scope.user}-${n}`))
      return (await Promise.all(made)).flat()
    }
    const writes = await make(writesOf, gone)
    const others = await make(writesOf, staying)
    const first = await Promise.all([...writes, ...others].map(({ send }) => send()))
    await session.settle()
    const [, during] = await Promise.all([forget(gone), sendAgain(session, writes, wordsOf(gone))])
    const after = await sendAgain(session, writes, wordsOf(gone))
    const kept = await Promise.all(others.map(({ send }) => send()))
    await session.stop()
    const opened = plant(await product.open(place))
    try {
      const restarted = await sendAgain(opened, await make(required(opened, 'writesOf'), gone), wordsOf(gone))
      // During the forget, a retry may be processed before it: only what is left in the end counts in that round.
      const rounds = [after, restarted]
      const sum = (count: (round: Round) => number) => rounds.reduce((total, round) => total + count(round), 0)
      const words = wordsOf(gone).length
      return [
        duty('writes taken the first time', first.filter(({ isTaken }) => isTaken).length, first.length),
        duty('writes about others answered again', kept.filter(({ isTaken }) => isTaken).length, kept.length),
        breach(
          'retries of forgotten writes taken',
          sum(({ taken }) => taken),
          writes.length * rounds.length,
          rounds.flatMap(({ where }) => where),
        ),
        breach(
          'answers with a forgotten word',
          sum(({ shown }) => shown),
          writes.length * rounds.length,
        ),
        breach(
          'forgotten words that are back',
          sum(({ back }) => back),
          words * rounds.length,
        ),
        fact('retries taken before the forget', during.taken, writes.length),
      ]
    } finally {
      await opened.stop()
    }
  },
  control: {
    fault: 'every retry comes under another key',
    shows: ['retries of forgotten writes taken', 'forgotten words that are back'],
    plant(session: Session) {
      let number = 0
      const again = async (...[scope, text, key]: Parameters<NonNullable<Session['writesOf']>>) => {
        const writes = (await session.writesOf?.(scope, text, key)) ?? []
        return writes.map(({ kind }) => ({
          kind,
          async send() {
            const fresh = (await session.writesOf?.(scope, text, `${key}-${++number}`)) ?? []
            return (await fresh.find((write) => write.kind === kind)?.send()) ?? { isTaken: false, answer: '' }
          },
        }))
      }
      return withFault(session, { writesOf: again })
    },
  },
}
