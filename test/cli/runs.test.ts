import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { CliResult } from '../support/cli.ts'
import { type Way, ways, waysOfBehaviour } from '../support/cli-ways.ts'

const node = (id: string, typeId: string, config: object = {}) => ({
  id,
  typeId,
  name: id,
  position: { x: 0, y: 0 },
  config,
  inputs: {},
})

type Node = ReturnType<typeof node>

/** Nodes that follow each other. */
async function addWorkflow({ cli, dataDir }: Way, id: string, ...nodes: Node[]): Promise<void> {
  const edges = nodes.slice(1).map((target, index) => ({
    id: `e${index}`,
    sourceNodeId: nodes[index]?.id,
    targetNodeId: target.id,
  }))
  const parts = { triggers: [], variables: [], metadata: {}, settings: {} }
  const file = join(dataDir, `${id}.json`)
  writeFileSync(file, JSON.stringify({ id, name: id, version: '1', nodes, edges, ...parts }))
  assertDone(await cli(['workflows', 'add', file]))
}

function assertDone({ code, stderr, stdout }: CliResult): string {
  assert.equal(code, 0, stderr)
  return stdout.trim()
}

const memoryRef = 'people/{{inputs.person}}'
const visit = [
  node('recall', 'colophon.memory.list', { memoryRef, into: 'known' }),
  node('remember', 'colophon.memory.put', { memoryRef, content: 'Met after {{variables.known.0.content}}' }),
]

