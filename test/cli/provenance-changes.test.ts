import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runCli } from '../support/cli.ts'
import { ways, waysOfBehaviour } from '../support/cli-ways.ts'
import { createHome, startServer } from '../support/server.ts'

const { 'with --url': openRemote } = ways
const early = ['--observed-at', '2026-01-05T10:00:00Z']
const late = ['--observed-at', '2026-01-06T10:00:00Z']
const slot = ['--verbatim', '--category', 'preference', '--claim-key', 'ui.theme', '--wait']

for (const [name, open] of waysOfBehaviour) {
  describe(name, { concurrency: 4 }, () => {
    test('authority rules of a writer are previewed, changed in part, and applied to earlier claims by reresolve', async () => {
      await using way = await open()
      const { text, json } = way
      await text('writers', 'add', 'crm', '--priority', '60', '--authority', 'fact=70', 'goal=80')
      const added = await way.cli(['writers', 'add', 'chat'])
      assert.match(
        added.stderr,
        /^colophon: warning: every key .* can send events as chat\. To bind it: colophon writers change/,
      )
      await text('add', 'ada', 'Prefers dark mode.', '--service', 'crm', '--event', 'a', ...early, ...slot)
      await text('add', 'ada', 'Prefers light mode.', '--service', 'chat', '--event', 'b', ...late, ...slot)
      const holds = async () => (await json('memories', 'list', 'ada')).data[0].content
      assert.equal(await holds(), 'Prefers dark mode.')

      const preview = await text('writers', 'preview', 'chat', '--authority', 'preference=90')
      assert.match(preview, /^1 claims checked, 1 would change\n[\s\S]*ada\s+ui\.theme\s+mem_\S+\s+mem_/)
      assert.match(await text('writers', 'preview', 'chat'), /^1 claims checked, 0 would change$/)
      await text('writers', 'change', 'chat', '--authority', 'preference=90')
      assert.equal(await holds(), 'Prefers dark mode.', 'a change of rules decides nothing by itself')
      assert.equal(await text('writers', 'reresolve', 'chat', '--wait'), '1 claims decided again, 1 have a new winner')
      assert.equal(await holds(), 'Prefers light mode.')

      const crm = await json('writers', 'change', 'crm', '--authority', 'goal=default', 'fact=0', '--name', 'CRM')
      assert.deepEqual(crm.authority_rules, { default_priority: 60, categories: { fact: 0 } })
      assert.equal((await json('writers', 'change', crm.id, '--deactivate')).is_active, false)
      assert.match(await way.fails(4, 'add', 'ada', 'More.', '--service', 'crm', '--event', 'c'), /writer_invalid/)
      const activated = await way.cli(['writers', 'change', 'crm', '--activate'])
      assert.match(activated.stdout, /^crm \(CRM\)\s+active/m)
      assert.match(activated.stderr, /^colophon: warning: every key .* can send events as crm\./)
    })

    test('a memory is edited, archived, restored, found and erased', async () => {
      await using way = await open()
      const { cli, text, json } = way
      await text('add', 'ada', 'Ada drinks tea.', '--verbatim', '--agent', 'concierge', '--wait')
      const memory = (await json('memories', 'list', 'ada')).data[0]
      const { id } = memory
      assert.equal(memory.attribution.agent_id, 'concierge')
      const before = (await json('trace', id)).audit.position
      assert.equal(
        await text('memories', 'edit', id, 'Ada drinks green tea.', '--importance', '9'),
        `${id} is at version 2`,
      )
      const edited = await cli(['memories', 'edit', id], 'Ada drinks white tea.\n')
      assert.equal(edited.code, 0, edited.stderr)
      assert.match(await text('memories', 'show', id), /content\s+Ada drinks white tea\.[\s\S]*importance_score\s+9/)
      assert.match(await text('memories', 'list', 'ada', '--as-of', String(before)), /Ada drinks tea\./)
      assert.match(
        await text('retrieve', 'ada', 'which tea?'),
        /^\d\.\d{3}\s+mem_\S+\s+fact\s+agent\s+Ada drinks white tea/m,
      )
      assert.match(await text('retrieve', 'ada', 'which tea?', '--prompt'), /Ada drinks white tea\.$/)
      assert.deepEqual((await json('retrieve', 'ada', 'tea', '--agent', 'other')).data, [])
      await text('memories', 'edit', id, '--always-include')
      assert.match(await text('memories', 'list', 'ada'), /active, always included/)
      assert.match(await text('retrieve', 'ada', 'zeppelin', '--explain'), /always_include\s+Ada drinks white tea/)
      await text('memories', 'edit', id, '--no-always-include')
      assert.match(await text('retrieve', 'ada', 'zeppelin'), /no results/)
      assert.equal(await text('memories', 'archive', id), `${id} is archived`)
      assert.match(await text('memories', 'list', 'ada'), /no results/)
      assert.equal(await text('memories', 'restore', id), `${id} is active`)
      assert.match(await text('memories', 'sources', id), /no results/, 'no service stated it')
      assert.equal(await text('memories', 'delete', id, '--erase'), 'erased')
      await way.fails(3, 'memories', 'history', id)
      await way.fails(3, 'memories', 'show', id)
    })
  })
}

