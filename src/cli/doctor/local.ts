import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isLoopback, loadConfig } from '../../config/config.ts'
import { packageVersion } from '../../config/package-version.ts'
import { openSecretFiles, secretFileVariables } from '../../config/secret-files.ts'
import { type Config, settings } from '../../config/settings.ts'
import { findLockHolder } from '../../operate/data-lock.ts'
import { examineStore, type HealthCheck } from '../../operate/doctor.ts'
import { modelChecks } from './model.ts'

const diskBytesLow = 1_073_741_824
const diskBytesLeast = 104_857_600

/** The checks on this machine. They change nothing. */
export async function examineLocally(now: number): Promise<HealthCheck[]> {
  const checks: HealthCheck[] = [versions()]
  let config: Config
  try {
    config = loadConfig(process.env)
  } catch (error) {
    const message = error instanceof Error ? error.message : 'cannot be read'
    return [...checks, { name: 'configuration', status: 'fail', message, todo: 'see docs/CONFIGURATION.md' }]
  }
  checks.push(configuration(), ...folderChecks(config), ...serverCheck(config))
  checks.push(...(await examineStore(config, now)), ...settingChecks(config), ...(await modelChecks(config)))
  return checks
}

export function versions(): HealthCheck {
  return { name: 'versions', status: 'ok', message: `colophon ${packageVersion}, Node ${process.versions.node}` }
}

/** Names only: a value may be a secret. */
function configuration(): HealthCheck {
  const known = [...Object.values(settings).map(({ variable }) => variable), ...secretFileVariables]
  const set = known.filter((variable) => process.env[variable])
  const message = set.length === 0 ? 'defaults only' : `set: ${set.join(', ')}`
  return { name: 'configuration', status: 'ok', message }
}

function folderChecks({ dataDir, storage }: Config): HealthCheck[] {
  if (storage === 'memory') return []
  if (!existsSync(dataDir))
    return [{ name: 'data folder', status: 'ok', message: `${dataDir} does not exist yet; the first start creates it` }]
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const todo = 'run colophon as the owner of the folder, or change the owner'
    return [{ name: 'data folder', status: 'fail', message: `this user has no access to ${dataDir}`, todo }]
  }
  return [permissions(dataDir), diskSpace(dataDir)]
}

function permissions(dataDir: string): HealthCheck {
  // All key files, including those of a rotation and saved copies, and the database with its log.
  const files = readdirSync(dataDir).filter((name) => /\.key(?:\.|$)/.test(name) || name.startsWith('colophon.db'))
  const isOpen = (path: string) => (statSync(path).mode & 0o077) !== 0
  const open = ['', ...files.sort()].map((name) => join(dataDir, name)).filter(isOpen)
  if (open.length === 0 || process.platform === 'win32')
    return { name: 'data folder', status: 'ok', message: `${dataDir}, readable by its owner only` }
  const message = `other users of this machine can read ${open.join(', ')}`
  return { name: 'data folder', status: 'warn', message, todo: `run: chmod go= ${open.join(' ')}` }
}

function diskSpace(dataDir: string): HealthCheck {
  const { bavail, bsize } = statfsSync(dataDir)
  const free = bavail * bsize
  const message = `${(free / 1_073_741_824).toFixed(1)} GiB free`
  if (free >= diskBytesLow) return { name: 'disk', status: 'ok', message }
  const status = free < diskBytesLeast ? 'fail' : 'warn'
  return { name: 'disk', status, message, todo: 'free disk space: on a full disk, writes are refused' }
}

function serverCheck({ storage, dataDir }: Config): HealthCheck[] {
  const holder = storage === 'sqlite' && existsSync(dataDir) ? findLockHolder(dataDir) : null
  if (holder === null) return []
  return [
    { name: 'server', status: 'ok', message: `uses this folder; check it too: colophon doctor --url ${holder.url}` },
  ]
}

function settingChecks(config: Config): HealthCheck[] {
  const checks: HealthCheck[] = []
  if (config.testSeams) {
    const todo = 'unset COLOPHON_TEST_SEAMS, unless this is a conformance test'
    checks.push({ name: 'seams', status: 'warn', message: 'test seams are on', todo })
  }
  if (!isLoopback(config.host) && !config.tlsInFront) {
    const todo = 'put a proxy with TLS in front of it, and set COLOPHON_TLS_IN_FRONT=1'
    checks.push({ name: 'network', status: 'warn', message: `plain HTTP on ${config.host}`, todo })
  }
  for (const { variable, path } of openSecretFiles(process.env)) {
    const message = `${variable}: every user of this machine can read ${path}`
    checks.push({ name: 'secrets', status: 'warn', message, todo: `run: chmod o= ${path}` })
  }
  if (config.webhookAllowPrivate) {
    const todo = 'unset COLOPHON_WEBHOOK_ALLOW_PRIVATE, unless your receivers are in this network'
    checks.push({ name: 'webhooks', status: 'warn', message: 'private addresses are allowed', todo })
  }
  return checks
}
