import { breach, duty, type Property, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const retries = 32

/** A client without a response in time retries, and so do its queue and its other processes. */
export const duplicates: Property = {
  id: 'duplicates',
  title: 'No duplicates under concurrent retries',
  measured: `each of several events is sent ${retries} times at once under one id; memories beyond one per event are counted`,
  needs: [],
  async measure({ session, scale }) {
    const events = upTo(4 * scale)
    const scope = { tenant: 'duplicates', user: 'ada' }
    const textOf = (event: number) => `Ada owns bicycle number ${event}.`
    for (const event of events) {
      const sent = { scope, event: `event-${event}`, text: textOf(event) }
      await Promise.all(upTo(retries).map(() => session.ingest(sent)))
    }
    await session.settle()
    const stored = (await session.list(scope)).map(({ text }) => text)
    const timesOf = (event: number) => stored.filter((text) => text === textOf(event)).length
    const extra = events.reduce((sum, event) => sum + Math.max(0, timesOf(event) - 1), 0)
    return [
      duty('events remembered', events.filter((event) => timesOf(event) > 0).length, events.length),
      breach('extra memories', extra, events.length * (retries - 1)),
    ]
  },
  control: {
    fault: 'every retry comes as another event about something else',
    shows: ['extra memories'],
    plant(session) {
      let number = 0
      return withFault(session, {
        ingest: (sent) => session.ingest({ ...sent, event: `${sent.event}-${++number}`, claim: `claim-${number}` }),
      })
    },
  },
}
