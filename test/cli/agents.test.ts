import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Cli } from '../support/cli.ts'
import { waysOfBehaviour } from '../support/cli-ways.ts'

const manifest = {
  agentId: 'local.team.concierge',
  persona: 'Concierge',
  modelClass: 'general',
  systemPrompt: 'The prompt nobody sees.',
  requiresCapabilities: ['host.voice'],
}

async function manageAgents(cli: Cli, folder: string): Promise<void> {
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const json = async (args: string[]) => {
    const { code, stdout, stderr } = await cli([...args, '--json'])
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }
  const good = file('concierge.json', JSON.stringify(manifest))
  const made = await json(['agents', 'add', good])
  assert.deepEqual(await json(['agents', 'show', manifest.agentId]), made)
  assert.deepEqual(await json(['agents', 'list']), { agents: [made], total: 1 })
  const shown = await Promise.all(
    [['add', good], ['list'], ['show', manifest.agentId]].map((args) => cli(['agents', ...args])),
  )
  for (const { code, stdout } of shown) {
    assert.equal(code, 0)
    assert.match(stdout, /local\.team\.concierge/)
    assert.match(stdout, /host\.voice/)
    assert.doesNotMatch(stdout, /nobody sees/)
  }
  assert.deepEqual(await json(['agents', 'remove', manifest.agentId]), { deleted: true })
  assert.deepEqual(await json(['agents', 'remove', manifest.agentId]), { deleted: false })
  assert.match((await cli(['agents', 'list'])).stdout, /no results/)
  const failures: [string[], number][] = [
    [['show', manifest.agentId], 3],
    [['show', 'roster'], 3],
    [['add', join(folder, 'none.json')], 2],
    [['add', file('bad.json', '{"quoted-never"')], 2],
    [['add', file('text.json', '"quoted-never"')], 2],
    [['add', file('wrong.json', '{"persona":"quoted-never"}')], 4],
    [['add', file('skill.json', JSON.stringify({ ...manifest, role: 'skill' }))], 4],
  ]
  for (const [args, exitCode] of failures) {
    const { code, stderr } = await cli(['agents', ...args])
    assert.equal(code, exitCode, `${args.join(' ')}: ${stderr}`)
    assert.doesNotMatch(stderr, /quoted-never/)
  }
}

for (const [name, open] of waysOfBehaviour) {
  test(`agents are managed, ${name}`, async () => {
    await using way = await open()
    await manageAgents(way.cli, way.dataDir)
  })
}
