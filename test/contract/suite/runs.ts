import assert from 'node:assert/strict'
import { redactBatch } from '../../../src/core/redaction/redaction.ts'
import type { MemoryCall } from '../../../src/core/run/memory-call.ts'
import { type Run, type RunSummary, runKeyOf, toRunSummary } from '../../../src/core/run/run.ts'
import { addEvent } from '../../../src/core/run/run-record.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf } from './batch.ts'
import { assertIntact } from './intact.ts'
import { ensureTenants, eventOf, stepOf, store } from './run-step.ts'
import type { ContractTest } from './world.ts'

const put = (entryId: string, content = 'x') => ({
  memoryRef: 'notes',
  entryId,
  content,
  tags: [],
  expiresAt: null,
  subject: null,
  origin: { kind: 'api' } as const,
  salt: 'salt',
})

const call = (ordinal: number, parts: Partial<MemoryCall> = {}): MemoryCall => ({
  ordinal,
  sequence: ordinal,
  nodeId: 'n1',
  op: 'list',
  memoryRef: 'notes/ünï🦊',
  entries: [],
  position: 0,
  at: 1,
  ...parts,
})

/** Runs are stored with the memory they write, and read back as they were. */
export function runsContract(test: ContractTest): void {
  test('a run is read back exactly as it was stored', async (world) => {
    await ensureTenants(world, 'acme')
    const deep = { list: [1.5, null, true, { 'ключ 🦊': ['"quoted" \\ \u2028', '', -1e-7] }], none: null, empty: {} }
    const asked = { kind: 'approval', key: 'ok?', data: { deep } } as const
    const made = await store(
      world,
      stepOf('run_1', {
        status: 'waiting-approval',
        workflowId: 'flow/ü',
        facts: {
          parent: { runId: 'run_0', nodeId: 'call', jobId: 'job_0', depth: 2, isIsolated: false },
          fork: { sourceRunId: 'run_x', fromSeq: 7, mode: 'branch', writerRunId: 'run_x', by: 'key:x' },
          nodes: { a: { status: 'waiting', attempt: 2, wakeAt: 5, calls: 3, startedAt: 1 } },
          own: [{ runId: 'run_0', beforeSequence: 9 }],
          pause: { drainPolicy: 'immediate', at: null, by: 'key:ü' },
          scopeId: 'scope ü',
        },
        text: {
          inputs: { deep, control: 'nul \u0000 and half a pair \ud800' },
          outputs: { a: deep },
          tags: ['t', 'ü'],
          interrupts: { a: { interruptId: 'int_1', request: asked, askedAt: 1, deadline: null, resolution: null } },
          ephemeral: { conversation: [{ id: 'e1', content: 'hi', tags: [], createdAt: '2026-01-01T00:00:00Z' }] },
          error: { code: 'oops', message: 'no luck', details: deep },
        },
      }),
    )
    assert.deepEqual(await world.storage.runs.get('acme', 'run_1'), made)
    assert.deepEqual(made.text.inputs.deep, deep)
    assert.deepEqual(await world.storage.runs.get('acme', 'run_2'), null)
    assert.deepEqual(await world.storage.runs.get('unknown', 'run_1'), null)
  })

  test('an event keeps the event that caused it, and the record of the run has it', async (world) => {
    await ensureTenants(world, 'acme')
    const events = [eventOf('called'), { ...eventOf('returned'), cause: 0 }]
    await store(world, stepOf('run_1', { events, salt: 'salt' }))
    const stored = await world.storage.runs.events({ tenantId: 'acme', runId: 'run_1', from: 0, limit: 10 })
    assert.deepEqual(
      stored.map((event) => [event.type, event.cause, 'cause' in event]),
      [
        ['called', undefined, false],
        ['returned', 0, true],
      ],
    )
    const record = (await world.storage.runs.get('acme', 'run_1'))?.facts.record
    assert.equal(record?.events, stored.reduce(addEvent, 'salt'))
    const [called, returned] = stored
    assert.ok(called && returned)
    const { cause: _cause, ...without } = returned
    assert.notEqual(record?.events, [called, without].reduce(addEvent, 'salt'))
  })

  test('each step increments the revision, and the input of a run stays', async (world) => {
    await ensureTenants(world, 'acme')
    const first = await store(world, stepOf('run_1', { events: [eventOf('a'), eventOf('b')] }))
    assert.deepEqual(
      [first.revision, first.nextSequence, first.createdAt, first.updatedAt, first.endedAt],
      [1, 2, world.clock.now, world.clock.now, null],
    )
    await world.colophon.memory('acme').put('notes', { content: 'of another caller' })
    world.clock.advance(10)
    const second = await store(world, stepOf(first, { status: 'waiting-input', text: { pauseReason: 'why not' } }))
    assert.deepEqual(second, {
      ...first,
      revision: 2,
      status: 'waiting-input',
      updatedAt: world.clock.now,
      text: { ...first.text, pauseReason: 'why not' },
    })
    world.clock.advance(10)
    const ended = await store(world, stepOf(second, { status: 'completed', events: [eventOf('c')] }))
    assert.deepEqual([ended.revision, ended.nextSequence, ended.endedAt], [3, 3, world.clock.now])
    world.clock.advance(10)
    const noted = await store(world, stepOf(ended, { facts: { expired: true } }))
    assert.deepEqual([noted.endedAt, noted.updatedAt - noted.createdAt], [ended.endedAt, 30])
    assert.deepEqual(await world.storage.runs.get('acme', 'run_1'), noted)
  })

  test('events and calls are read in order, from any sequence', async (world) => {
    await ensureTenants(world, 'acme')
    const { runs } = world.storage
    const entries = [{ id: 'mem_ü', version: 3 }]
    const first = await store(
      world,
      stepOf('run_1', {
        events: Array.from({ length: 12 }, (_, n) => ({
          type: `t${n}`,
          nodeId: n % 2 ? `n${n}` : null,
          facts: { n, both: 'facts' },
          text: { said: `🦊 ${n}`, deep: [{ nul: '\u0000', none: null }], both: 'text' },
        })),
        calls: [call(0), call(1, { op: 'put', entries, position: 8, at: 9 })],
      }),
    )
    world.clock.advance(5)
    const repeated = { ...eventOf('repeated'), at: 77 }
    await store(world, stepOf(first, { events: [repeated, eventOf('last')], calls: [call(2)] }))
    const all = await runs.events({ tenantId: 'acme', runId: 'run_1', from: 0, limit: 100 })
    assert.deepEqual(
      all.map(({ sequence }) => sequence),
      Array.from({ length: 14 }, (_, n) => n),
    )
    assert.deepEqual(all[3], {
      sequence: 3,
      type: 't3',
      nodeId: 'n3',
      at: first.updatedAt,
      payload: { n: 3, said: '🦊 3', deep: [{ nul: '\u0000', none: null }], both: 'text' },
    })
    assert.deepEqual([all[2]?.nodeId, all[12]?.at, all[13]?.at], [null, 77, world.clock.now])
    assert.deepEqual(await runs.events({ tenantId: 'acme', runId: 'run_1', from: 9, limit: 3 }), all.slice(9, 12))
    assert.deepEqual(await runs.events({ tenantId: 'acme', runId: 'run_1', from: 14, limit: 3 }), [])
    assert.deepEqual(await runs.events({ tenantId: 'acme', runId: 'run_2', from: 0, limit: 3 }), [])
    const calls = [call(0), call(1, { op: 'put', entries, position: 8, at: 9 }), call(2)]
    assert.deepEqual(await runs.calls({ tenantId: 'acme', runId: 'run_1', from: 0, limit: 100 }), calls)
    assert.deepEqual(await runs.calls({ tenantId: 'acme', runId: 'run_1', from: 1, limit: 1 }), calls.slice(1, 2))
    assert.deepEqual(await runs.calls({ tenantId: 'acme', runId: 'run_2', from: 0, limit: 1 }), [])
  })

  test('a step without memory takes no position; a step with memory is one commit', async (world) => {
    await ensureTenants(world, 'acme')
    const memory = world.colophon.memory('acme')
    await memory.put('notes', { content: 'before' })
    const made = await world.storage.commit(batchOf({ tenantId: 'acme', runs: [stepOf('run_1')] }))
    assert.deepEqual([made.outcome.position, made.outcome.runs], [1, ['run_1']])
    assert.deepEqual(made.runs[0]?.snapshot, { position: 1, at: world.clock.now })
    assert.equal((await memory.auditHead()).position, 1)
    const both = await world.storage.commit(
      batchOf({
        tenantId: 'acme',
        puts: [put('mem_1')],
        runs: [
          stepOf(made.runs[0] as Run, { events: [eventOf('wrote')] }),
          stepOf('run_2', { events: [eventOf('began')] }),
          stepOf('run_3', { snapshot: { position: 0, at: 3 } }),
        ],
      }),
    )
    assert.equal(both.outcome.position, 2)
    assert.deepEqual(
      both.runs.map(({ snapshot }) => snapshot.position),
      [1, 1, 0],
      'a run does not read what is stored along with its beginning',
    )
    assert.deepEqual((await world.storage.runs.get('acme', 'run_3'))?.snapshot, { position: 0, at: 3 })
    await assertIntact(memory)
  })

  test('a clock that jumps back moves neither a run nor its events back', async (world) => {
    await ensureTenants(world, 'acme')
    const wroteAt = world.clock.now
    await world.colophon.memory('acme').put('notes', { content: 'x' })
    world.clock.advance(-1_000)
    const first = await store(world, stepOf('run_1', { events: [eventOf('a')] }))
    assert.deepEqual([first.createdAt, first.snapshot.at], [wroteAt, wroteAt])
    world.clock.advance(9_000)
    const second = await store(world, stepOf(first, { events: [eventOf('b')] }))
    world.clock.advance(-5_000)
    const third = await store(world, stepOf(second, { events: [eventOf('c')] }))
    assert.deepEqual([second.updatedAt, third.updatedAt], [wroteAt + 8_000, wroteAt + 8_000])
    const events = await world.storage.runs.events({ tenantId: 'acme', runId: 'run_1', from: 0, limit: 9 })
    assert.deepEqual(
      events.map(({ at }) => at - wroteAt),
      [0, 8_000, 8_000],
    )
  })

  test('runs are listed newest first, by status and by workflow, in pages', async (world) => {
    await ensureTenants(world, 'acme', 'other')
    const statuses = ['running', 'failed', 'completed'] as const
    const all: Run[] = []
    for (let n = 0; n < 12; n++) {
      const parts = { status: statuses[n % 3] ?? 'running', workflowId: n % 2 ? 'odd' : 'even' }
      all.unshift(await store(world, stepOf(`run_${String(n).padStart(3, '0')}`, parts)))
      await store(world, stepOf(`run_${n}_x`, parts), 'other')
    }
    // One changes its status, and must be listed under the new one.
    const moved = all.findIndex(({ status }) => status === 'running')
    all[moved] = await store(world, stepOf(all[moved] as Run, { status: 'failed' }))
    for (const status of [null, ...statuses]) {
      for (const workflowId of [null, 'odd', 'even', 'none']) {
        const expected = all.filter(
          (run) => (status ?? run.status) === run.status && (workflowId ?? run.workflowId) === run.workflowId,
        )
        const seen: RunSummary[] = []
        for (let after: string | null = null; ; after = seen.at(-1)?.runId ?? null) {
          const page = await world.storage.runs.list({ tenantId: 'acme', status, workflowId, after, limit: 2 })
          seen.push(...page)
          if (page.length < 2) break
        }
        assert.deepEqual(seen, expected.map(toRunSummary), `${status} ${workflowId}`)
      }
    }
    const none = { tenantId: 'unknown', status: null, workflowId: null, after: null, limit: 5 }
    assert.deepEqual(await world.storage.runs.list(none), [])
  })

  test('the same run id in two tenants is two runs', async (world) => {
    await ensureTenants(world, 'a', 'b')
    const ofA = await store(world, stepOf('run_1', { events: [eventOf('a')], calls: [call(0)] }), 'a')
    const ofB = await store(world, stepOf('run_1', { text: { tags: ['b'] } }), 'b')
    const { runs } = world.storage
    assert.deepEqual([await runs.get('a', 'run_1'), await runs.get('b', 'run_1')], [ofA, ofB])
    const page = { runId: 'run_1', from: 0, limit: 9 }
    assert.deepEqual(await runs.events({ tenantId: 'b', ...page }), [])
    assert.deepEqual(await runs.calls({ tenantId: 'b', ...page }), [])
    await store(world, stepOf(ofB, { status: 'failed' }), 'b')
    assert.deepEqual(await runs.get('a', 'run_1'), ofA)
    await store(world, stepOf('run_2', { facts: { scopeId: 's' }, claimsScope: 's' }), 'a')
    await store(world, stepOf('run_2', { facts: { scopeId: 's' }, claimsScope: 's' }), 'b')
    const keys = [
      { tenantId: 'a', runId: 'run_1' },
      { tenantId: 'b', runId: 'run_1' },
      { tenantId: 'b', runId: 'run_9' },
      { tenantId: 'unknown', runId: 'run_1' },
    ]
    assert.deepEqual(
      await runs.sequences(keys),
      new Map([
        [runKeyOf('a', 'run_1'), 1],
        [runKeyOf('b', 'run_1'), 0],
      ]),
    )
    assert.equal((await runs.sequences(keys.slice(0, 1))).size, 1, 'only the run that was asked for')
    assert.deepEqual(await runs.sequences([]), new Map())
  })

  test('a repeated creation returns the first run', async (world) => {
    await ensureTenants(world, 'acme')
    const create = (runId: string, digest = 'd') =>
      world.storage.commit(
        batchOf({
          tenantId: 'acme',
          runs: [stepOf(runId)],
          idempotency: { key: 'run:create', digest, tombstone: 'erased:k' },
        }),
      )
    const made = await Promise.all(Array.from({ length: 20 }, (_, n) => create(`run_${n}`)))
    const ids = new Set(made.flatMap(({ outcome }) => outcome.runs))
    assert.deepEqual([ids.size, made.filter(({ repeated }) => repeated).length], [1, 19])
    const again = await create('run_99')
    assert.deepEqual([again.repeated, again.outcome.runs, again.runs], [true, [...ids], []])
    await rejectsWith('idempotency_key_mismatch', create('run_99', 'other'))
    const stored = await world.storage.runs.list({
      tenantId: 'acme',
      status: null,
      workflowId: null,
      after: null,
      limit: 99,
    })
    assert.deepEqual(
      stored.map(({ runId }) => runId),
      [...ids],
    )
  })

  test('text of a run and of its events goes through the redactor; facts are stored as they are', async (world) => {
    await ensureTenants(world, 'acme')
    const scan = (text: string, hit: (rule: string) => void) => {
      if (text.includes('canary')) hit('test')
      return text.replaceAll('canary', '[GONE]')
    }
    const step = stepOf('run_1', {
      facts: { actor: 'canary', nodes: {} },
      text: { inputs: { canary: ['a canary'] }, tags: ['canary'] },
      events: [{ type: 'node.canary', nodeId: 'canary', facts: { id: 'canary' }, text: { said: 'canary' } }],
    })
    const batch = redactBatch(batchOf({ tenantId: 'acme', runs: [step] }), scan)
    const [run] = (await world.storage.commit(batch)).runs
    assert.deepEqual(run?.text, { ...step.run.text, inputs: { '[GONE]': ['a [GONE]'] }, tags: ['[GONE]'] })
    assert.equal(run?.facts.actor, 'canary')
    assert.deepEqual(await world.storage.runs.get('acme', 'run_1'), run)
    const [event] = await world.storage.runs.events({ tenantId: 'acme', runId: 'run_1', from: 0, limit: 1 })
    assert.deepEqual(
      [event?.type, event?.nodeId, event?.payload],
      ['node.canary', 'canary', { id: 'canary', said: '[GONE]' }],
    )
    const stale = batchOf({ tenantId: 'acme', runs: [stepOf('run_2')], redactionVersion: 2 })
    await rejectsWith('redaction_stale', world.storage.commit(stale))
  })
}
