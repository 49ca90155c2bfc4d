import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { createFolder } from '../../test/support/temporary-folder.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { nodeSystem } from '../adapters/system/node-system.ts'
import { listAgents, putAgent } from '../app/agents.ts'
import { agentLimits } from '../core/agents/agent.ts'
import { type ErrorCode, isColophonError } from '../core/errors.ts'
import { composeEngine } from '../open.ts'
import { installAgentFiles, loadAgentFiles } from './agent-files.ts'

/** A host without any capability. */
const advertised = { agents: {} }
const manifest = (name: string) => ({
  agentId: `local.team.${name}`,
  persona: name,
  modelClass: 'general',
  systemPrompt: 'Be kind.',
})

let folder = ''
beforeEach(() => {
  folder = createFolder().path
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, content: unknown) =>
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))

function open() {
  const { engine, close } = composeEngine(openInMemoryStore({ now: Date.now }), nodeSystem(), 'test', null)
  const install = () => installAgentFiles(engine.tenant('default'), folder, async () => advertised)
  const position = async () => (await engine.storage.clock('default'))?.position ?? 0
  return { engine, install, position, [Symbol.asyncDispose]: close }
}

test('a missing or empty folder has no agents', async () => {
  assert.deepEqual(loadAgentFiles(join(folder, 'none')), [])
  assert.deepEqual(loadAgentFiles(folder), [])
  await using world = open()
  await world.install()
  assert.equal(await world.engine.storage.tenant('default'), null)
})

test('manifests are read in order of file name; other files are ignored', () => {
  write('b.json', manifest('b'))
  write('a.json', `\uFEFF${JSON.stringify(manifest('a'))}`)
  write('notes.txt', 'not mine')
  write('.hidden.json', 'not mine')
  mkdirSync(join(folder, 'folder.json'))
  mkdirSync(join(folder, 'elsewhere'))
  write('elsewhere/c', manifest('c'))
  symlinkSync(join(folder, 'elsewhere/c'), join(folder, 'c.json'))
  const found = loadAgentFiles(folder).map(({ manifest }) => manifest.agentId)
  assert.deepEqual(found, ['local.team.a', 'local.team.b', 'local.team.c'])
})

test('an error of a bad file has its name and the problem, but not its text', () => {
  const secret = 'zq-not-to-be-quoted'
  const bad: [unknown, ErrorCode][] = [
    [`{"${secret}"`, 'pack_validation_failed'],
    ['', 'pack_validation_failed'],
    [[secret], 'validation_error'],
    [{ ...manifest('a'), persona: [secret] }, 'validation_error'],
    [{ ...manifest('a'), [secret]: 1 }, 'validation_error'],
    [{ ...manifest('a'), role: 'skill', label: secret }, 'pack_validation_failed'],
    ['x'.repeat(agentLimits.manifestBytesMax + 1), 'pack_validation_failed'],
  ]
  for (const [content, code] of bad) {
    write('bad.json', content)
    assert.throws(
      () => loadAgentFiles(folder),
      (error) => {
        assert.ok(isColophonError(error, code), String(error))
        assert.ok(error.message.includes(join(folder, 'bad.json')), error.message)
        assert.ok(!`${error.message}${JSON.stringify(error.details)}${error.cause}`.includes(secret))
        return true
      },
    )
  }
})

test('two files for one agent are refused: each start would change it twice', () => {
  write('a.json', manifest('a'))
  write('b.json', manifest('a'))
  assert.throws(
    () => loadAgentFiles(folder),
    (error) => isColophonError(error) && /b\.json.*a\.json/.test(error.message),
  )
})

test('installing again changes nothing; a changed file changes its agent and overrides the API', async () => {
  write('a.json', manifest('a'))
  write('b.json', manifest('b'))
  await using world = open()
  await world.install()
  const before = await world.position()
  await world.install()
  assert.equal(await world.position(), before)
  write('b.json', { ...manifest('b'), persona: 'Bee' })
  rmSync(join(folder, 'a.json'))
  await putAgent(world.engine.tenant('default'), { ...manifest('b'), persona: 'by hand' }, advertised)
  await world.install()
  const personas: string[] = []
  for await (const { persona } of listAgents(world.engine.tenant('default'))) personas.push(persona)
  assert.deepEqual(personas, ['a', 'Bee'])
})

test('an agent that this host cannot support is refused with its file name', async () => {
  write('a.json', { ...manifest('a'), peerDependencies: { 'openwop.agents.memoryBackends': '>=longTerm' } })
  await using world = open()
  await assert.rejects(
    world.install(),
    (error) =>
      isColophonError(error, 'pack_validation_failed') &&
      error.message.includes('a.json') &&
      error.message.includes('openwop.agents.memoryBackends'),
  )
})
