// Stores two entries, reads them back, and shows that a secret never reached the database.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openColophon } from '../src/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'colophon-example-'))
const path = join(folder, 'memory.db')
const secret = `sk-${'0123456789abcdef'.repeat(2)}`

try {
  const colophon = await openColophon({ path, actor: 'example' })
  const memory = colophon.memory('acme')

  // A memoryRef is a name that you choose; it exists from its first put on.
  await memory.put('people/ada', { content: 'Ada prefers tea.', tags: ['preference'], subject: 'ada' })
  await memory.put('people/ada', { content: `Her staging key is ${secret}.`, tags: ['access'] })

  const { entries, position } = await memory.list('people/ada')
  console.log(`At position ${position}, newest first:`)
  for (const { content, tags } of entries) console.log(`  ${content}  (${tags.join(', ')})`)

  const preferences = await memory.list('people/ada', { tag: 'preference' })
  const [tea] = preferences.entries
  if (tea === undefined) throw new Error('the preference is missing')
  console.log('Where it comes from:', await memory.colophon('people/ada', tea.id))

  await colophon.close()
  console.log('The file contains the secret:', readFileSync(path).includes(secret))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
