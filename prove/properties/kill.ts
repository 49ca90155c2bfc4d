import { createRandom } from '../../test/support/random.ts'
import type { Session, Statement } from '../product.ts'
import { breach, duty, fact, type Property, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const clients = 8
const eventsPerKill = 40
const scope = { tenant: 'kill', user: 'ada' }
const eventOf = (number: number): Statement => ({
  scope,
  event: `event-${number}`,
  text: `Ada saw comet number ${number}.`,
})

/** Several clients at once, until so many were promised; then the process ends, wherever it is. */
async function ingestAndKill(session: Session, numbers: readonly number[], killAfter: number): Promise<Set<number>> {
  const promised = new Set<number>()
  const waiting = [...numbers]
  let killed: Promise<void> | null = null
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined && killed === null; next = waiting.shift()) {
      try {
        await session.ingest(eventOf(next))
        promised.add(next)
      } catch {
        // Not promised: the client will ask again.
      }
      if (promised.size >= killAfter) killed ??= session.kill()
    }
  }
  await Promise.all(upTo(clients).map(lane))
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
  measured: `${clients} clients send ${eventsPerKill} events; after a seeded number of acknowledgements the process gets SIGKILL, starts again, and all events that were not acknowledged are sent once more`,
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
        const answered = await ingestAndKill(current, numbers, killAfter)
        current = plant(await product.open(place))
        for (const number of answered) promised.add(number)
        const again = numbers.filter((number) => !answered.has(number))
        unanswered += again.length
        // Acknowledged events are not sent again: an event that is missing at the end was lost.
        for (const number of again) await current.ingest(eventOf(number))
      }
      const stored = await timesStored(current)
      const all = upTo(kills.length * eventsPerKill).map((number) => stored.get(eventOf(number).text) ?? 0)
      const lost = [...promised].filter((number) => all[number] === 0)
      return [
        duty('events stored in the end', all.filter((times) => times > 0).length, all.length),
        breach('acknowledged and lost', lost.length, promised.size),
        breach('done twice', all.filter((times) => times > 1).length, all.length),
        fact('sent again after a kill', unanswered, all.length),
      ]
    } finally {
      await current.stop()
    }
  },
  control: {
    fault: 'of four events one is acknowledged and dropped, and one is sent twice with two event ids',
    shows: ['events stored in the end', 'acknowledged and lost', 'done twice'],
    plant(session) {
      return withFault(session, {
        async ingest(statement) {
          const number = Number(statement.event.replace('event-', ''))
          if (number % 4 === 0) return
          await session.ingest(statement)
          if (number % 4 === 1) await session.ingest({ ...statement, event: `${statement.event} again` })
        },
      })
    },
  },
}
