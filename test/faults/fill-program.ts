// Writes until writes fail, then reports what was acknowledged and how the rest failed.
import { openColophon } from '../../src/open.ts'
import { failureCode, programOptions, report } from '../support/child-program.ts'

export type FillOptions = { readonly path: string; readonly failures: number }

const { path, failures } = programOptions<FillOptions>()
const colophon = await openColophon({ path })
const memory = colophon.memory('acme')
let failed = 0

while (failed < failures) {
  try {
    const { id } = await memory.put('log', { content: 'x'.repeat(20_000) })
    report({ stored: id })
  } catch (error) {
    failed++
    report({ failed: failureCode(error) })
  }
}
report({ readable: (await memory.list('log')).entries.length })
await colophon.close()
