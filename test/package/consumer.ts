/** A program of a project that installed the package. It is text here because the names of the package resolve only there. */
export const consumerProgram = `
import assert from 'node:assert/strict'
import { type MemoryEntry, openColophon } from 'colophon'
import { createClient, isClientError } from 'colophon/client'
import { defineNodeType, type NodeType } from 'colophon/nodes'
import { openPostgres, type PostgresOptions } from 'colophon/postgres'
import { type StartOptions, startServer } from 'colophon/server'
import { openInMemoryStore, type Storage } from 'colophon/store'
import { describeStorageContract, type StorageContract } from 'colophon/testing'

await using colophon = await openColophon({ inMemory: true, actor: 'consumer' })
const memory = colophon.memory('acme')
const { id } = await memory.put('ada', { content: 'Ada prefers tea.' })
const entry: MemoryEntry | null = await memory.get('ada', id)
assert.equal(entry?.content, 'Ada prefers tea.')
// @ts-expect-error A put without content is no put; if this compiled, the types would have turned into any.
await assert.rejects(memory.put('ada', {}))

const client = createClient({ url: process.env.COLOPHON_URL ?? '', key: process.env.COLOPHON_API_KEY })
const stored = await client.memory.put('ada', { content: 'Ada moved to Lisbon.' })
const listed: string[] = []
for await (const { content } of client.memory.each('ada')) listed.push(content)
assert.deepEqual(listed, ['Ada moved to Lisbon.', 'Written by hand.'])
assert.equal((await client.memory.get('ada', stored.id)).content, 'Ada moved to Lisbon.')
const refused: unknown = await client.memories.get('mem_unknown').catch((error: unknown) => error)
assert.ok(isClientError(refused, 'not_found'))

const storage: Storage = openInMemoryStore({ now: Date.now })
assert.equal(storage.traits.durable, false)

const open: (options: PostgresOptions) => Promise<unknown> = openPostgres
const contract: (name: string, contract: StorageContract) => void = describeStorageContract
const shout: NodeType = defineNodeType({
  typeId: 'acme.shout',
  description: 'Gives a text in capitals.',
  config: { text: { description: 'the text', type: 'text', isRequired: true } },
  replay: 'computes',
  execute: async ({ config }) => ({ kind: 'completed', outputs: { text: String(config.text).toUpperCase() } }),
})
const start: (options: StartOptions) => Promise<unknown> = startServer
assert.deepEqual([shout.typeId, typeof start], ['acme.shout', 'function'])
console.log(typeof open, typeof contract, 'consumed')
`

/** As strict as it gets, and nothing skipped: the declarations of the package are checked as well. */
export const consumerConfig = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ['*.mts', 'storage-adapter/*.ts'],
}
