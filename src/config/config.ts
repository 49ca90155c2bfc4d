import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { nearestName } from '../core/nearest-name.ts'
import { ConfigError } from './config-error.ts'
import { readSecret, secretFileVariables } from './secret-files.ts'
import { withoutServiceLinks } from './service-links.ts'
import { type Config, isLocalModel, type LogLevel, localModels, logLevels, settings } from './settings.ts'
import { defaultDataDir } from './user-folders.ts'

/** Variables that other parts of the product read. They are listed so that they are not refused as unknown. */
const otherVariables = [
  'COLOPHON_TEST_DATABASE_URL',
  'COLOPHON_TEST_DATABASE_DISTRIBUTED',
  'COLOPHON_TEST_BROWSER',
  'COLOPHON_URL',
  'COLOPHON_API_KEY',
  'COLOPHON_PROFILE',
]

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads the configuration from environment variables. Unknown `COLOPHON_…` variables and invalid values are refused. */
export function loadConfig(environment: Environment): Config {
  const env = withoutServiceLinks(environment)
  refuseUnknown(env)
  const text = (name: keyof Config): string | null =>
    settings[name].secret ? readSecret(env, name) : env[settings[name].variable] || null
  const databaseUrl = text('databaseUrl')
  const testSeams = readSwitch(text('testSeams'), 'testSeams')
  const config: Config = {
    host: text('host') ?? '127.0.0.1',
    port: readNumber(text('port'), 'port', 4242, 0, 65_535),
    tlsInFront: readSwitch(text('tlsInFront'), 'tlsInFront'),
    clockTrusted: readSwitch(text('clockTrusted'), 'clockTrusted'),
    dataDir: resolve(text('dataDir') ?? defaultDataDir(env)),
    databaseUrl,
    databaseConnections: readNumber(text('databaseConnections'), 'databaseConnections', 16, 4, 1_000),
    databasePooler: readPooler(text('databasePooler')),
    // More than the lock timeout of 10 s, so that a wait for a lock is not taken for a stall.
    databaseCommitWaitMs: readNumber(text('databaseCommitWaitMs'), 'databaseCommitWaitMs', 12_000, 100, 600_000),
    databaseRls: readRls(text('databaseRls')),
    storage: readStorage(text('storage'), databaseUrl),
    bootstrapKey: readKey(text('bootstrapKey'), 'bootstrapKey'),
    bootstrapKeyB: readKey(text('bootstrapKeyB'), 'bootstrapKeyB'),
    operatorKey: readKey(text('operatorKey'), 'operatorKey'),
    vaultKey: readKeyBytes(text('vaultKey'), 'vaultKey'),
    signingKey: readKeyBytes(text('signingKey'), 'signingKey'),
    rateLimitPerMin: readNumber(text('rateLimitPerMin'), 'rateLimitPerMin', 0, 0, 10_000_000),
    keyBytesPerHour: readNumber(
      text('keyBytesPerHour'),
      'keyBytesPerHour',
      // 1.2 MB per second: at this rate five days of request bodies have room for 2^39 guesses at a secret.
      4_294_967_296,
      0,
      999_999_999_999,
    ),
    streamsPerKey: readNumber(text('streamsPerKey'), 'streamsPerKey', 6_000, 1, 100_000),
    streamsPerTenant: readNumber(text('streamsPerTenant'), 'streamsPerTenant', 8_000, 1, 100_000),
    bodyLimitBytes: readNumber(text('bodyLimitBytes'), 'bodyLimitBytes', 8_388_608, 1_024, 1_073_741_824),
    corsOrigins: readOrigins(text('corsOrigins')),
    allowedHosts: readHosts(text('allowedHosts')),
    oauthIssuer: readOauthUrl(text('oauthIssuer'), 'oauthIssuer'),
    oauthResource: readOauthUrl(text('oauthResource'), 'oauthResource'),
    oauthJwksUrl: readOauthUrl(text('oauthJwksUrl'), 'oauthJwksUrl'),
    oauthRules: text('oauthRules'),
    logLevel: readLogLevel(text('logLevel')),
    slowMs: readNumber(text('slowMs'), 'slowMs', 1_000, 0, 3_600_000),
    webhookAllowPrivate: readSwitch(text('webhookAllowPrivate'), 'webhookAllowPrivate'),
    testSeams,
    llmUrl: readModelUrl(text('llmUrl'), 'llmUrl'),
    llmModel: text('llmModel'),
    llmApiKey: readModelKey(text('llmApiKey'), 'llmApiKey'),
    embeddings: readEmbeddings(text('embeddings')),
    embeddingsModel: text('embeddingsModel'),
    embeddingsApiKey: readModelKey(text('embeddingsApiKey'), 'embeddingsApiKey'),
  }
  if (config.bootstrapKeyB !== null && !testSeams) throw problem('bootstrapKeyB', 'is only for COLOPHON_TEST_SEAMS=1')
  if (testSeams && !isLoopback(config.host)) {
    throw problem('testSeams', 'may only be on while COLOPHON_HOST is a loopback address such as 127.0.0.1')
  }
  // Ignoring it would leave an operator without the protection that they asked for.
  if (config.databaseRls === true && config.storage !== 'postgres')
    throw problem('databaseRls', 'is for PostgreSQL: set COLOPHON_DATABASE_URL, or remove it')
  if (config.llmUrl !== null && config.llmModel === null) throw problem('llmUrl', 'needs COLOPHON_LLM_MODEL')
  if (config.llmUrl === null && (config.llmModel ?? config.llmApiKey) !== null)
    throw problem(config.llmModel !== null ? 'llmModel' : 'llmApiKey', 'needs COLOPHON_LLM_URL')
  const hasEndpoint = config.embeddings !== 'none' && !isLocalModel(config.embeddings)
  if (hasEndpoint && config.embeddingsModel === null) throw problem('embeddings', 'needs COLOPHON_EMBEDDINGS_MODEL')
  if (!hasEndpoint && (config.embeddingsModel ?? config.embeddingsApiKey) !== null)
    throw problem(
      config.embeddingsModel !== null ? 'embeddingsModel' : 'embeddingsApiKey',
      'needs an address in COLOPHON_EMBEDDINGS',
    )
  const oauth = ['oauthIssuer', 'oauthResource', 'oauthJwksUrl', 'oauthRules'] as const
  const [missing] = oauth.filter((name) => config[name] === null)
  const [given] = oauth.filter((name) => config[name] !== null)
  if (given !== undefined && missing !== undefined) throw problem(given, `needs ${settings[missing].variable}`)
  const keys = [config.bootstrapKey, config.bootstrapKeyB, config.operatorKey].filter((key) => key !== null)
  if (new Set(keys).size < keys.length)
    throw problem('operatorKey', 'and the bootstrap keys must differ from each other')
  return Object.freeze(config)
}

