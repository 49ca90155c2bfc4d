import { createRandom } from '../../test/support/random.ts'
import type { Session, Told } from '../product.ts'
import { breach, duty, fact, type Property, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const lanes = 8
const eventsPerKill = 40
const scope = { tenant: 'kill', user: 'ada' }
const toldOf = (number: number): Told => ({
  scope,
  event: `event-${number}`,
  text: `Ada saw comet number ${number}.`,
})

/** Several clients at once, until so many were promised; then the process ends, wherever it is. */
async function tellAndKill(session: Session, numbers: readonly number[], killAfter: number): Promise<Set<number>> {
  const promised = new Set<number>()
  const waiting = [...numbers]
  let killed: Promise<void> | null = null
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined && killed === null; next = waiting.shift()) {
      try {
        await session.tell(toldOf(next))
        promised.add(next)
      } catch {
        // Not promised: the client will ask again.
      }
      if (promised.size >= killAfter) killed ??= session.kill()
    }
  }
  await Promise.all(upTo(lanes).map(lane))
  await (killed ?? session.kill())
  return promised
}

async function timesStored(session: Session): Promise<Map<string, number>> {
  await session.settle()
  const times = new Map<string, number>()
  for (const { id, text } of await session.list(scope)) {
    // A source that counts twice is work done twice as well, even where the texts were joined.
    const sources = session.trace ? (await session.trace(scope, id)).length : 1
    times.set(text, (times.get(text) ?? 0) + Math.max(1, sources))
  }
  return times
}

/** "Stored" must mean stored, and asking again must not do it twice. */
export const kill: Property = {
  id: 'kill',
  title: 'Lost and doubled work when the process is killed',
  measured: `${lanes} clients tell ${eventsPerKill} events; after a seeded number of promises the process gets SIGKILL, starts again, and all that was not promised is told once more`,
  needs: [],
  needsOwnPlace: true,
  async measure({ product, place, session, seed, scale, plant }) {
    const random = createRandom(seed)
    const kills = upTo(2 * scale)
    const promised = new Set<number>()
    let current = session
    let unanswered = 0
    try {
      for (const round of kills) {
        const numbers = upTo(eventsPerKill).map((n) => round * eventsPerKill + n)
        const killAfter = 1 + Math.floor(random() * (eventsPerKill / 2))
        const answered = await tellAndKill(current, numbers, killAfter)
        current = plant(await product.open(place))
        for (const number of answered) promised.add(number)
        const again = numbers.filter((number) => !answered.has(number))
        unanswered += again.length
        // What was promised is not told again: if it is not there in the end, it was lost.
        for (const number of again) await current.tell(toldOf(number))
      }
      const stored = await timesStored(current)
      const all = upTo(kills.length * eventsPerKill).map((number) => stored.get(toldOf(number).text) ?? 0)
      const lost = [...promised].filter((number) => all[number] === 0)
      return [
        duty('events stored in the end', all.filter((times) => times > 0).length, all.length),
        breach('promised and lost', lost.length, promised.size),
        breach('done twice', all.filter((times) => times > 1).length, all.length),
        fact('told again after a kill', unanswered, all.length),
      ]
    } finally {
      await current.stop()
    }
  },
  control: {
    fault: 'of four events one is promised and thrown away, and one is told twice under two names',
    shows: ['events stored in the end', 'promised and lost', 'done twice'],
    plant(session) {
      return withFault(session, {
        async tell(told) {
          const number = Number(told.event.replace('event-', ''))
          if (number % 4 === 0) return
          await session.tell(told)
          if (number % 4 === 1) await session.tell({ ...told, event: `${told.event} again` })
        },
      })
    },
  },
}
