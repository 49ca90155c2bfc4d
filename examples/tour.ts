// A tour of the engine: writes, reads as of earlier, provenance, an intact audit. Nothing is left behind.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openColophon } from '../src/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-demo-'))
try {
  await using colophon = await openColophon({ path: join(folder, 'memory.db'), actor: 'demo' })
  const memory = colophon.memory('demo')
  const ref = 'agents/concierge'

  console.log('\nTwo texts are stored; one contains a key that must never be stored.')
  const tea = await memory.put(ref, { content: 'Ada prefers tea.', tags: ['preference'] })
  const leaky = `The staging key is sk-${'q7Wd'.repeat(6)}.`
  await memory.put(ref, { content: leaky, tags: ['ops'] })
  for (const entry of (await memory.list(ref)).entries) console.log(`  ${entry.createdAt}  ${entry.content}`)

  const before = await memory.snapshot()
  console.log(
    `\nA run starts now and reads at position ${before.position}. Meanwhile another writer changes and deletes:`,
  )
  await memory.revise(ref, tea.id, { content: 'Ada prefers coffee.', tags: ['preference'] })
  await memory.put(ref, { content: 'Ada moved to Lisbon.' })
  const now = await memory.list(ref)
  const then = await memory.list(ref, { asOf: before.position })
  console.log(`  now:         ${now.entries.map((entry) => entry.content).join(' | ')}`)
  console.log(`  for the run: ${then.entries.map((entry) => entry.content).join(' | ')}`)

  console.log('\nWhere does it come from?')
  console.log(' ', JSON.stringify(await memory.colophon(ref, tea.id)))
  console.log('\nIs the audit intact?')
  console.log(' ', JSON.stringify(await memory.verify({ contents: true })))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
