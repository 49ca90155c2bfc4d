import type { Memory, Scope, Session } from '../product.ts'
import { breach, duty, type Property, required, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const seeded = 12
const reads = 20

const same = (a: readonly Memory[], b: readonly Memory[]) => JSON.stringify(a) === JSON.stringify(b)

/** Adds, changes and removes, one after the other, while a run reads. */
async function disturb(session: Session, scope: Scope, before: readonly Memory[], round: number): Promise<void> {
  const change = required(session, 'change')
  const remove = required(session, 'remove')
  for (const [index, { id }] of before.entries()) {
    if (index % 3 === 0) await change(scope, id, `Changed in round ${round}, at place ${index}.`)
    else if (index % 3 === 1) await remove(scope, id)
    else await session.ingest({ scope, event: `late-${round}-${index}`, text: `Late in round ${round}: ${index}.` })
  }
}

/** A run decides by what it read. If that changes during the run, its decision cannot be explained later. */
export const snapshot: Property = {
  id: 'snapshot',
  title: 'What a run reads stays the same',
  measured: `while memory is added, changed and removed, each run reads ${reads} times more; reads that differ from its first are counted`,
  needs: ['beginRun', 'readInRun', 'endRun', 'change', 'remove'],
  async measure({ session, scale }) {
    const [beginRun, readInRun, endRun] = [
      required(session, 'beginRun'),
      required(session, 'readInRun'),
      required(session, 'endRun'),
    ]
    let differing = 0
    let looked = 0
    let complete = 0
    let moved = 0
    const rounds = upTo(2 * scale)
    for (const round of rounds) {
      const scope = { tenant: 'snapshot', user: `reader-${round}` }
      for (const n of upTo(seeded))
        await session.ingest({ scope, event: `seed-${round}-${n}`, text: `Reader ${round} likes thing ${n}.` })
      await session.settle()
      const before = await session.list(scope)
      const run = await beginRun(scope)
      if (run.seen.length === seeded) complete++
      const judge = (seen: readonly Memory[]) => {
        looked++
        if (!same(seen, run.seen)) differing++
      }
      const reading = async () => {
        for (const _ of upTo(reads)) judge(await readInRun(scope, run))
      }
      await Promise.all([reading(), disturb(session, scope, before, round)])
      await session.settle()
      // Once more after all changes, from outside and by the run itself.
      judge(await readInRun(scope, run))
      judge((await endRun(scope, run)).seen)
      if (!same(await session.list(scope), before)) moved++
    }
    return [
      duty('runs that saw everything', complete, rounds.length),
      duty('memories that really changed meanwhile', moved, rounds.length),
      breach('reads that differed', differing, looked),
    ]
  },
  control: {
    fault: 'a run reads what is there now',
    shows: ['reads that differed'],
    plant: (session) => withFault(session, { readInRun: (scope) => session.list(scope) }),
  },
}
