import { createRandom } from '../../test/support/random.ts'
import type { Session, SourceEvent } from '../product.ts'
import { breach, duty, fact, type Property, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const clients = 8
const eventsPerKill = 40
const scope = { tenant: 'kill', user: 'ada' }
const sourceEventOf = (number: number): SourceEvent => ({
  scope,
  event: `event-${number}`,
  text: `Ada saw comet number ${number}.`,
})

/** Several clients send at once until so many events were acknowledged; then the process is killed. */
async function ingestAndKill(session: Session, numbers: readonly number[], killAfter: number): Promise<Set<number>> {
  const acknowledged = new Set<number>()
  const waiting = [...numbers]
  let killed: Promise<void> | null = null
  const client = async () => {
    for (let next = waiting.shift(); next !== undefined && killed === null; next = waiting.shift()) {
      try {
        await session.ingest(sourceEventOf(next))
        acknowledged.add(next)
      } catch {
        // Not acknowledged: the client will retry.
      }
      if (acknowledged.size >= killAfter) killed ??= session.kill()
    }
  }
  await Promise.all(upTo(clients).map(client))
  await (killed ?? session.kill())
  return acknowledged
}

async function timesStored(session: Session): Promise<Map<string, number>> {
  await session.settle()
  const times = new Map<string, number>()
  for (const { id, text } of await session.list(scope)) {
    // A source that is counted twice is repeated work too, even if the texts were merged.
    const sources = session.trace ? (await session.trace(scope, id)).length : 1
    times.set(text, (times.get(text) ?? 0) + Math.max(1, sources))
  }
  return times
}

/** An acknowledged event must be stored, and a retry must not store it twice. */
export const kill: Property = {
  id: 'kill',
  title: 'No lost or duplicated work when the process is killed',
  measured: `${clients} clients send ${eventsPerKill} events; after a seeded number of acknowledgements the process gets SIGKILL, starts again, and all events that were not acknowledged are sent once more`,
  needs: [],
  needsOwnPlace: true,
  async measure({ product, place, session, seed, scale, plant }) {
    const random = createRandom(seed)
    const kills = upTo(2 * scale)
    const acknowledged = new Set<number>()
    let current = session
    let unanswered = 0
    try {
      for (const round of kills) {
        const numbers = upTo(eventsPerKill).map((n) => round * eventsPerKill + n)
        const killAfter = 1 + Math.floor(random() * (eventsPerKill / 2))
        const answered = await ingestAndKill(current, numbers, killAfter)
        current = plant(await product.open(place))
        for (const number of answered) acknowledged.add(number)
        const again = numbers.filter((number) => !answered.has(number))
        unanswered += again.length
        // An acknowledged event is not sent again: if it is missing in the end, it was lost.
        for (const number of again) await current.ingest(sourceEventOf(number))
      }
      const stored = await timesStored(current)
      const all = upTo(kills.length * eventsPerKill).map((number) => stored.get(sourceEventOf(number).text) ?? 0)
      const lost = [...acknowledged].filter((number) => all[number] === 0)
      return [
        duty('events stored in the end', all.filter((times) => times > 0).length, all.length),
        breach('acknowledged and lost', lost.length, acknowledged.size),
        breach('done twice', all.filter((times) => times > 1).length, all.length),
        fact('sent again after a kill', unanswered, all.length),
      ]
    } finally {
      await current.stop()
    }
  },
  control: {
    fault: 'of four events one is acknowledged and dropped, and one is sent twice under two ids',
    shows: ['events stored in the end', 'acknowledged and lost', 'done twice'],
    plant(session) {
      return withFault(session, {
        async ingest(sent) {
          const number = Number(sent.event.replace('event-', ''))
          if (number % 4 === 0) return
          await session.ingest(sent)
          if (number % 4 === 1) await session.ingest({ ...sent, event: `${sent.event} again` })
        },
      })
    },
  },
}
