import assert from 'node:assert/strict'
import type { TenantMemory } from '../../src/app/tenant.ts'
import type { MemoryEntry } from '../../src/core/entries/entry.ts'
import { type Acknowledged, batchEntries, memoryRef, type WriterMessage } from './messages.ts'

/** What was acknowledged to writers as stored, as id and content. */
export function acknowledgedBy(messages: readonly WriterMessage[], tenant: string): Acknowledged[] {
  return messages.flatMap((message) => (message.kind === 'stored' && message.tenant === tenant ? message.entries : []))
}

export function failuresOf(messages: readonly WriterMessage[]): Set<string> {
  return new Set(messages.flatMap((message) => (message.kind === 'failed' ? [message.code] : [])))
}

/** After any crash: all that was acknowledged, batches whole or absent, nothing twice, and a chain that holds. */
export async function checkStored(memory: TenantMemory, acknowledged: readonly Acknowledged[]): Promise<MemoryEntry[]> {
  const stored = await readAll(memory)
  const contentOf = new Map(stored.map(({ id, content }) => [id, content]))
  for (const { id, content } of acknowledged) assert.equal(contentOf.get(id), content, `acknowledged ${id} was lost`)
  // A write that was repeated behind the caller's back would have its content twice.
  assert.equal(new Set(contentOf.values()).size, stored.length, 'a write was stored twice')
  await checkBatchesAreWhole(memory, stored)
  const verdict = await memory.verify({ contents: true })
  assert.equal(verdict.ok, true, `the chain is broken: ${JSON.stringify(verdict.fault)}`)
  assert.equal(verdict.checked, (await memory.snapshot()).position)
  return stored
}

/** Looks at every batch that left a trace, acknowledged or not. */
async function checkBatchesAreWhole(memory: TenantMemory, stored: readonly MemoryEntry[]): Promise<void> {
  const sizes = new Map<string, number>()
  for (const tag of stored.flatMap((entry) => entry.tags)) {
    if (tag.startsWith('batch:')) sizes.set(tag, (sizes.get(tag) ?? 0) + 1)
  }
  for (const [tag, size] of sizes) assert.equal(size, batchEntries, `half of ${tag} was stored`)
  for (const tag of [...sizes.keys()].slice(0, 100)) {
    const { entries } = await memory.list(memoryRef, { tag, limit: 500 })
    assert.equal(entries.length, batchEntries, `the list by ${tag} shows half a batch`)
  }
}

async function readAll(memory: TenantMemory): Promise<MemoryEntry[]> {
  const all: MemoryEntry[] = []
  let cursor: string | undefined
  do {
    const page = await memory.list(memoryRef, { limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    all.push(...page.entries)
    cursor = page.cursor
  } while (cursor !== undefined)
  return all
}

export async function checkReadable(memory: TenantMemory, acknowledged: readonly Acknowledged[]): Promise<void> {
  const atOnce = 100
  for (let start = 0; start < acknowledged.length; start += atOnce) {
    const part = acknowledged.slice(start, start + atOnce)
    const read = await Promise.all(part.map(({ id }) => memory.get(memoryRef, id)))
    assert.deepEqual(
      read.map((entry) => entry?.content),
      part.map(({ content }) => content),
    )
  }
}
