import {
  type AuditVerifyResult,
  type Client,
  type ClientError,
  type Discovery,
  isClientError,
  type Stats,
} from '../../client/index.ts'
import { packageVersion } from '../../config/package-version.ts'
import { type Binding, type Check, writersCheck } from '../../operate/doctor.ts'
import { collect } from '../collect.ts'
import { toCliError } from '../connection.ts'
import { versions } from './local.ts'

const auditRecordsLooked = 100
/** Signatures and expiry compare clocks; less than this nobody notices. */
const skewMsMax = 30_000

/** What a server says to a client with a key. */
export async function examineServer(
  client: Client,
  url: string,
  { hasKey, now }: { readonly hasKey: boolean; readonly now: () => number },
): Promise<Check[]> {
  const checks = [versions()]
  const notWell = (name: string, error: ClientError, todo: string): Check => {
    const [message = ''] = toCliError(error, url).message.split('\n')
    return { name, status: 'fail', message, todo }
  }
  const discovery = await answerOf(client.discovery())
  if (isClientError(discovery)) return [...checks, notWell('server', discovery, 'see whether it runs, and its log')]
  checks.push(serverCheck(discovery, url))
  const ready = await answerOf(client.ready())
  if (isClientError(ready)) {
    const check = notWell('database', ready, 'the server does not reach its database: see its log')
    // The answer of a server that is not ready is no error envelope.
    const isNotReady = ready.code === 'unexpected_answer' && ready.status === 503
    checks.push(isNotReady ? { ...check, message: '503: The server refused the call.' } : check)
  } else checks.push({ name: 'database', status: 'ok', message: 'the server reaches it' })
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
  const stats = await answerOf(client.stats())
  if (isClientError(stats)) return [...checks, notWell('key', stats, 'use a key of the tenant with memory:read')]
  checks.push(
    { name: 'key', status: 'ok', message: 'is accepted' },
    skew(stats, asked, now()),
    vault(stats),
    jobs(stats),
  )
  checks.push(...(await embeddings(client)), ...(await writers(client)))
  const fromSeq = Math.max(1, stats.position - auditRecordsLooked + 1)
  const audit = await answerOf(client.audit.verify({ fromSeq }))
  const isHidden = isClientError(audit) && (audit.status === 401 || audit.status === 403)
  if (isHidden)
    checks.push({ name: 'audit', status: 'warn', message: 'not looked at', todo: 'use a key with audit:read' })
  else if (isClientError(audit)) checks.push(notWell('audit', audit, 'see the log of the server'))
  else checks.push(auditCheck(audit))
  return checks
}

/** The answer to a call, or its error. */
async function answerOf<T>(call: Promise<T>): Promise<T | ClientError> {
  return call.catch((error: unknown) => {
    if (isClientError(error)) return error
    throw error
  })
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
async function embeddings(client: Client): Promise<Check[]> {
  const status = await answerOf(client.embeddings.status())
  if (isClientError(status)) return []
  const { configured, working, model, failure, waiting } = status
  const name = 'embeddings'
  if (!configured) return [{ name, status: 'ok', message: 'none: search is by words' }]
  if (working) return [{ name, status: 'ok', message: `${model}, ${waiting} texts wait` }]
  const message = `${model} does not work (${failure ?? 'unknown'}): search is by words`
  return [{ name, status: 'warn', message, todo: 'see the log of the server, and whether the embedder answers it' }]
}

/** Only administrators of the tenant may ask. */
async function writers(client: Client): Promise<Check[]> {
  const bound: Binding = { writers: 0, unbound: [] }
  const all = await answerOf(collect(client.writers.each({ limit: 500 })))
  if (isClientError(all)) return []
  for (const { service_key, api_key_id, is_active } of all) {
    bound.writers += 1
    if (api_key_id === null && is_active) bound.unbound.push(service_key)
  }
  return writersCheck(bound)
}

function auditCheck({ chainValid, anomalies }: AuditVerifyResult): Check {
  if (chainValid) return { name: 'audit', status: 'ok', message: 'the newest records are intact' }
  const message = `the chain is broken at position ${anomalies[0]?.atSeq}`
  return { name: 'audit', status: 'fail', message, todo: 'find out how much: colophon audit verify --contents' }
}
