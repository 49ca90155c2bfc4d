import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { parseCheckpoint } from '../../src/core/log/checkpoint.ts'
import { useServer } from '../support/server.ts'
import { createFolder } from '../support/temporary-folder.ts'

/** The program in Python shares no code with the server: if both agree, they agree about the bytes. */

const program = join(import.meta.dirname, '../../examples/verify-log/verify_log.py')
const hasPython = spawnSync('python3', ['--version']).status === 0
const skip = hasPython ? false : 'there is no python3 on this machine; npm run prove needs it and runs the same program'

const folder = createFolder()
after(() => folder.remove())
const server = useServer()

function verify(...args: readonly string[]): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile('python3', [program, ...args], { timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: `${stdout}${stderr}` }),
    )
  })
}

function save(name: string, content: string | object): string {
  const file = folder.file(name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

test('a program in another language verifies checkpoints and proofs, and finds each change', { skip }, async () => {
  const { key: apiKey } = await server.tenant()
  const client = createClient({ url: server.url, key: apiKey })
  for (const content of ['Ada prefers tea.', 'Zoë 東京 "quoted" \u2028', 'third'])
    await client.memory.put('notes', { content })
  const first = await client.log.checkpoint()
  const older = save('older', first)
  await client.memory.put('notes', { content: 'fourth' })
  const newest = await client.log.checkpoint()
  const newer = save('newer', newest)
  const key = (await client.log.keys()).keys[0]?.verifierKey ?? ''
  const [from, size] = [first, newest].map((text) => parseCheckpoint('checkpoint', text).size) as [number, number]
  const growth = await client.log.consistency({ from, to: size })
  const inclusion = await client.log.inclusion({ position: 3, size })
  const audit = await client.audit.list()

  const checkpoint = await verify('checkpoint', '--key', key, newer)
  assert.ok(checkpoint.ok && checkpoint.output.startsWith('valid: '), checkpoint.output)
  const proofOfGrowth = save('growth.json', growth)
  const grown = await verify('consistency', '--key', key, '--proof', proofOfGrowth, older, newer)
  assert.ok(grown.ok, grown.output)
  const [pageFile, proofFile] = [save('audit.json', audit), save('inclusion.json', inclusion)]
  const included = await verify('inclusion', '--key', key, '--audit', pageFile, '--proof', proofFile, newer)
  assert.match(included.output, /^valid: record 3 is one of /)

  // Each of these is one change of one byte or member.
  const forged = save('forged', newest.replace(`\n${size}\n`, `\n${size + 1}\n`))
  const other = (hash = '') => (hash.startsWith('A') ? 'B' : 'A') + hash.slice(1)
  const badGrowth = save('bad-growth.json', { ...growth, hashes: [other(growth.hashes[0]), ...growth.hashes.slice(1)] })
  const badPage = save('bad-audit.json', {
    ...audit,
    records: audit.records.map((record) => (record.position === 3 ? { ...record, actor: 'key:mallory' } : record)),
  })
  for (const args of [
    ['checkpoint', '--key', key, forged],
    ['consistency', '--key', key, '--proof', badGrowth, older, newer],
    ['inclusion', '--key', key, '--audit', badPage, '--proof', proofFile, newer],
  ]) {
    const refused = await verify(...args)
    assert.ok(!refused.ok && refused.output.startsWith('not valid: '), `${args[0]}: ${refused.output}`)
  }
})