for (const [name, open] of waysOfBehaviour) {
  describe(name, { concurrency: 2 }, () => {
    test('a run is started, waited for, looked at, replayed and branched', async () => {
      await using way = await open()
      const { cli } = way
      const json = async (...args: string[]) => JSON.parse(assertDone(await cli([...args, '--json'])))
      const runs = async (...args: string[]) => assertDone(await cli(['runs', ...args]))
      await addWorkflow(way, 'visit', ...visit)
      const seen = assertDone(await cli(['put', 'people/ada', 'tea']))
      const id = await runs('start', 'visit', '--input', '{"person": "ada"}', '--wait')
      assert.match(id, /^run_[0-9a-f-]{36}$/)
      assert.match(await runs('show', id), /^status +completed$[\s\S]*^remember +completed /m)
      const reads = await runs('reads', id)
      assert.match(reads, /^snapshot: position 2, /)
      assert.match(reads, new RegExp(`^2 +recall +list +people/ada +${seen}$`, 'm'))
      const lines = (await runs('events', id)).split('\n')
      assert.match(lines[0] ?? '', /^0 \S+ run\.started /)
      assert.match(lines.at(-1) ?? '', /^7 \S+ run\.completed /)
      assert.equal(lines.length, 8)
      assert.doesNotMatch(lines.join('\n'), /tea/, 'events hold no memory')

      const replay = await runs('fork', id, '--mode', 'replay', '--wait')
      assert.equal(await runs('diff', id, replay), 'no difference')
      assert.deepEqual((await json('runs', 'reads', replay)).reads[0].entryIds, [seen])
      const branch = await runs('fork', id, '--mode', 'branch', '--from-seq', '3', '--wait')
      assert.match(await runs('diff', id, branch), /^4 +changed +memory\.written remember +memory\.written remember$/m)
      assert.equal((await json('list', 'people/ada')).entries.length, 3, 'a replay writes nothing, a branch does')

      assert.match(
        await runs('list', '--workflow', 'visit', '--status', 'completed'),
        new RegExp(`^${id} +visit@1 `, 'm'),
      )
      assert.match(await runs('list', '--workflow', 'other'), /no results/)
      const page = await json('runs', 'list', '--limit', '2')
      assert.deepEqual(
        page.runs.map(({ runId }: { runId: string }) => runId),
        [branch, replay],
      )
      assert.equal((await json('runs', 'list', '--cursor', page.cursor)).runs[0].runId, id)
      assert.equal((await json('runs', 'show', id)).variables.known[0].content, 'tea')
      assert.equal((await json('runs', 'events', id)).events.length, 8)
      assert.equal((await json('runs', 'diff', id, replay)).divergedAtSeq, null)
    })

    test('a run that asks is answered', async () => {
      await using way = await open()
      const runs = (...args: string[]) => way.cli(['runs', ...args])
      await addWorkflow(way, 'gate', node('ask', 'core.approvalGate', { into: 'decision' }))
      const started = await runs('start', 'gate', '--wait')
      const id = assertDone(started)
      assert.match(started.stderr, new RegExp(`waiting-approval.*runs answer ${id} ask`))
      assert.match(
        assertDone(await runs('show', id)),
        /^waiting at +ask \(approval\)$[\s\S]*^interrupt +\{.*"actions"/m,
      )
      assert.equal((await runs('answer', id, 'ask', '{quoted-never')).code, 2)
      assert.equal((await runs('answer', id, 'ask', '{"action": "perhaps"}')).code, 4)
      assert.equal((await runs('answer', id, 'other', 'true')).code, 3)
      assert.equal(assertDone(await runs('answer', id, 'ask', '{"action": "accept"}', '--wait')), `${id} is completed`)
      assert.equal((await runs('answer', id, 'ask', '{"action": "accept"}')).code, 4, 'nobody answers twice')
      assert.match(assertDone(await runs('show', id)), /^variable decision +\{"action":"accept"\}$/m)
    })

    test('a run is paused, resumed and cancelled', async () => {
      await using way = await open()
      const runs = (...args: string[]) => way.cli(['runs', ...args])
      await addWorkflow(way, 'gate', node('ask', 'core.interrupt', { kind: 'custom' }))
      const id = assertDone(await runs('start', 'gate', '--wait'))
      assert.equal(assertDone(await runs('pause', id, '--immediate', '--reason', 'lunch')), `${id} is paused`)
      assert.equal((await runs('pause', id)).code, 4)
      assert.match(assertDone(await runs('events', id)), /run\.paused .*"drainPolicy":"immediate".*"reason":"lunch"/)
      assert.match((await runs('show', id)).stdout, /^status +paused$/m)
      assert.match(assertDone(await runs('resume', id)), /^run_\S+ is running$/)
      assert.equal((await runs('resume', id)).code, 4)
      assert.equal(assertDone(await runs('cancel', id, '--reason', 'no longer needed')), `${id} is cancelled`)
      assert.match(assertDone(await runs('events', id)), /run\.cancelled .*"reason":"no longer needed"/)
      assert.equal((await runs('answer', id, 'ask', '1')).code, 4)
    })

    test('a run that fails ends the waiting command with 4 and says why', async () => {
      await using way = await open()
      await addWorkflow(way, 'broken', node('break', 'core.fail', { code: 'no_luck', message: 'Not today.' }))
      const { code, stdout, stderr } = await way.cli(['runs', 'start', 'broken', '--wait'])
      assert.equal(code, 4)
      assert.match(stdout, /^run_/)
      assert.match(stderr, /is failed: no_luck: Not today\./)
    })
  })
}

test('without --wait on the data folder, the run is stored and goes on with the next command that waits', async () => {
  await using way = await ways.embedded()
  const delay = node('wait', 'core.delay', { delayMs: 200 })
  await addWorkflow(way, 'slow', delay, node('note', 'colophon.memory.put', { memoryRef: 'notes', content: 'done' }))
  const started = await way.cli(['runs', 'start', 'slow'])
  const id = assertDone(started)
  assert.match(started.stderr, new RegExp(`a server runs on this data, or with: colophon runs show ${id} --wait`))
  assert.match(assertDone(await way.cli(['runs', 'show', id, '--wait'])), /^status +completed$/m)
  assert.match(assertDone(await way.cli(['list', 'notes'])), /done/)
})

test('inputs come from a file or from the command, not from both', async () => {
  await using way = await ways['with --url']()
  const { cli, dataDir } = way
  await addWorkflow(
    way,
    'note',
    node('note', 'colophon.memory.put', { memoryRef: 'notes', content: '{{inputs.text}}' }),
  )
  const file = join(dataDir, 'inputs.json')
  writeFileSync(file, '{"text": "from the file"}')
  assertDone(await cli(['runs', 'start', 'note', '--inputs-file', file, '--wait']))
  assert.match(assertDone(await cli(['list', 'notes'])), /from the file/)
  for (const [args, exitCode] of [
    [['--input', '{}', '--inputs-file', file], 2],
    [['--input', 'text'], 2],
    [['--input', '[]'], 4],
    [['--inputs-file', join(dataDir, 'none.json')], 2],
  ] as const) {
    assert.equal((await cli(['runs', 'start', 'note', ...args])).code, exitCode, args.join(' '))
  }
  const wrong: [string[], number][] = [
    [['start', 'unknown'], 3],
    [['show', 'run_none'], 3],
    [['events', 'run_none'], 3],
    [['reads', 'run_none'], 3],
    [['diff', 'run_none', 'run_none'], 3],
    [['cancel', 'run_none'], 3],
    [['fork', 'run_none', '--mode', 'replay'], 3],
    [['fork', 'run_none'], 2],
    [['fork', 'run_none', '--mode', 'again'], 4],
    [['list', '--status', 'gone'], 4],
  ]
  for (const [args, exitCode] of wrong) {
    assert.equal((await cli(['runs', ...args])).code, exitCode, args.join(' '))
  }
})
