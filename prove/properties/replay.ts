import { breach, duty, type Property, required, withFault } from '../property.ts'
import { upTo } from '../random.ts'

const seeded = 6

/** Why did the agent do that? Only the same run with the same memory can show it. */
export const replay: Property = {
  id: 'replay',
  title: 'A replay equals its run',
  measured:
    'a run reads, waits, reads and writes while memory changes; afterwards everything changes again and the run is replayed: all its values must be the same, and nothing may be written',
  needs: ['beginRun', 'endRun', 'replay', 'change', 'remove'],
  async measure({ session, scale }) {
    const [beginRun, endRun, again] = [
      required(session, 'beginRun'),
      required(session, 'endRun'),
      required(session, 'replay'),
    ]
    const change = required(session, 'change')
    const notes = { tenant: 'replay', user: 'notes' }
    let equal = 0
    let minted = 0
    const rounds = upTo(3 * scale)
    for (const round of rounds) {
      const scope = { tenant: 'replay', user: `runner-${round}` }
      for (const n of upTo(seeded)) await session.ingest({ scope, event: `${round}-${n}`, text: `Thing ${n} is old.` })
      await session.settle()
      const run = await beginRun(scope)
      const [first] = await session.list(scope)
      await change(scope, first?.id ?? '', `Changed while run ${round} waited.`)
      const original = await endRun(scope, run)
      for (const { id } of await session.list(scope)) await session.remove?.(scope, id)
      await session.ingest({ scope, event: `${round}-new`, text: 'Everything is new.' })
      await session.settle()
      const before = (await session.list(notes)).length
      const replayed = await again(scope, run)
      if (JSON.stringify(replayed) === JSON.stringify(original)) equal++
      minted += (await session.list(notes)).length - before
    }
    return [
      duty('replays equal to their run', equal, rounds.length),
      breach('memories that replays wrote', minted, rounds.length),
    ]
  },
  control: {
    fault: 'the run is simply started anew',
    shows: ['replays equal to their run', 'memories that replays wrote'],
    plant: (session) =>
      withFault(session, {
        replay: async (scope) => {
          const [begin, end] = [required(session, 'beginRun'), required(session, 'endRun')]
          return end(scope, await begin(scope))
        },
      }),
  },
}
