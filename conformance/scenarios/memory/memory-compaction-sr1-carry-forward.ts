import { randomBytes } from 'node:crypto'
import type { Check, Scenario } from '../../harness.ts'
import { compactedRef, compactRef, compactTexts, findOutput, type Pass } from '../../memory/compaction.ts'
import { hasExtension, openExtension } from '../../memory/extension.ts'
import { unique } from '../../memory/workflow.ts'

const leaked = '[BYOK:hk_live_canary_42]'
const otherMarker = '<REDACTED:db-prod-creds>'
const texts = [`The user confirmed: ${leaked}`, `We got over the ${otherMarker} outage.`, 'Nothing else happened.']

async function outputsOf(check: Check, pass: Pass): Promise<(readonly [where: string, text: string])[]> {
  const output = await findOutput(check, pass)
  return [
    ['what the pass shows', pass.outputContent],
    ['what is stored', String(output.content)],
  ]
}

/** Letters only: nothing but the vault can know that it is a secret. */
const newWord = (): string => Array.from(randomBytes(24), (byte) => String.fromCharCode(97 + (byte % 26))).join('')

/** A source that really contains the secret: it was stored before it was configured as one. */
async function expectStoredSecretOut(check: Check): Promise<void> {
  if (!(await hasExtension(check))) return
  const host = await openExtension(check)
  const memoryRef = compactedRef('sr1-stored')
  const [secretId, value] = [unique('carry-forward'), newWord()]
  await host.put(memoryRef, { content: `The gate opens to ${value} in the evening.` })
  await host.put(memoryRef, { content: 'The gate is closed on Sundays.' })
  await host.putSecret(secretId, value)
  try {
    const sources = JSON.stringify(await host.list(memoryRef))
    check.ok(sources.includes(value), 'a source holds the secret, because it was stored before it became one')
    const pass = await compactRef(check, memoryRef)
    for (const [where, text] of await outputsOf(check, pass)) {
      check.absent(text, value, `${where} holds the secret of its source`)
      check.ok(text.includes(`[REDACTED:${secretId}]`), `${where} has the marker in the place of the secret`)
      check.ok(text.includes('The gate is closed on Sundays.'), `${where} has what was no secret`)
    }
    check.absent(JSON.stringify(pass.payload), value, 'the event of the pass holds the secret of a source')
  } finally {
    await host.removeSecret(secretId)
  }
}

export const memoryCompactionSr1CarryForward: Scenario = {
  id: 'memory-compaction-sr1-carry-forward',
  facts: 'memory 16.14, 6',
  title:
    'SR-1: what comes out of a pass holds no secret of its sources and no marker of another spelling, and says that there was one',
  async run(check) {
    for (const [where, text] of await outputsOf(check, await compactTexts(check, 'sr1', texts))) {
      check.absent(text, leaked, `${where} holds the credential`)
      check.absent(text, otherMarker, `${where} holds a marker of another spelling`)
      check.matches(text, /\[REDACTED:[^\]]+\]/, `${where} has the marker`)
    }
    await expectStoredSecretOut(check)
  },
}
