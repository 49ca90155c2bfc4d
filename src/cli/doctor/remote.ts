import {
  type AuditVerifyResult,
  type Client,
  type ClientError,
  type Discovery,
  isClientError,
  type Stats,
} from '../../client/index.ts'
import { packageVersion } from '../../config/package-version.ts'
import { type Binding, type HealthCheck, writersCheck } from '../../operate/doctor.ts'
import { collect } from '../collect.ts'
import { toCliError } from '../connection.ts'
import { versions } from './local.ts'

const auditRecordsVerified = 100
/** Signatures and expiry depend on the clock. A smaller skew has no effect. */
const skewMsMax = 30_000

/** The checks of a running server, as a client with an API key sees it. */
export async function examineServer(
  client: Client,
  url: string,
  { hasKey, now }: { readonly hasKey: boolean; readonly now: () => number },
): Promise<HealthCheck[]> {
  const checks = [versions()]
  const failed = (name: string, error: ClientError, todo: string): HealthCheck => {
    const [message = ''] = toCliError(error, url).message.split('\n')
    return { name, status: 'fail', message, todo }
  }
  const discovery = await responseOf(client.discovery())
  if (isClientError(discovery)) return [...checks, failed('server', discovery, 'check that it runs, and its log')]
  checks.push(serverCheck(discovery, url))
  const ready = await responseOf(client.ready())
  if (isClientError(ready)) {
    const check = failed('database', ready, 'the server cannot reach its database: check its log')
    // The response of a server that is not ready is not an error envelope.
    const isNotReady = ready.code === 'unexpected_answer' && ready.status === 503
    checks.push(isNotReady ? { ...check, message: '503: the server is not ready' } : check)
  } else checks.push({ name: 'database', status: 'ok', message: 'the server can reach it' })
  if (discovery.fixtures !== undefined) {
    const todo = 'restart it without COLOPHON_TEST_SEAMS, unless this is a conformance test'
    checks.push({ name: 'seams', status: 'warn', message: 'test seams are on', todo })
  }
  if (!hasKey) {
    const todo =
      'use --key or COLOPHON_API_KEY. The first start of a server prints a key; colophon keys create makes more'
    return [
      ...checks,
      { name: 'configuration', status: 'fail', message: 'no API key: the other checks need one', todo },
    ]
  }
  const sentAt = now()
  const stats = await responseOf(client.stats())
  if (isClientError(stats)) return [...checks, failed('key', stats, 'use a key with the scope memory:read')]
  checks.push({ name: 'key', status: 'ok', message: 'accepted' }, skew(stats, sentAt, now()), vault(stats), jobs(stats))
  checks.push(...(await embeddings(client)), ...(await writers(client)))
  const fromSeq = Math.max(1, stats.position - auditRecordsVerified + 1)
  const audit = await responseOf(client.audit.verify({ fromSeq }))
  const isHidden = isClientError(audit) && (audit.status === 401 || audit.status === 403)
  if (isHidden)
    checks.push({ name: 'audit', status: 'warn', message: 'not checked', todo: 'use a key with the scope audit:read' })
  else if (isClientError(audit)) checks.push(failed('audit', audit, 'check the log of the server'))
  else checks.push(auditCheck(audit))
  return checks
}

/** The response of a call, or its error. */
async function responseOf<T>(call: Promise<T>): Promise<T | ClientError> {
  return call.catch((error: unknown) => {
    if (isClientError(error)) return error
    throw error
  })
}

function serverCheck({ implementation }: Discovery, url: string): HealthCheck {
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

/** The instant of the server is between sending and receiving, unless one of the clocks is wrong. */
function skew({ at }: Stats, sentAt: number, receivedAt: number): HealthCheck {
  const server = Date.parse(at)
  const off = server < sentAt ? sentAt - server : Math.max(0, server - receivedAt)
  if (off <= skewMsMax) return { name: 'clock', status: 'ok', message: 'agrees with the clock of this machine' }
  const message = `differs from the clock of this machine by ${Math.round(off / 1_000)} seconds`
  return { name: 'clock', status: 'warn', message, todo: 'set the clock that is wrong' }
}

/** A host advertises long-term memory only if its storage is durable and it can decrypt every secret. */
function vault({ dimensions }: Stats): HealthCheck {
  if (dimensions['long-term-durability'] === true)
    return { name: 'vault', status: 'ok', message: 'storage is durable, and every secret can be decrypted' }
  const todo = 'run colophon doctor on that machine: it says which of the two it is'
  return { name: 'vault', status: 'warn', message: 'storage is not durable, or the vault key is wrong', todo }
}

function jobs({ jobs: counts }: Stats): HealthCheck {
  const dead = counts.dead ?? 0
  if (dead === 0) return { name: 'jobs', status: 'ok', message: `${counts.queued ?? 0} queued, none dead` }
  const todo = 'find the reason: colophon jobs list; then colophon jobs retry'
  return { name: 'jobs', status: 'warn', message: `${dead} dead`, todo }
}

/** Skipped for a key without the scope memory:admin. */
async function embeddings(client: Client): Promise<HealthCheck[]> {
  const status = await responseOf(client.embeddings.status())
  if (isClientError(status)) return []
  const { configured, working, model, failure, waiting, method } = status
  const name = 'embeddings'
  if (!configured) return [{ name, status: 'ok', message: 'none: search matches words only' }]
  if (working) return [{ name, status: 'ok', message: `${model}, ${waiting} texts pending, vectors by ${method}` }]
  const message = `${model} does not work (${failure ?? 'unknown'}): search matches words only`
  return [{ name, status: 'warn', message, todo: 'check the log of the server, and that it can reach the embedder' }]
}

/** Skipped for a key without the scope memory:admin. */
async function writers(client: Client): Promise<HealthCheck[]> {
  const bound: Binding = { writers: 0, unbound: [] }
  const all = await responseOf(collect(client.writers.each({ limit: 500 })))
  if (isClientError(all)) return []
  for (const { service_key, api_key_id, is_active } of all) {
    bound.writers += 1
    if (api_key_id === null && is_active) bound.unbound.push(service_key)
  }
  return writersCheck(bound)
}

function auditCheck({ chainValid, anomalies }: AuditVerifyResult): HealthCheck {
  if (chainValid) return { name: 'audit', status: 'ok', message: 'the newest records are intact' }
  const message = `the chain is broken at position ${anomalies[0]?.atSeq}`
  return { name: 'audit', status: 'fail', message, todo: 'find all differences: colophon audit verify --contents' }
}
