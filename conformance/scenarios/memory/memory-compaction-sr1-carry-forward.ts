import type { Scenario } from '../../harness.ts'
import { compactTexts, findOutput } from '../../memory/compaction.ts'

const leaked = '[BYOK:hk_live_canary_42]'
const otherMarker = '<REDACTED:db-prod-creds>'
const texts = [`The user confirmed: ${leaked}`, `We got over the ${otherMarker} outage.`, 'Nothing else happened.']

export const memoryCompactionSr1CarryForward: Scenario = {
  id: 'memory-compaction-sr1-carry-forward',
  facts: 'memory 16.14, 6',
  title:
    'SR-1: what comes out of a pass holds no secret and no marker of another spelling, and says that there was one',
  async run(check) {
    const pass = await compactTexts(check, 'sr1', texts)
    const output = await findOutput(check, pass)
    for (const [where, text] of [
      ['what the pass shows', pass.outputContent],
      ['what is stored', String(output.content)],
    ] as const) {
      check.absent(text, leaked, `${where} holds the credential`)
      check.absent(text, otherMarker, `${where} holds a marker of another spelling`)
      check.matches(text, /\[REDACTED:[^\]]+\]/, `${where} has the marker`)
    }
  },
}
