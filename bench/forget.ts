// Forgets one person with many entries, and reports the duration and the memory: node bench/forget.ts [entries]

import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../src/adapters/system/node-system.ts'
import { findForget } from '../src/app/forget/forget-record.ts'
import { startForget } from '../src/app/forget/start-forget.ts'
import { builtInHandlers } from '../src/jobs/built-in.ts'
import { Worker } from '../src/jobs/worker.ts'
import { composeEngine } from '../src/open.ts'

const entries = Number(process.argv[2] ?? 10_000)
const folder = mkdtempSync(join(tmpdir(), 'colophon-forget-'))
const key = generateKeyPairSync('ed25519')
const signer = {
  host: 'bench',
  publicKey: key.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  sign: (bytes: Uint8Array) => sign(null, bytes, key.privateKey),
}
const storage = openSqlite({ path: join(folder, 'colophon.db'), now: Date.now })
const { engine, close, workers } = composeEngine(storage, nodeSystem(), 'bench', null, { signer })
const memory = engine.tenant('acme')
const draft = (subject: string, n: number) => ({
  content: `${subject} said ${n}: ${'x'.repeat(300)}`,
  tags: ['a', 'b'],
  subject,
})
for (const subject of ['ada', 'bob'])
  for (let n = 0; n < entries; n += 500)
    await memory.putMany(
      `notes/${subject}`,
      Array.from({ length: 500 }, (_, i) => draft(subject, n + i)),
    )

const quiet: number[] = []
for (let n = 0; n < 300; n++) quiet.push(await timed(() => memory.put('notes/other', { content: `quiet ${n}` })))
const worker = new Worker(engine, { handlers: builtInHandlers(engine) }, () => workers.delete(worker)).start()
workers.add(worker)
global.gc?.()
/** Without the file, which is mapped into the process and counts as its memory too. */
const held = () => process.memoryUsage().heapUsed + process.memoryUsage().external
const before = held()
let most = before
const began = performance.now()
const request = { selector: { kind: 'subject', value: 'ada' }, reason: 'bench', cascade: true } as const
const { id } = await startForget(engine.tenant('acme'), request)
const hiddenMs = performance.now() - began
const busy: number[] = []
for (;;) {
  busy.push(await timed(() => memory.put('notes/other', { content: 'beside it' })))
  most = Math.max(most, held())
  if ((await findForget(engine.tenant('acme'), id))?.facts.receipt) break
}
const p99 = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
console.log({
  entries,
  hiddenMs: Math.round(hiddenMs),
  doneMs: Math.round(performance.now() - began),
  grownMb: Math.round((most - before) / 1e6),
  putP99Quiet: p99(quiet).toFixed(1),
  putP99Beside: p99(busy).toFixed(1),
  puts: busy.length,
})
await close()
rmSync(folder, { recursive: true })

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}
