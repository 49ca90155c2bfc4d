import type { EmbeddingsStatus } from '../../app/embeddings/manage.ts'
import type { Check } from '../../doctor.ts'
import { packageVersion } from '../../package-version.ts'
import type { Caller } from '../caller.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { versions } from './local.ts'

const auditRecordsLooked = 100
/** Signatures and expiry compare clocks; less than this nobody notices. */
const skewMsMax = 30_000

type Stats = {
  at: string
  position: number
  jobs: Record<string, number>
  contestedClaims: number
  dimensions: Record<string, boolean>
}
type Discovery = { implementation?: { version?: string }; fixtures?: readonly string[] }

/** What a server tells whoever has a key. */
export async function examineServer(
  caller: Caller,
  url: string,
  { hasKey, now }: { readonly hasKey: boolean; readonly now: () => number },
): Promise<Check[]> {
  const checks = [versions()]
  const discovery = await ask<Discovery>(caller, '/.well-known/openwop')
  if (discovery instanceof CliError)
    return [...checks, notWell('server', discovery, 'see whether it runs, and its log')]
  checks.push(serverCheck(discovery, url))
  const ready = await ask(caller, '/readyz')
  checks.push(
    ready instanceof CliError
      ? notWell('database', ready, 'the server does not reach its database: see its log')
      : { name: 'database', status: 'ok', message: 'the server reaches it' },
  )
  if (discovery.fixtures !== undefined) {
    const todo = 'restart it without COLOPHON_TEST_SEAMS, unless this is a conformance run'
    checks.push({ name: 'seams', status: 'warn', message: 'test seams are on', todo })
  }
  if (!hasKey) {
    const todo =
      'give one with --key or COLOPHON_API_KEY. The first start of a server shows one; colophon keys create makes more'
    return [
      ...checks,
      { name: 'configuration', status: 'fail', message: 'no API key, so there is no more to see', todo },
    ]
  }
  const asked = now()
  const stats = await ask<Stats>(caller, '/v1/host/colophon/stats')
  if (stats instanceof CliError) return [...checks, notWell('key', stats, 'use a key of the tenant with memory:read')]
  checks.push(
    { name: 'key', status: 'ok', message: 'is accepted' },
    skew(stats, asked, now()),
    vault(stats),
    jobs(stats),
  )
  checks.push(...(await embeddings(caller)), await audit(caller, stats.position))
  return checks
}

async function ask<T>(caller: Caller, path: string): Promise<T | CliError> {
  try {
    return (await caller.call('GET', path)) as T
  } catch (error) {
    if (error instanceof CliError) return error
    throw error
  }
}

function notWell(name: string, error: CliError, todo: string): Check {
  return { name, status: 'fail', message: error.message.split('\n')[0] ?? '', todo }
}

function serverCheck({ implementation }: Discovery, url: string): Check {
  const version = implementation?.version ?? 'unknown'
  const message = `colophon ${version} at ${url}`
  if (version === packageVersion) return { name: 'server', status: 'ok', message }
  return {
    name: 'server',
    status: 'warn',
    message,
    todo: `use the same version on both sides; this is ${packageVersion}`,
  }
}

/** The server's instant lies between the question and the answer, unless one of the clocks is wrong. */
function skew({ at }: Stats, asked: number, answered: number): Check {
  const there = Date.parse(at)
  const off = there < asked ? asked - there : Math.max(0, there - answered)
  if (off <= skewMsMax) return { name: 'clock', status: 'ok', message: 'agrees with the one here' }
  const message = `differs from the one here by ${Math.round(off / 1_000)} seconds`
  return { name: 'clock', status: 'warn', message, todo: 'set the clock that is wrong' }
}

/** Long-term memory is offered only by a host that keeps what it is told and can open every secret. */
function vault({ dimensions }: Stats): Check {
  if (dimensions['long-term-durability'] === true)
    return { name: 'vault', status: 'ok', message: 'everything is kept, and every secret opens' }
  const todo = 'run colophon doctor on that machine: it says which of the two it is'
  return { name: 'vault', status: 'warn', message: 'data in memory only, or a vault key that does not fit', todo }
}

function jobs({ jobs: counts }: Stats): Check {
  const dead = counts.dead ?? 0
  if (dead === 0) return { name: 'jobs', status: 'ok', message: `${counts.queued ?? 0} waiting, none given up` }
  const todo = 'see why: colophon jobs list; then colophon jobs retry'
  return { name: 'jobs', status: 'warn', message: `${dead} given up`, todo }
}

/** Only administrators of the tenant may ask. */
async function embeddings(caller: Caller): Promise<Check[]> {
  const status = await ask<EmbeddingsStatus>(caller, '/v1/host/colophon/embeddings')
  if (status instanceof CliError) return []
  const { configured, working, model, failure, waiting } = status
  const name = 'embeddings'
  if (!configured) return [{ name, status: 'ok', message: 'none: search is by words' }]
  if (working) return [{ name, status: 'ok', message: `${model}, ${waiting} texts wait` }]
  const message = `${model} does not work (${failure ?? 'unknown'}): search is by words`
  return [{ name, status: 'warn', message, todo: 'see the log of the server, and whether the embedder answers it' }]
}

async function audit(caller: Caller, position: number): Promise<Check> {
  const from = Math.max(1, position - auditRecordsLooked + 1)
  const answer = await ask<{ chainValid: boolean; anomalies: { atSeq: number }[] }>(
    caller,
    `/v1/audit/verify?fromSeq=${from}`,
  )
  if (answer instanceof CliError) {
    if (answer.exitCode !== exitCodes.notAllowed) return notWell('audit', answer, 'see the log of the server')
    return { name: 'audit', status: 'warn', message: 'not looked at', todo: 'use a key with audit:read' }
  }
  if (answer.chainValid) return { name: 'audit', status: 'ok', message: 'the newest records are intact' }
  const message = `the chain is broken at position ${answer.anomalies[0]?.atSeq}`
  return { name: 'audit', status: 'fail', message, todo: 'find out how much: colophon audit verify --contents' }
}