/** Whether a listen address accepts connections of this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** The configuration by variable name, with secrets masked. */
export function showConfig(config: Config): Record<string, unknown> {
  const entries = Object.entries(settings).map(([name, { variable, secret }]) => {
    const value = config[name as keyof Config]
    return [variable, secret && value !== null ? '(set)' : value]
  })
  return Object.fromEntries(entries) as Record<string, unknown>
}

const prefix = 'COLOPHON_'

function refuseUnknown(env: Environment): void {
  const known = [...Object.values(settings).map(({ variable }) => variable), ...otherVariables, ...secretFileVariables]
  for (const name of Object.keys(env)) {
    if (name.startsWith(prefix) && !known.includes(name)) {
      // Without the prefix, which all names share: it would make any two of them alike.
      const nearest = nearestName(
        name.slice(prefix.length),
        known.map((one) => one.slice(prefix.length)),
      )
      const guess = nearest === null ? '' : ` Did you mean ${prefix}${nearest}?`
      throw new ConfigError(`${name} is not a variable of Colophon.${guess} Known are: ${known.join(', ')}.`)
    }
  }
}

function problem(name: keyof Config, text: string): ConfigError {
  return new ConfigError(`${settings[name].variable} ${text}.`)
}

function readNumber(value: string | null, name: keyof Config, fallback: number, min: number, max: number): number {
  if (value === null) return fallback
  const number = /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN
  if (!(number >= min && number <= max)) throw problem(name, `must be a whole number from ${min} to ${max}`)
  return number
}

