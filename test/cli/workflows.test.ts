import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Cli } from '../support/cli.ts'
import { waysOfBehaviour } from '../support/cli-ways.ts'

const node = (id: string, typeId: string, config: object = {}) => ({
  id,
  typeId,
  name: id,
  position: { x: 0, y: 0 },
  config,
  inputs: {},
})

const definition = {
  id: 'visit',
  name: 'Remembers a visit',
  version: '1',
  nodes: [
    node('recall', 'colophon.memory.list', { memoryRef: 'people/ada', into: 'known' }),
    node('remember', 'colophon.memory.put', { memoryRef: 'people/ada', content: 'Was here.' }),
  ],
  edges: [{ id: 'e1', sourceNodeId: 'recall', targetNodeId: 'remember' }],
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
}

async function manageWorkflows(cli: Cli, folder: string): Promise<void> {
  const file = (name: string, content: unknown) => {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
    return join(folder, name)
  }
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(['workflows', ...args, '--json'])
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }
  const first = file('visit.json', definition)
  assert.deepEqual(await json('add', first), { id: 'visit', version: 1 })
  assert.deepEqual(await json('add', first), { id: 'visit', version: 1 }, 'the same document is no new version')
  assert.deepEqual(await json('add', file('renamed.json', { ...definition, name: 'Visits' })), {
    id: 'visit',
    version: 2,
  })
  assert.deepEqual(await json('list'), { workflows: [{ id: 'visit', version: 2, name: 'Visits' }] })
  assert.deepEqual(await json('show', 'visit'), { ...definition, name: 'Visits' })
  assert.match((await cli(['workflows', 'list'])).stdout, /^visit +2 +Visits$/m)
  assert.match((await cli(['workflows', 'show', 'visit'])).stdout, /^remember +colophon\.memory\.put +recall$/m)
  assert.match((await cli(['workflows', 'add', first])).stdout, /^visit is at version 3$/m)
  const failures: [string[], number][] = [
    [['show', 'none'], 3],
    [['add', join(folder, 'none.json')], 2],
    [['add', file('bad.json', '{"quoted-never"')], 2],
    [['add', file('list.json', '["quoted-never"]')], 2],
    [['add', file('wrong.json', { ...definition, nodes: [node('x', 'core.nothing')], edges: [] })], 4],
    [['list', '--limit', '-1'], 4],
    [['add'], 2],
  ]
  for (const [args, exitCode] of failures) {
    const { code, stderr } = await cli(['workflows', ...args])
    assert.equal(code, exitCode, `${args.join(' ')}: ${stderr}`)
    assert.doesNotMatch(stderr, /quoted-never/)
  }
}

for (const [name, open] of waysOfBehaviour) {
  test(`workflows are managed, ${name}`, async () => {
    await using way = await open()
    await manageWorkflows(way.cli, way.dataDir)
  })
}
