import type { Scenario } from '../../harness.ts'
import { compactTexts, expectCompacted, findOutput } from '../../memory/compaction.ts'
import { hasExtension, openExtension } from '../../memory/extension.ts'

const texts = ['The visitor takes tea.', 'The visitor comes on Mondays.', 'The visitor parks in the yard.']

export const memoryCompactionEventEmitted: Scenario = {
  id: 'memory-compaction-event-emitted',
  facts: 'memory 16.13, 10.3',
  title: 'A pass records which entries became which, in identifiers and counts only, and its output can be read',
  async run(check) {
    const pass = await compactTexts(check, 'event', texts)
    expectCompacted(check, pass, texts.length)
    check.equal(pass.payload.byteSize, Buffer.byteLength(pass.outputContent), 'byteSize is that of the stored content')
    for (const text of texts) check.absent(JSON.stringify(pass.payload), text, 'the event holds content')
    const output = await findOutput(check, pass)
    check.equal(output.content, pass.outputContent, 'what is read is what was stored')
    if (!(await hasExtension(check))) return
    const host = await openExtension(check)
    check.equal((await host.get(pass.memoryRef, String(output.id))).json, output, 'the output, got by its id')
  },
}
