// Opens new databases one after the other, each at the same moment as other processes do, and puts one entry into each.
import { type OpenOptions, openColophon } from '../../src/open.ts'
import { failureCode, programOptions, report } from '../support/child-program.ts'
// The adapters load on use; loaded now, all processes reach the database in the same millisecond.
import '../../src/adapters/postgres/open.ts'
import '../../src/adapters/sqlite/open.ts'

export type OpenerOptions = { readonly opens: readonly OpenOptions[]; readonly startAt: number }

const everyMs = 40
const { opens, startAt } = programOptions<OpenerOptions>()

for (const [index, options] of opens.entries()) {
  // A timer would fire some milliseconds late, by a different time in each process: too far apart to race.
  while (Date.now() < startAt + index * everyMs);
  try {
    await using colophon = await openColophon(options)
    await colophon.memory('acme').put('log', { content: 'opened' })
    report('opened')
  } catch (error) {
    report(failureCode(error))
  }
}
