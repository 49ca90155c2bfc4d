// Writes single entries and batches from many writers at once, and reports each only after it was acknowledged.
import { setTimeout as delay } from 'node:timers/promises'
import { openColophon } from '../../src/open.ts'
import { failureCode, programOptions, report, stopped } from '../support/child-program.ts'
import { batchEntries, memoryRef, type WriterOptions } from './messages.ts'

const batchEvery = 5
const { open, name, tenants, writers, writes = Number.MAX_SAFE_INTEGER } = programOptions<WriterOptions>()
const colophon = await openColophon(open)
let next = 0

async function write(): Promise<void> {
  while (!stopped.aborted && next < writes) {
    const number = next++
    const tenant = tenants[number % tenants.length] ?? ''
    try {
      report({ kind: 'stored', tenant, entries: await store(tenant, number) })
    } catch (error) {
      report({ kind: 'failed', code: failureCode(error) })
      await delay(20)
    }
  }
}

async function store(tenant: string, number: number) {
  const memory = colophon.memory(tenant)
  const text = `${name}-${number}`
  if (number % batchEvery !== 0) {
    const { id, content } = await memory.put(memoryRef, { content: text })
    return [{ id, content }]
  }
  const drafts = Array.from({ length: batchEntries }, (_, index) => ({
    content: `${text}/${index}`,
    tags: [`batch:${text}`],
  }))
  const { entries } = await memory.putMany(memoryRef, drafts)
  return entries.map(({ id, content }) => ({ id, content }))
}

await Promise.all(Array.from({ length: writers }, write))
await colophon.close()
report({ kind: 'finished' })
