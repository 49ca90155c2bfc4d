import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { nodeSystem } from '../adapters/system/node-system.ts'
import type { Engine } from '../app/engine.ts'
import { listWriters } from '../app/provenance/writers.ts'
import { canOpenVault } from '../app/redaction/vault-access.ts'
import { verify } from '../app/verify/verify.ts'
import type { Config } from '../config/settings.ts'
import { toInstant } from '../core/check.ts'
import { isColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { dayMs } from '../core/retention.ts'
import { composeEngine, openStorage } from '../open.ts'
import { pendingMigrationsOf } from './migrations.ts'
import { findVault } from './vault-key.ts'

export { missingLocalPackages } from '../adapters/embed/local.ts'

/** The result of one health check. A warning or failure says what to do in `todo`. */
export type HealthCheck = {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly todo?: string
}

/** Only the newest audit records are verified; `audit verify` verifies all of them. */
const auditRecordsChecked = 100
const tenantsChecked = 1_000

/** Checks the database, its vault, its audit and its writers. Changes nothing: pending migrations are reported, not applied. */
export async function examineStore(config: Config, now: number): Promise<HealthCheck[]> {
  if (config.storage === 'memory')
    return [{ name: 'database', status: 'warn', message: 'in memory only: all data is lost when the server stops' }]
  const path = join(config.dataDir, 'colophon.db')
  if (config.storage === 'sqlite' && !existsSync(path))
    return [{ name: 'database', status: 'ok', message: 'none yet; the first start creates it' }]
  const pending = await pendingOf(config)
  if (typeof pending !== 'number') return [pending]
  if (pending > 0) {
    const message = `reachable; ${pending === 1 ? '1 migration is' : `${pending} migrations are`} missing`
    return [{ name: 'database', status: 'warn', message, todo: 'make a backup, then run: colophon migrate' }]
  }
  const changed = config.storage === 'sqlite' ? await differencesOf(path) : null
  if (changed !== null) return [changed]
  const storage = await openStorage(
    config.storage === 'postgres' ? { databaseUrl: config.databaseUrl ?? '' } : { path },
    () => now,
    { pooler: config.databasePooler },
  )
  const { hasRowSecurity } = storage.traits
  const security = hasRowSecurity === undefined ? '' : `, row-level security is ${hasRowSecurity ? 'on' : 'off'}`
  const message = `${config.storage}, schema is current${security}`
  const database = { name: 'database', status: 'ok', message } as const
  const { engine, close } = composeEngine(storage, nodeSystem(), 'doctor', findVault(config))
  try {
    return [database, ...(await examineTenants(engine, config, now))]
  } finally {
    await close()
  }
}

const differencesShown = 5
const asSaid = { gone: 'is missing', changed: 'was changed', unrecorded: 'was added' } as const

async function differencesOf(path: string): Promise<HealthCheck | null> {
  const { schemaDifferencesIn } = await import('../adapters/sqlite/schema.ts')
  const found = schemaDifferencesIn(path).map(({ problem, what, name }) => `${what} ${name} ${asSaid[problem]}`)
  if (found.length === 0) return null
  const more = found.length > differencesShown ? ` and ${found.length - differencesShown} more` : ''
  const message = `not as this version makes it, as after a change by hand: ${found.slice(0, differencesShown).join(', ')}${more}`
  return { name: 'database', status: 'fail', message, todo: 'restore a backup: colophon restore' }
}

async function pendingOf(config: Config): Promise<number | HealthCheck> {
  try {
    return await pendingMigrationsOf(config)
  } catch (error) {
    if (isColophonError(error))
      return { name: 'database', status: 'fail', message: `${error.code}: ${error.message}`, todo: error.hint }
    const isMissing = (error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND'
    const message = isMissing ? 'PostgreSQL needs the package pg' : 'the database cannot be opened'
    const todo = isMissing ? 'run: npm install pg' : 'check that it runs, and that this user has access to it'
    return { name: 'database', status: 'fail', message, todo }
  }
}

async function examineTenants(engine: Engine, config: Config, now: number): Promise<HealthCheck[]> {
  const found = await engine.storage.tenants({ after: null, limit: tenantsChecked })
  const tenants = found.map(({ tenantId }) => tenantId)
  let newest = found.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0)
  const [broken, locked]: [string[], string[]] = [[], []]
  const bound: Binding = { writers: 0, unbound: [] }
  const spelled: string[] = []
  for (const tenantId of tenants) {
    const clock = await engine.storage.clock(tenantId)
    newest = Math.max(newest, clock?.lastCreatedAt ?? 0)
    const from = Math.max(1, (clock?.position ?? 0) - auditRecordsChecked + 1)
    const verdict = await verify(engine.tenant(tenantId), { from })
    if (!verdict.ok) broken.push(`${tenantId} at position ${verdict.fault?.position ?? from}`)
    if (!(await canOpenVault(engine, tenantId))) locked.push(tenantId)
    const twice = await engine.storage.people.spelledTwice({ tenantId, after: null, limit: spelledShown + 1 })
    for (const { folded, spellings } of twice) spelled.push(`${folded} (${tenantId}, ${spellings.length} spellings)`)
    for (const { serviceKey, apiKeyId, isActive } of await listWriters(engine.tenant(tenantId))) {
      bound.writers += 1
      if (apiKeyId === null && isActive) bound.unbound.push(`${serviceKey} (${tenantId})`)
    }
  }
  const checks = [
    clockCheck(newest, now, config),
    vaultCheck(engine, config, locked),
    auditCheck(tenants.length, broken),
  ]
  return [...checks, ...writersCheck(bound), ...peopleCheck(spelled)]
}

const spelledShown = 10

/** Warns about people who were stored under several spellings before ids were compared in NFC. */
export function peopleCheck(spelled: readonly string[]): HealthCheck[] {
  if (spelled.length === 0) return []
  const more = spelled.length > spelledShown ? ' and more' : ''
  const message = `stored in several spellings of one id: ${spelled.slice(0, spelledShown).join(', ')}${more}`
  const todo =
    'reads find all spellings, and a forget takes all; their claims of before are decided apart: resolve or end those of one spelling'
  return [{ name: 'people', status: 'warn', message, todo }]
}

/** The number of writers, and the names of active writers that are bound to no key. */
export type Binding = { writers: number; readonly unbound: string[] }

const unboundShown = 10

/** Warns about writers that are bound to no key. No result without writers. */
export function writersCheck({ writers, unbound }: Binding): HealthCheck[] {
  const name = 'writers'
  if (writers === 0) return []
  if (unbound.length === 0) return [{ name, status: 'ok', message: 'every active writer is bound to a key' }]
  const more = unbound.length > unboundShown ? ` and ${unbound.length - unboundShown} more` : ''
  const message = `bound to no key, so every key with memory:write can write in their name: ${unbound.slice(0, unboundShown).join(', ')}${more}`
  const todo = 'bind each: colophon writers change SERVICE --api-key ID; then set require_bound_writers'
  return [{ name, status: 'warn', message, todo }]
}

function clockCheck(newest: number, now: number, { clockTrusted }: Config): HealthCheck {
  const name = 'clock'
  if (newest > now + limits.clockBehindMsMax) {
    const message = `the newest write is from ${toInstant(newest)}, which this clock has not reached`
    const todo = clockTrusted
      ? 'restore a backup from before that write, or move the tenants: see "Clocks" in docs/OPERATIONS.md'
      : 'set the clock; until it reaches that instant, new writes get that instant and what ends before it has ended. If the clock is right, see "Clocks" in docs/OPERATIONS.md'
    return { name, status: 'warn', message, todo }
  }
  if (newest > 0 && now - newest > limits.clockAheadMsMax && !clockTrusted) {
    const message = `the newest write is from ${toInstant(newest)}, more than ${limits.clockAheadMsMax / dayMs} days ago: a server refuses writes`
    return {
      name,
      status: 'fail',
      message,
      todo: 'set the clock. If it is right, start the server once with COLOPHON_CLOCK_TRUSTED=1',
    }
  }
  return { name, status: 'ok', message: 'agrees with the newest write' }
}

function vaultCheck(engine: Engine, config: Config, locked: readonly string[]): HealthCheck {
  const key = config.vaultKey === null ? 'vault.key in the data folder' : 'COLOPHON_VAULT_KEY'
  if (locked.length === 0) {
    const message = engine.vault === null ? 'no key yet; the first start creates one' : `${key} decrypts every secret`
    return { name: 'vault', status: 'ok', message }
  }
  const message = `${engine.vault === null ? 'there is no key' : `${key} is not the right key`} for: ${locked.join(', ')}`
  const todo = 'restore the key that the secrets were stored with; until then these tenants cannot write'
  return { name: 'vault', status: 'fail', message, todo }
}

function auditCheck(tenants: number, broken: readonly string[]): HealthCheck {
  if (broken.length === 0) {
    const message = `the newest records of ${tenants} tenants are intact`
    return { name: 'audit', status: 'ok', message }
  }
  const todo = 'keep the folder as it is, then find out how much is affected: colophon audit verify --contents'
  return { name: 'audit', status: 'fail', message: `the chain is broken: ${broken.join(', ')}`, todo }
}