test('a command that was called wrongly, or for nothing, says so', async () => {
  await using way = await openRemote()
  for (const args of [
    ['add', 'ada', 'x', '--category', 'fact'],
    ['add', 'ada', 'x', '--service', 'crm'],
    ['add', 'ada', 'x', '--event', 'e'],
    ['writers', 'add', 'crm', '--priority', '101'],
    ['writers', 'add', 'crm', '--authority', 'colour=5'],
    ['memories', 'edit', 'mem_none', '--importance', '11'],
    ['retrieve', 'ada', 'x', '--days', 'many'],
    ['claims', 'pin', 'clm_none', 'mem_none'],
  ])
    await way.fails(2, ...args)
  for (const args of [
    ['trace', 'mem_none'],
    ['memories', 'history', 'mem_none'],
    ['memories', 'delete', 'mem_none'],
    ['claims', 'show', 'clm_none'],
    ['sources', 'show', 'src_none'],
    ['jobs', 'show', 'job_none', '--wait'],
    ['writers', 'change', 'crm', '--priority', '1'],
  ])
    assert.match(await way.fails(3, ...args), /not_found/)
  for (const args of [
    ['add', 'ada', 'x', '--service', 'crm', '--event', 'e'],
    ['memories', 'list', 'ada', '--limit', '51'],
    ['memories', 'list', 'ada', '--category', 'colour'],
    ['writers', 'add', 'Not A Slug'],
  ])
    await way.fails(4, ...args)
})

const workflow = {
  id: 'note',
  name: 'Note',
  version: '1',
  nodes: [
    {
      id: 'remember',
      name: 'Remember',
      typeId: 'colophon.memory.put',
      position: { x: 0, y: 0 },
      config: { memoryRef: 'subject:ada', content: 'Ada was here.' },
      inputs: {},
    },
  ],
  edges: [],
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
}

test('trace shows entries of clients and runs, on a server and in the data folder', async () => {
  await using home = await createHome('sqlite')
  const env = { COLOPHON_API_KEY: '', COLOPHON_URL: '' }
  let run = ''
  let put = ''
  const assertTold = async (env: Record<string, string>) => {
    const { data } = JSON.parse((await runCli(['memories', 'list', 'ada', '--json'], { env })).stdout)
    const byRun = await runCli(['trace', data[0].id], { env })
    assert.match(byRun.stdout, new RegExp(`written\\s+key:\\S+\\s+Run ${run}, node remember wrote it`), byRun.stderr)
    const byClient = await runCli(['trace', put], { env })
    assert.match(
      byClient.stdout,
      /^mem_\S+ in notes is active\nAda likes tea\.\n[\s\S]*1\s+version\s+key:/,
      byClient.stderr,
    )
  }
  {
    await using server = await startServer({ home })
    const wired = { ...env, COLOPHON_URL: server.url, COLOPHON_API_KEY: server.key }
    put = (await runCli(['put', 'notes', 'Ada likes tea.'], { env: wired })).stdout.trim()
    assert.equal((await server.call('POST', '/v1/host/colophon/workflows', workflow)).status, 201)
    run = (await server.call('POST', '/v1/runs', { workflowId: 'note', inputs: {} })).body.runId
    for (let status = ''; status !== 'completed'; ) {
      const poll = await server.call('GET', `/v1/runs/${run}/events/poll?lastSequence=-1&timeout=1`)
      status = poll.body.runStatus
    }
    await assertTold(wired)
    await server.stop()
  }
  await assertTold(home.env)
})
