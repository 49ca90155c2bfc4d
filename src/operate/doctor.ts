import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { nodeSystem } from '../adapters/system/node.ts'
import type { Engine } from '../app/engine.ts'
import { listWriters } from '../app/provenance/writers.ts'
import { opensVault } from '../app/redaction/open-vault.ts'
import { verify } from '../app/verify/verify.ts'
import type { Config } from '../config/settings.ts'
import { toInstant } from '../core/check.ts'
import { isColophonError } from '../core/errors.ts'
import { composeEngine, openStorage } from '../open.ts'
import { findVault } from './vault-key.ts'

export { missingLocalPackages } from '../adapters/embed/local.ts'

/** One thing that was looked at. What is not well says what to do. */
export type Check = {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly todo?: string
}

/** The newest records show whether the chain goes on soundly; `audit verify` reads all of them. */
const auditRecordsLooked = 100
const tenantsLooked = 1_000
/** Clocks of machines differ a little; a store that is further ahead was written by a clock that was wrong. */
const clockAheadMsMax = 60_000

/** Looks at the database and at what is sealed in it. Changes nothing: a schema that is behind is told, not moved. */
export async function examineStore(config: Config, now: number): Promise<Check[]> {
  if (config.storage === 'memory')
    return [{ name: 'database', status: 'warn', message: 'in memory only: everything is gone when the server stops' }]
  const path = join(config.dataDir, 'colophon.db')
  if (config.storage === 'sqlite' && !existsSync(path))
    return [{ name: 'database', status: 'ok', message: 'none yet; the first start makes it' }]
  const pending = await pendingOf(config, path)
  if (typeof pending !== 'number') return [pending]
  if (pending > 0) {
    const message = `reachable; ${pending === 1 ? '1 migration is' : `${pending} migrations are`} missing`
    return [{ name: 'database', status: 'warn', message, todo: 'make a backup, then run: colophon migrate' }]
  }
  const database = { name: 'database', status: 'ok', message: `${config.storage}, schema is current` } as const
  const storage = await openStorage(
    config.storage === 'postgres' ? { databaseUrl: config.databaseUrl ?? '' } : { path },
    () => now,
    { pooler: config.databasePooler },
  )
  const { engine, close } = composeEngine(storage, nodeSystem(), 'doctor', findVault(config))
  try {
    return [database, ...(await examineTenants(engine, config, now))]
  } finally {
    await close()
  }
}

async function pendingOf(config: Config, path: string): Promise<number | Check> {
  try {
    if (config.storage === 'postgres') {
      const { pendingInPostgres } = await import('../adapters/postgres/look.ts')
      return await pendingInPostgres(config.databaseUrl ?? '', config.databasePooler)
    }
    const { pendingInSqlite } = await import('../adapters/sqlite/look.ts')
    return pendingInSqlite(path)
  } catch (error) {
    if (isColophonError(error))
      return { name: 'database', status: 'fail', message: `${error.code}: ${error.message}`, todo: error.hint }
    const isMissing = (error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND'
    const message = isMissing ? 'PostgreSQL needs the package pg' : 'the database cannot be opened'
    const todo = isMissing ? 'run: npm install pg' : 'see whether it runs, and whether this user may open it'
    return { name: 'database', status: 'fail', message, todo }
  }
}

async function examineTenants(engine: Engine, config: Config, now: number): Promise<Check[]> {
  const tenants = (await engine.storage.tenants({ after: null, limit: tenantsLooked })).map(({ tenantId }) => tenantId)
  let newest = 0
  const [broken, closed]: [string[], string[]] = [[], []]
  const bound: Binding = { writers: 0, unbound: [] }
  for (const tenantId of tenants) {
    const clock = await engine.storage.clock(tenantId)
    newest = Math.max(newest, clock?.lastCreatedAt ?? 0)
    const from = Math.max(1, (clock?.position ?? 0) - auditRecordsLooked + 1)
    const verdict = await verify(engine.tenant(tenantId), { from })
    if (!verdict.ok) broken.push(`${tenantId} at position ${verdict.fault?.position ?? from}`)
    if (!(await opensVault(engine, tenantId))) closed.push(tenantId)
    for (const { serviceKey, apiKeyId, isActive } of await listWriters(engine.tenant(tenantId))) {
      bound.writers += 1
      if (apiKeyId === null && isActive) bound.unbound.push(`${serviceKey} (${tenantId})`)
    }
  }
  const checks = [clockCheck(newest, now), vaultCheck(engine, config, closed), auditCheck(tenants.length, broken)]
  return [...checks, ...writersCheck(bound)]
}

/** Writers, and those of them that are active and that every key may speak for, by name. */
export type Binding = { writers: number; readonly unbound: string[] }

const unboundShown = 10

/** Nothing where no writer is registered. */
export function writersCheck({ writers, unbound }: Binding): Check[] {
  const name = 'writers'
  if (writers === 0) return []
  if (unbound.length === 0) return [{ name, status: 'ok', message: 'every active writer is bound to a key' }]
  const more = unbound.length > unboundShown ? ` and ${unbound.length - unboundShown} more` : ''
  const message = `bound to no key, so that every key with memory:write can speak for them: ${unbound.slice(0, unboundShown).join(', ')}${more}`
  const todo = 'bind each: colophon writers change SERVICE --api-key ID; then set require_bound_writers'
  return [{ name, status: 'warn', message, todo }]
}

function clockCheck(newest: number, now: number): Check {
  if (newest <= now + clockAheadMsMax) return { name: 'clock', status: 'ok', message: 'not behind what is stored' }
  const message = `the newest write is from ${toInstant(newest)}, which this clock has not reached`
  return { name: 'clock', status: 'warn', message, todo: 'set the clock; new writes get that instant until then' }
}

function vaultCheck(engine: Engine, config: Config, closed: readonly string[]): Check {
  const place = config.vaultKey === null ? 'vault.key in the data folder' : 'COLOPHON_VAULT_KEY'
  if (closed.length === 0) {
    const message = engine.vault === null ? 'no key yet; the first start makes one' : `${place} opens every secret`
    return { name: 'vault', status: 'ok', message }
  }
  const message = `${engine.vault === null ? 'there is no key' : `${place} is not the right key`} for: ${closed.join(', ')}`
  const todo = 'bring the key back that the secrets were stored with; until then these tenants cannot write'
  return { name: 'vault', status: 'fail', message, todo }
}

function auditCheck(tenants: number, broken: readonly string[]): Check {
  if (broken.length === 0) {
    const message = `the newest records of ${tenants} tenants are intact`
    return { name: 'audit', status: 'ok', message }
  }
  const todo = 'keep the folder as it is, then find out how much is affected: colophon audit verify --contents'
  return { name: 'audit', status: 'fail', message: `the chain is broken: ${broken.join(', ')}`, todo }
}
