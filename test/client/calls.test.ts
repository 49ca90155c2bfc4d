import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Client, createClient, isClientError, type MemoryEntry } from '../../src/client/index.ts'
import { chain, gate, put } from '../server/runs-calls.ts'
import { startServer, type TestServer } from '../support/server.ts'

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('the client against a real server', () => {
  let server: TestServer
  let client: Client
  before(async () => {
    server = await startServer()
    const { key } = await server.tenant()
    client = createClient({ url: server.url, key })
  })
  after(() => server[Symbol.asyncDispose]())

  test('puts, lists, gets, traces and deletes entries, at any position', async () => {
    const tea = await client.memory.put('ref/a b', { content: 'Tea.', tags: ['x'] })
    const { entries, position } = await client.memory.putMany('ref/a b', [{ content: 'Milk.' }, { content: 'Jam.' }])
    assert.deepEqual(
      entries.map(({ content }) => content),
      ['Milk.', 'Jam.'],
    )
    assert.deepEqual(await client.memory.get('ref/a b', tea.id), tea)
    assert.equal((await client.memory.colophon('ref/a b', tea.id)).origin.kind, 'api')
    assert.ok((await client.memory.prov('ref/a b', tea.id)).entity?.[`tenant:${tea.id}.v1`])
    assert.deepEqual(await client.memory.delete('ref/a b', tea.id), { deleted: true })
    assert.equal((await client.memory.list('ref/a b')).entries.length, 2)
    assert.equal((await client.memory.list('ref/a b', { asOf: position, tag: 'x' })).entries.length, 1)
    const { refs } = await client.memory.refs()
    assert.deepEqual(
      refs.map(({ memoryRef }) => memoryRef),
      ['ref/a b'],
    )
  })

  test('follows changes as CloudEvents', async () => {
    const { position } = await client.memory.putMany('cloud', [{ content: 'One.' }])
    for await (const event of client.cloudEvents({ after: position - 1 })) {
      assert.deepEqual([event.id, event.type, event.subject], [`${position}.0`, 'colophon.memory.written', 'cloud'])
      break
    }
  })

  test('goes through long lists, whatever is written meanwhile', async () => {
    const drafts = Array.from({ length: 25 }, (_, index) => ({ content: `Entry ${index}.` }))
    await client.memory.putMany('long', drafts)
    const seen: MemoryEntry[] = []
    for await (const entry of client.memory.each('long', { limit: 10 })) {
      if (seen.length === 0) await client.memory.put('long', { content: 'Later.' })
      seen.push(entry)
    }
    assert.deepEqual(
      seen.map(({ content }) => content),
      drafts.map(({ content }) => content).reverse(),
    )
  })

  test('adds memories and retrieves them', async () => {
    const writer = await client.writers.create({ service_key: 'crm', authority_rules: { categories: { fact: 80 } } })
    const messages = [
      { role: 'user', content: 'Ada lives in Turin.', category: 'fact', claim_key: 'home', confidence: 0.9 },
    ] as const
    const source = { service: 'crm', event_id: 'e1', scope: { team: 'a' }, evidence: [{ url: 'x' }] }
    const added = await client.memories.add({ external_user_id: 'ada', infer: false, messages, source })
    assert.equal((await client.memories.wait(added.job_id)).memories_created, 1)
    const { data } = await client.memories.list({ external_user_id: 'ada', categories: ['fact'] })
    const [memory] = data
    assert.equal(memory?.provenance?.service, 'crm')
    const id = memory?.id ?? ''
    const found = await client.memories.retrieve({
      external_user_id: 'ada',
      query: 'Turin',
      limit: 3,
      categories: ['fact'],
      time_filter_days: 2,
      format: 'xml',
      context_max_tokens: 100,
    })
    assert.deepEqual(
      found.data.map((hit) => hit.id),
      [id],
    )
    assert.equal((await client.memories.patch(id, { importance: 9 })).importance_score, 9)
    assert.equal((await client.memories.history(id)).data.length, 2)
    assert.equal((await client.memories.sources(id)).data.length, 1)
    const [claim] = (await client.claims.list({ subject: 'ada' })).claims
    assert.equal((await client.claims.get(claim?.id ?? '')).claimKey, 'home')
    const pinned = await client.claims.resolve(claim?.id ?? '', { memoryId: id, reason: 'Checked.' })
    assert.equal(pinned.status, 'pinned')
    const [event] = (await client.sources.list({ external_user_id: 'ada' })).data
    assert.equal((await client.sources.verify(event?.id ?? '', messages)).matches, true)
    assert.equal((await client.writers.preview(writer.id, { default_priority: 1 })).claims, 1)
    assert.equal((await client.writers.patch(writer.id, { is_active: false })).is_active, false)
    assert.deepEqual(await client.memories.delete(id, { hard_delete: true }), { id, deleted: true })
    const preview = await client.memories.previewExtraction([{ role: 'user', content: 'I prefer tea.' }])
    assert.equal(typeof preview.extractor, 'string')
  })

  test('runs a workflow, follows it, answers its question and looks into it', async () => {
    await client.workflows.put(chain('visit', [put('put', 'A run was here.'), gate('ask')]))
    assert.equal((await client.workflows.get('visit')).id, 'visit')
    const { runId } = await client.runs.create({ workflowId: 'visit', tags: ['t'], metadata: { a: 1 } })
    const types: string[] = []
    for await (const event of client.runs.watch(runId)) {
      types.push(event.type)
      if (event.type === 'node.suspended') {
        const { interrupt } = await client.runs.get(runId)
        const token = interrupt?.interruptToken ?? ''
        assert.equal((await client.interrupts.open(token)).kind, 'approval')
        await client.interrupts.answer(runId, 'ask', { action: 'accept' })
      }
    }
    assert.equal(types.at(-1), 'run.completed')
    assert.equal((await client.runs.wait(runId)).status, 'completed')
    const states: string[] = []
    for await (const { status } of client.runs.watchState(runId)) states.push(status)
    assert.deepEqual(states, ['completed'])
    assert.equal((await client.runs.events(runId, { streamMode: 'debug' })).events[0]?.sequence, 0)
    assert.equal((await client.runs.poll(runId, { lastSequence: 0, timeout: 0 })).isComplete, true)
    assert.equal((await client.runs.reads(runId)).snapshot.position > 0, true)
    const { effects } = await client.runs.effects(runId)
    assert.deepEqual(
      effects.map(({ nodeId }) => nodeId),
      ['put'],
    )
    assert.ok((await client.runs.effectSeams()).seams.every(({ guarded }) => guarded))
    const fork = await client.runs.fork(runId, { mode: 'replay' })
    await client.runs.wait(fork.runId)
    assert.equal((await client.runs.diff(runId, fork.runId)).a, runId)
    assert.equal((await client.runs.debugBundle(runId, { maxEvents: 1 })).events.length, 1)
    const second = await client.runs.create({ workflowId: 'visit' })
    await client.runs.pause(second.runId, { reason: 'Lunch.', drainPolicy: 'immediate' })
    await client.runs.resume(second.runId)
    assert.equal((await client.runs.cancel(second.runId, { reason: 'Enough.' })).status, 'cancelled')
    const { results } = await client.runs.cancelMany({ runIds: [second.runId] })
    assert.equal(results[0]?.runId, second.runId)
    assert.equal((await all(client.runs.each({ limit: 1 }))).length, 3)
  })

  test('administers keys, secrets, rules, settings, jobs, agents, webhooks and the audit', async () => {
    const made = await client.keys.create({ name: 'reader', scopes: ['memory:read'] })
    const reader = createClient({ url: server.url, key: made.key })
    const refused = await reader.memory.put('r', { content: 'No.' }).catch((error: unknown) => error)
    assert.ok(isClientError(refused, 'forbidden'))
    assert.deepEqual([refused.status, refused.details.requiredScope], [403, 'memory:write'])
    assert.match(refused.requestId ?? '', /^req_/)
    assert.match(refused.hint, /scope/)
    const rotated = await client.keys.rotate(made.id, { overlapMs: 0 })
    assert.equal((await client.keys.revoke(rotated.id)).status, 'revoked')
    assert.equal(await client.secrets.put('s', { value: 'correct horse battery' }), undefined)
    assert.equal((await client.secrets.list()).secrets.length, 1)
    assert.equal((await client.secrets.delete('s')).deleted, true)
    await client.rules.put('badge', { pattern: 'badge-[0-9]+' })
    assert.equal((await client.rules.test({ text: 'badge-77' })).hits.length, 1)
    assert.equal((await client.rules.list()).rules.length, 1)
    const { jobId } = await client.rules.apply({ dryRun: true })
    assert.equal((await client.jobs.get(jobId)).id, jobId)
    assert.equal((await client.settings.patch({ history_retention_days: 30 })).history_retention_days, 30)
    assert.equal((await client.settings.get()).history_retention_days, 30)
    const manifest = {
      agentId: 'local.team.a',
      persona: 'A.',
      modelClass: 'general',
      systemPrompt: 'Be kind.',
    } as const
    assert.equal((await client.agents.put(manifest)).agentId, manifest.agentId)
    assert.equal((await client.agents.get(manifest.agentId)).persona, 'A.')
    assert.equal((await client.agents.delete(manifest.agentId)).deleted, true)
    const hook = await client.webhooks.create({ url: 'https://example.com/x', events: ['run.completed'] })
    assert.equal((await client.webhooks.list()).webhooks.length, 1)
    const { secret, webhookId } = await client.webhooks.rotateSecret(hook.webhookId)
    assert.ok(secret && secret !== hook.secret)
    assert.ok(webhookId.endsWith(`/${hook.webhookId}`))
    assert.deepEqual(await all(client.webhooks.eachDeadLetter(webhookId)), [])
    const redelivery = client.webhooks.redeliver('acme/job_00000000-0000-7000-8000-000000000000')
    await assert.rejects(redelivery, { code: 'job_not_found' })
    assert.equal(await client.webhooks.delete(hook.webhookId), undefined)
    assert.equal((await client.audit.verify()).chainValid, true)
    const records = await all(client.audit.each({ limit: 5 }))
    assert.equal(records.at(-1)?.position, (await client.audit.list({ limit: 1 })).head.position)
  })

  test('knows the host, and manages tenants with the operator’s key', async () => {
    assert.equal((await client.ready()).status, 'ready')
    assert.ok('capabilities' in (await client.discovery()))
    const operator = createClient({ url: server.url, key: server.operatorKey })
    const { key } = await operator.tenants.create('second')
    assert.equal((await operator.tenants.disable('second')).status, 'disabled')
    const theirs = createClient({ url: server.url, key: key.key })
    await assert.rejects(theirs.memory.refs(), { status: 401 })
    assert.equal((await operator.tenants.enable('second')).status, 'active')
    assert.deepEqual(await theirs.memory.refs(), { refs: [] })
  })

  test('writes once when the answer to the first attempt is lost', async () => {
    let lost = 0
    const losing = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init)
      if (init.method === 'GET' || lost++ > 0) return response
      throw new TypeError('the answer is lost')
    }
    const own = await server.tenant()
    const unlucky = createClient({ url: server.url, key: own.key, fetch: losing as typeof fetch })
    const entry = await unlucky.memory.put('r', { content: 'Once.' })
    assert.equal(lost, 2)
    assert.deepEqual((await unlucky.memory.list('r')).entries, [entry])
  })
})
