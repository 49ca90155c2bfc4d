import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { after, test } from 'node:test'
import { addRequest } from '../../../test/support/add-request.ts'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { leaseJob, openUseCases } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { openSqlite } from '../../adapters/sqlite/open.ts'
import { add } from '../provenance/add.ts'
import { patchMemory } from '../provenance/change-memory.ts'
import { listClaims } from '../provenance/claims.ts'
import { listMemories } from '../provenance/find-memories.ts'
import { ingest } from '../provenance/ingest.ts'
import { createWriter } from '../provenance/writers.ts'
import { runForget } from './forget-job.ts'
import { startForget } from './start-forget.ts'

const { signal } = new AbortController()
const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const signer = {
  host: 'test-host',
  publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  sign: (bytes: Uint8Array) => sign(null, bytes, privateKey),
}
const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
const editor = { actor: 'key:k2', requestId: 'req_2', mayPin: false }

const folder = createFolder()
after(() => folder.remove())
const stores = {
  model: openInMemoryStore,
  sqlite: (options: { now: () => number }) => openSqlite({ ...options, path: folder.file('edited.db') }),
}

for (const [name, open] of Object.entries(stores)) {
  test(`${name}: forgetting a writer keeps edits of its memories by others, attributed to the editors`, async () => {
    await using world = openUseCases(open, { host: { signer } })
    const { tenant } = world
    await createWriter(tenant, { serviceKey: 'crm' })
    const tell = async (content: string, claimKey?: string) => {
      const messages = [{ role: 'user' as const, content, ...(claimKey === undefined ? {} : { claimKey }) }]
      const source = { service: 'crm', eventId: content }
      const { event } = await add(tenant, addRequest(messages, { infer: false, source }), caller)
      await ingest(tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
      const { memories } = await listMemories(tenant, { subject: 'ada' })
      return memories.find((memory) => memory.content === content)?.id ?? ''
    }
    const [plain, claimed] = [await tell('Likes tea'), await tell('Lisbon', 'home')]
    await patchMemory(tenant, plain, { content: 'Likes coffee' }, editor)
    const { memory: porto } = await patchMemory(tenant, claimed, { content: 'Porto' }, editor)
    assert.equal(porto.status, 'superseded')
    const selector = { kind: 'writer', value: 'crm' } as const
    const started = await startForget(tenant, { selector, reason: 'asked', cascade: true })
    await runForget(tenant, started.id, await leaseJob(world, started.jobId), signal)
    const { memories } = await listMemories(tenant, { subject: 'ada', includeSuperseded: true })
    assert.deepEqual(
      memories
        .map(({ id, content, status, source, attribution }) => [id, content, status, source?.service, attribution])
        .sort(),
      [
        [plain, 'Likes coffee', 'active', null, { keyId: 'k2' }],
        [porto.id, 'Porto', 'active', null, { keyId: 'k2' }],
      ].sort(),
    )
    assert.deepEqual(
      (await tenant.storage.provenance.entryVersions(tenant.id, plain)).map(({ content }) => content),
      ['Likes coffee'],
    )
    const claims = await listClaims(tenant, { subject: 'ada', isContested: null, after: null, limit: 10 })
    assert.deepEqual(claims.flatMap(({ contents }) => contents.map(({ content }) => content)).sort(), [
      'Likes coffee',
      'Porto',
    ])
    assert.equal((await tenant.verify({ contents: true })).ok, true)
  })
}