function readSwitch(value: string | null, name: keyof Config): boolean {
  if (value === null || ['0', 'false', 'off', 'no'].includes(value.toLowerCase())) return false
  if (['1', 'true', 'on', 'yes'].includes(value.toLowerCase())) return true
  throw problem(name, 'must be 1 or 0')
}

function readKey(value: string | null, name: keyof Config): string | null {
  if (value === null || /^[\x21-\x7e]{24,512}$/.test(value)) return value
  throw problem(name, 'must be 24 to 512 printable characters without spaces')
}

function readKeyBytes(value: string | null, name: 'vaultKey' | 'signingKey'): string | null {
  if (value === null || Buffer.from(value, 'base64').length === 32) return value
  throw problem(name, 'must be 32 bytes in base64, such as the output of: openssl rand -base64 32')
}

function readStorage(value: string | null, databaseUrl: string | null): Config['storage'] {
  if (databaseUrl !== null && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw problem('databaseUrl', 'must start with postgres:// or postgresql://')
  }
  if (value === null) return databaseUrl === null ? 'sqlite' : 'postgres'
  if (value !== 'sqlite' && value !== 'postgres' && value !== 'memory')
    throw problem('storage', 'must be sqlite, postgres or memory')
  if (value === 'postgres' && databaseUrl === null) throw problem('storage', 'postgres needs COLOPHON_DATABASE_URL')
  if (value !== 'postgres' && databaseUrl !== null)
    throw problem('storage', `${value} cannot be combined with COLOPHON_DATABASE_URL`)
  return value
}

function readPooler(value: string | null): Config['databasePooler'] {
  if (value === null || value === 'none' || value === 'transaction') return value ?? 'none'
  throw problem('databasePooler', 'must be none or transaction')
}

function readRls(value: string | null): Config['databaseRls'] {
  if (value === null || value === 'on' || value === 'off') return value === null ? null : value === 'on'
  throw problem('databaseRls', 'must be on or off')
}

function readList(value: string | null): string[] {
  return (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
}

/** A host name, optionally with a port. With a port, it is allowed on that port only. */
const hostName = /^(?:\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d{1,5})?)$/

function readHosts(value: string | null): string[] {
  const hosts = readList(value?.toLowerCase() ?? null)
  if (!hosts.every((host) => hostName.test(host)))
    throw problem('allowedHosts', 'must list host names such as memory.example.com or *.example.com, by comma')
  return hosts
}

function readOrigins(value: string | null): string[] {
  const origins = readList(value)
  for (const origin of origins) {
    const isOrigin = origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)
    if (!isOrigin) throw problem('corsOrigins', 'must list origins such as https://app.example.com, by comma')
  }
  return origins
}

function readLogLevel(value: string | null): LogLevel {
  if (value === null) return 'info'
  const level = logLevels.find((known) => known === value)
  if (level === undefined) throw problem('logLevel', `must be one of ${logLevels.join(', ')}`)
  return level
}

function readEmbeddings(value: string | null): string {
  if (value === null || value === 'none' || isLocalModel(value)) return value ?? 'none'
  if (!/^https?:/.test(value))
    throw problem('embeddings', `must be none, ${localModels.join(', ')} or an address that starts with http`)
  return readModelUrl(value, 'embeddings') ?? 'none'
}

function readModelUrl(value: string | null, name: 'llmUrl' | 'embeddings'): string | null {
  if (value === null) return null
  const url = URL.canParse(value) ? new URL(value) : null
  const isFit = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (!isFit) throw problem(name, 'must start with http:// or https:// and contain no user or password')
  return value
}

type OauthUrl = 'oauthIssuer' | 'oauthResource' | 'oauthJwksUrl'

/** Without TLS, a token or the keys that verify it could be changed on the way. */
function readOauthUrl(value: string | null, name: OauthUrl): string | null {
  if (value === null) return null
  const url = URL.canParse(value) ? new URL(value) : null
  const isSafe = url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
  if (!isSafe || url.username !== '' || url.password !== '' || url.hash !== '')
    throw problem(
      name,
      'must be an https:// address (http:// on a loopback address only), without user, password and #',
    )
  return value
}

function readModelKey(value: string | null, name: 'llmApiKey' | 'embeddingsApiKey'): string | null {
  if (value === null || /^[\x21-\x7e]{1,2048}$/.test(value)) return value
  throw problem(name, 'must be printable characters without spaces')
}
