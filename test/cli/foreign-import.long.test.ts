import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { eventually } from '../support/child.ts'
import { runCli } from '../support/cli.ts'
import { useServer } from '../support/server.ts'
import { cleanEnv, mainProgram } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'

const server = useServer()
const items = 300
const kills = 3

test('an import that is killed several times is completed by the next one, each item once', async () => {
  const { key } = await server.tenant()
  const client = createClient({ url: server.url, key })
  const folder = createFolder()
  const file = folder.file('memory.jsonl')
  const line = (number: number) => ({
    type: 'entity',
    name: `P${number}`,
    entityType: 'person',
    observations: [`${number}`],
  })
  writeFileSync(file, Array.from({ length: items }, (_, number) => JSON.stringify(line(number))).join('\n'))
  const args = ['--url', server.url, '--key', key, 'import', file]
  const count = async () =>
    (await client.memory.list('knowledge-graph', { tag: 'graph:type:person', limit: 500 })).entries.length
  let killed = 0
  for (let round = 1; round <= kills; round++) {
    const child = spawn(process.execPath, [mainProgram, ...args], { env: cleanEnv({}), stdio: 'ignore' })
    await eventually('more are stored', async () => (await count()) > killed + 5)
    child.kill('SIGKILL')
    await once(child, 'exit')
    killed = await count()
  }
  const { code, stdout, stderr } = await runCli([...args, '--json'])
  assert.equal(code, 0, stderr)
  const { imported, skipped } = JSON.parse(stdout)
  // A request that the server had received is stored, whatever became of its client.
  assert.ok(skipped >= killed && killed < items, `${killed} were stored before the last kill`)
  assert.deepEqual([imported + skipped, await count()], [items, items])
  folder.remove()
})
