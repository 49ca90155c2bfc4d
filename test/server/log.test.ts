import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { canonicalRecord, genesisHash } from '../../src/core/audit/audit.ts'
import { sha256 } from '../../src/core/audit/digest.ts'
import { canonicalJson } from '../../src/core/canonical.ts'
import { parseCheckpoint } from '../../src/core/log/checkpoint.ts'
import { leafHash, treeRoot } from '../../src/core/log/merkle.ts'
import { isNoteSigned, parseVerifierKey } from '../../src/core/log/note.ts'
import { isConsistent, isIncluded } from '../../src/core/log/proofs.ts'
import { createHome, startServer, storagesOfBehaviour, useServer } from '../support/server.ts'

const base = '/v1/host/colophon/log'
const bytes = (base64: string) => Buffer.from(base64, 'base64')

for (const storage of storagesOfBehaviour) {
  describe(`the log over HTTP (${storage})`, () => {
    const server = useServer({ storage })

    test('gives a checkpoint, proofs and tiles that a stranger can verify from the audit alone', async () => {
      const { call, key } = await server.tenant()
      const client = createClient({ url: server.url, key })
      for (let note = 0; note < 260; note += 20)
        await Promise.all(Array.from({ length: 20 }, () => client.memory.put('notes', { content: `note ${note}` })))
      const older = parseCheckpoint('checkpoint', await client.log.checkpoint())
      await client.memory.put('notes', { content: 'one more' })
      const answer = await call('GET', `${base}/checkpoint`)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/)
      const { note, ...head } = parseCheckpoint('checkpoint', answer.text)
      assert.equal(head.size, older.size + 1)

      // The hash of every record is computed again from what the audit returns, and the tree from these hashes.
      const leaves: Uint8Array[] = []
      let prev = genesisHash
      let tenant = ''
      for await (const record of client.audit.each({ limit: 100 })) {
        tenant ||= (await client.audit.list({ limit: 1 })).head.tenant
        const { position, at, kind, actor, body } = record
        const row = { position, at: Date.parse(at), body: canonicalJson({ ...body, kind, actor }) }
        prev = sha256(canonicalRecord(row, tenant, prev))
        assert.equal(prev, record.hash)
        leaves.push(leafHash(Buffer.from(prev, 'hex')))
      }
      assert.deepEqual(treeRoot(leaves.slice(0, head.size)), head.root)

      const { keys, origin } = await client.log.keys()
      assert.equal(origin, head.origin)
      assert.ok(isNoteSigned(note, parseVerifierKey('key', keys.at(-1)?.verifierKey ?? '')))
      const signing = await client.forget.signingKey()
      assert.deepEqual([keys[0]?.keyId, keys[0]?.publicKey], [signing.keyId, signing.publicKey])

      const proof = await client.log.inclusion({ position: 7, size: head.size })
      assert.deepEqual(bytes(proof.leafHash), leaves[6])
      assert.ok(isIncluded({ leaf: leaves[6] as Uint8Array, index: 6, ...head, proof: proof.hashes.map(bytes) }))
      const growth = await client.log.consistency({ from: older.size, to: head.size })
      assert.ok(isConsistent(older, head, growth.hashes.map(bytes)))

      assert.deepEqual(Buffer.from(await client.log.tile('0/000')), Buffer.concat(leaves.slice(0, 256)))
      const raw = await fetch(`${server.url}${base}/tile/0/001.p/3`, { headers: { authorization: `Bearer ${key}` } })
      assert.equal(raw.headers.get('content-type'), 'application/octet-stream')
      assert.deepEqual(Buffer.from(await raw.arrayBuffer()), Buffer.concat(leaves.slice(256, 259)))
    })

    test('is a log of its own for each tenant', async () => {
      const [one, other] = [await server.tenant(), await server.tenant()]
      const origins = await Promise.all(
        [one, other].map(async ({ call }) => (await call('GET', `${base}/keys`)).body.origin),
      )
      assert.notEqual(origins[0], origins[1])
      const { text } = await one.call('GET', `${base}/checkpoint`)
      const refused = await other.call('GET', `/v1/audit/verify?checkpoint=${encodeURIComponent(text)}`)
      assert.deepEqual([refused.status, refused.body.error], [400, 'validation_error'])
      assert.doesNotMatch(text, new RegExp(one.id))
    })

    test('names the field of a wrong request, and what is allowed', async () => {
      const { call } = await server.tenant()
      await call('GET', `${base}/checkpoint`)
      const refused = async (path: string) => {
        const { status, body } = await call('GET', `${base}/${path}`)
        return [status, body.error, body.details.field ?? null]
      }
      assert.deepEqual(await refused('tile/0/1'), [400, 'validation_error', 'path'])
      assert.deepEqual(await refused('tile/0/000'), [404, 'log_tile_not_found', null])
      assert.deepEqual(await refused('proof/inclusion'), [400, 'validation_error', 'position'])
      assert.deepEqual(await refused('proof/inclusion?position=99'), [400, 'validation_error', 'position'])
      assert.deepEqual(await refused('proof/inclusion?position=1&size=99'), [400, 'validation_error', 'size'])
      assert.deepEqual(await refused('proof/consistency?from=99'), [400, 'validation_error', 'from'])
      assert.deepEqual(await refused('proof/consistency?from=1&to=99'), [400, 'validation_error', 'to'])
      assert.deepEqual(await refused('proof/consistency?from=0&x=1'), [400, 'validation_error', 'querystring'])
    })

    test('verification takes a checkpoint, and says more only then', async () => {
      const { call } = await server.tenant()
      const { text } = await call('GET', `${base}/checkpoint`)
      const { body } = await call('GET', `/v1/audit/verify?checkpoint=${encodeURIComponent(text)}`)
      assert.deepEqual([body.chainValid, body.anomalies], [true, []])
    })
  })
}

test('two servers on one PostgreSQL build the same tiles at the same time', async () => {
  await using home = await createHome('postgres')
  const env = { COLOPHON_SIGNING_KEY: Buffer.alloc(32, 9).toString('base64') }
  await using one = await startServer({ home, env })
  await using other = await startServer({ home, env: { ...env, COLOPHON_BOOTSTRAP_KEY: one.key } })
  const client = createClient({ url: one.url, key: one.key })
  for (let note = 0; note < 300; note += 50)
    await Promise.all(Array.from({ length: 50 }, () => client.memory.put('notes', { content: `note ${note}` })))
  // The record of the key first, so that the log does not grow between the two.
  await client.log.keys()
  const ask = async (server: typeof one) => (await server.as(one.key)('GET', `${base}/checkpoint`)).text
  const texts = await Promise.all([ask(one), ask(other), ask(one), ask(other)])
  assert.deepEqual(new Set(texts).size, 1)
  const head = parseCheckpoint('checkpoint', texts[0] as string)
  assert.ok(head.size >= 300)
  const tiles = await Promise.all([one, other].map((server) => server.as(one.key)('GET', `${base}/tile/1/000.p/1`)))
  assert.equal(tiles[0]?.text, tiles[1]?.text)
})
