import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loadFramework } from '../../examples/frameworks/load.ts'
import { type Client, createClient } from '../../src/client/index.ts'
import { type MemoryToolHandlers, memoryToolHandlers } from '../../src/integrations/anthropic.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Framework = { betaMemoryTool(handlers: MemoryToolHandlers): { run(command: object): Promise<string> } }

describe("Claude's memory tool on Colophon", () => {
  let server: TestServer
  let client: Client
  let framework: Framework
  before(async () => {
    server = await startServer()
    client = createClient({ url: server.url, key: server.key })
    framework = await loadFramework<Framework>('@anthropic-ai/sdk/helpers/beta/memory')
  })
  after(() => server[Symbol.asyncDispose]())

  test('runs every command, with the answers and refusals that the tool describes', async () => {
    const { run } = framework.betaMemoryTool(memoryToolHandlers({ client, ref: 'files' }))
    const path = '/memories/people/ada.md'
    assert.match(await run({ command: 'view', path: '/memories' }), /^Here're the files/)
    await run({ command: 'create', path, file_text: 'Ada\ndrinks coffee.' })
    await assert.rejects(run({ command: 'create', path, file_text: 'x' }), /already exists/)
    await run({ command: 'create', path: '/memories/empty.md', file_text: '' })
    assert.match(
      await run({ command: 'view', path: '/memories' }),
      /\t\/memories\/people\/\n.*\t\/memories\/people\/ada\.md/,
    )
    assert.match(await run({ command: 'str_replace', path, old_str: 'coffee', new_str: 'tea' }), /2\tdrinks tea\./)
    await assert.rejects(run({ command: 'str_replace', path, old_str: 'milk', new_str: 'x' }), /did not appear/)
    await run({ command: 'insert', path, insert_line: 1, insert_text: 'lives in Turin and\n' })
    assert.equal(
      await run({ command: 'view', path }),
      `Here's the content of ${path} with line numbers:\n     1\tAda\n     2\tlives in Turin and\n     3\tdrinks tea.`,
    )
    assert.match(await run({ command: 'view', path, view_range: [2, 2] }), /:\n {5}2\tlives in Turin and$/)
    await run({ command: 'rename', old_path: '/memories/people', new_path: '/memories/friends' })
    await assert.rejects(run({ command: 'view', path }), /does not exist/)
    await run({ command: 'delete', path: '/memories/friends' })
    await assert.rejects(run({ command: 'delete', path: '/memories/friends' }), /does not exist/)
    for (const outside of ['/etc/passwd', '/memories/../etc', '/memoriesx'])
      await assert.rejects(run({ command: 'view', path: outside }), /must be inside/)
    assert.equal((await client.memory.list('files')).entries.length, 1)
  })

  test('an edit is a version with its own source event, and the text before it stays readable', async () => {
    const { run } = framework.betaMemoryTool(memoryToolHandlers({ client, ref: 'edits', service: 'support-bot' }))
    const path = '/memories/ada.md'
    await run({ command: 'create', path, file_text: 'coffee' })
    const { position } = await client.memory.list('edits')
    await run({ command: 'str_replace', path, old_str: 'coffee', new_str: 'tea' })
    const [file] = (await client.memory.list('edits')).entries
    const { version, story } = await client.memory.colophon('edits', file?.id ?? '')
    const scopes = story.flatMap(({ step, details }) => (step === 'told' ? [details.provenance] : []))
    assert.deepEqual(
      [version, scopes.map((told) => (told as { scope: { command: string } }).scope.command)],
      [2, ['create', 'str_replace']],
    )
    const [before] = (await client.memory.list('edits', { asOf: String(position) })).entries
    assert.deepEqual([before?.content, before?.id], ['coffee', file?.id])
  })

  test('edits of two clients at once are both kept', async () => {
    const { run } = framework.betaMemoryTool(memoryToolHandlers({ client, ref: 'raced' }))
    const path = '/memories/list.md'
    await run({ command: 'create', path, file_text: 'a b c d' })
    const letters = ['a', 'b', 'c', 'd']
    await Promise.all(
      letters.map((one) => run({ command: 'str_replace', path, old_str: one, new_str: one.toUpperCase() })),
    )
    assert.match(await run({ command: 'view', path }), /A B C D$/)
  })

  test('a path with a secret is refused', async () => {
    const { run } = framework.betaMemoryTool(memoryToolHandlers({ client, ref: 'secrets' }))
    const path = `/memories/ghp_${'a'.repeat(36)}`
    await assert.rejects(run({ command: 'create', path, file_text: 'x' }), { code: 'secret_leakage' })
  })
})
