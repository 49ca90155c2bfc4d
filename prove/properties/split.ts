import { breach, duty, fact, type Property, required, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const recordsRewritten = [1, 4, 9]

/** An attacker who controls the database can write another history that is valid in itself. Two parties that compare must see it. */
export const split: Property = {
  id: 'split',
  title: 'Two histories are found',
  measured:
    'a witness keeps a checkpoint of the log; an attacker rewrites its last records in the database with a valid chain; a second witness sees only the new history. Counted are the histories that the first witness refuses, and those that the second one refuses when it compares with the first',
  needs: ['witness', 'rewriteLog'],
  async measure({ session, scale }) {
    const witness = required(session, 'witness')
    const rewriteLog = required(session, 'rewriteLog')
    const histories = upTo(scale).flatMap((round) => recordsRewritten.map((records) => ({ round, records })))
    const unseen: string[] = []
    const uncompared: string[] = []
    let alarms = 0
    let looks = 0
    let valid = 0
    for (const { round, records } of histories) {
      const tenant = `split-${round}-${records}`
      const scope = { tenant, user: 'ada' }
      const grow = async (text: string) => {
        await session.ingest({ scope, event: text, text })
        await session.settle()
      }
      const look = async (name: string, others: readonly string[]) => {
        looks++
        if (!(await witness(tenant, name, others)).isAccepted) alarms++
      }
      await grow('Ada has a cat.')
      await look('first', [])
      await grow('Ada has a dog.')
      await look('first', [])
      await rewriteLog(tenant, records)
      if (await session.verify?.(tenant)) valid++
      if ((await witness(tenant, 'first', [])).isAccepted) unseen.push(`the last ${records} records`)
      // For a witness that comes later it is the only history.
      await look('second', [])
      if ((await witness(tenant, 'second', ['first'])).isAccepted) uncompared.push(`the last ${records} records`)
    }
    return [
      duty('found by the witness', histories.length - unseen.length, histories.length, unseen),
      duty('found by comparing two witnesses', histories.length - uncompared.length, histories.length, uncompared),
      breach('alarms about one history', alarms, looks),
      fact('valid in themselves', valid, histories.length),
    ]
  },
  control: {
    fault: 'the witnesses cosign whatever they are shown',
    shows: ['found by the witness', 'found by comparing two witnesses'],
    plant: (session) => withFault(session, { witness: async () => ({ isAccepted: true }) }),
  },
}
