// The cost of one hostile request for other tenants: node bench/hostile/main.ts [PART OF AN ATTACK'S NAME] [--postgres]
// For each attack: p99 and maximum of /healthz and of another tenant's put while it lasts, and the longest time that the
// server's event loop computed without a pause. It reports and does not judge, and ends by itself.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../test/support/postgres-server.ts'
import type { LoopReport } from '../loop-watch.ts'
import { type Answer, attacks, type Send } from './attacks.ts'
import { type Met, startProbe } from './probe.ts'

const operatorKey = 'bench-operator-bench-operator'
const host = '/v1/host/colophon'
const args = process.argv.slice(2)
const wanted = args.filter((arg) => !arg.startsWith('--'))
const deadlineMs = 180_000

const folder = mkdtempSync(join(tmpdir(), 'colophon-hostile-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const postgres = args.includes('--postgres') ? await startPostgres() : null

const server = spawn(process.execPath, ['--import', './bench/loop-watch.ts', 'src/cli/main.ts', 'serve'], {
  env: {
    ...process.env,
    COLOPHON_PORT: '0',
    COLOPHON_DATA_DIR: join(folder, 'data'),
    COLOPHON_OPERATOR_KEY: operatorKey,
    COLOPHON_BOOTSTRAP_KEY: 'bench-key-bench-key-bench-key',
    COLOPHON_VAULT_KEY: randomBytes(32).toString('base64'),
    COLOPHON_LOG_LEVEL: 'error',
    ...(postgres === null ? {} : { COLOPHON_DATABASE_URL: postgres.url }),
  },
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
})
process.once('exit', () => server.kill('SIGKILL'))
const url = await new Promise<string>((resolve, reject) => {
  server.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)))
  server.stdout?.on('data', (chunk: Buffer) => {
    const found = /listening on (http:\S+)/.exec(chunk.toString())?.[1]
    if (found !== undefined) resolve(found)
  })
})

const isVerbose = args.includes('--verbose')

const sendWith =
  (key: string): Send =>
  async (method, path, body, type = 'application/json'): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      signal: AbortSignal.timeout(deadlineMs),
      headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (isVerbose && response.status >= 400) console.error(method, path, response.status, text.slice(0, 400))
    return { status: response.status, body: text }
  }

async function makeTenant(id: string): Promise<string> {
  const { body } = await sendWith(operatorKey)('POST', `${host}/tenants`, { id })
  return (JSON.parse(body) as { key: { key: string } }).key.key
}

const loop = () =>
  new Promise<LoopReport>((resolve) => {
    server.once('message', (received) => resolve(received as LoopReport))
    server.send('report')
  })

const at = (times: readonly number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
const figures = ({ times, refused }: Met) =>
  `${at(times, 0.99).toFixed(0)} / ${at(times, 1).toFixed(0)}${refused > 0 ? ` (${refused} refused)` : ''}`

const quiet = await makeTenant('quiet')
console.log(`load ${loadavg()[0]?.toFixed(1)}; p99 / max in ms`)
console.log(
  '| attack | answers | took | /healthz | another put | longest block (CPU ms) | memory (MB) |\n|---|---|---|---|---|---|---|',
)
const nothing = { name: 'nothing', strike: () => new Promise<Answer[]>((resolve) => setTimeout(resolve, 2_000, [])) }
let count = 0
for (const attack of [nothing, ...attacks]) {
  if (wanted.length > 0 && !wanted.some((part) => attack.name.includes(part))) continue
  // Large tenants are attacked in the order of the list; leftover work of an attack must not count for the next.
  const send = sendWith(await makeTenant(`hostile-${count++}`))
  if ('prepare' in attack) await attack.prepare?.(send)
  const health = await startProbe({ url: `${url}/healthz`, key: '' })
  const put = await startProbe({
    url: `${url}${host}/memory/quiet/entries`,
    key: quiet,
    body: JSON.stringify({ content: 'Ada prefers tea.' }),
  })
  await loop()
  const from = performance.now()
  let received: string
  try {
    const answers = await attack.strike(send)
    received = [
      ...new Set(
        answers.map(
          ({ status, body }) =>
            `${status}${status >= 400 ? ` ${/"(?:error|code)":\s*"([^"]*)"/.exec(body)?.[1] ?? ''}` : ''}`,
        ),
      ),
    ].join(', ')
  } catch (error) {
    received = String(error instanceof Error ? (error.cause ?? error.message) : error).slice(0, 60)
  }
  const took = performance.now() - from
  // Background work of the attack is part of it.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const [healthMet, putMet, { longestCpuMs, residentMb }] = await Promise.all([health.stop(), put.stop(), loop()])
  console.log(
    `| ${attack.name} | ${received} | ${(took / 1_000).toFixed(1)} s | ${figures(healthMet)} | ${figures(putMet)} | ${longestCpuMs.toFixed(0)} | ${residentMb.toFixed(0)} |`,
  )
}
server.removeAllListeners('exit')
server.kill('SIGTERM')
await new Promise((resolve) => server.once('exit', resolve))
await postgres?.stop()
process.exit(0)
