/** The configuration of a server. Only config.ts reads the environment. */
export type Config = {
  readonly host: string
  readonly port: number
  readonly tlsInFront: boolean
  readonly clockTrusted: boolean
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly databaseConnections: number
  readonly databasePooler: 'none' | 'transaction'
  readonly databaseCommitWaitMs: number
  readonly databaseRls: boolean | null
  readonly storage: 'sqlite' | 'postgres' | 'memory'
  readonly bootstrapKey: string | null
  readonly bootstrapKeyB: string | null
  readonly operatorKey: string | null
  readonly vaultKey: string | null
  readonly signingKey: string | null
  readonly rateLimitPerMin: number
  readonly keyBytesPerHour: number
  readonly streamsPerKey: number
  readonly streamsPerTenant: number
  readonly bodyLimitBytes: number
  readonly corsOrigins: readonly string[]
  readonly oauthIssuer: string | null
  readonly oauthResource: string | null
  readonly oauthJwksUrl: string | null
  readonly oauthRules: string | null
  readonly allowedHosts: readonly string[]
  readonly logLevel: LogLevel
  readonly slowMs: number
  readonly webhookAllowPrivate: boolean
  readonly testSeams: boolean
  readonly llmUrl: string | null
  readonly llmModel: string | null
  readonly llmApiKey: string | null
  /** `none`, `local`, or the base address of an endpoint. */
  readonly embeddings: string
  readonly embeddingsModel: string | null
  readonly embeddingsApiKey: string | null
}

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
/** The embedders whose model comes in optional packages. */
export const localModels = ['local', 'local-minilm'] as const

export function isLocalModel(value: string): value is (typeof localModels)[number] {
  return localModels.some((known) => known === value)
}

export type LogLevel = (typeof logLevels)[number]

type Setting = { readonly variable: string; readonly secret?: true; readonly meaning: string }

/** The variable and the meaning of each setting, in the order in which `config show` prints them. */
export const settings: Readonly<Record<keyof Config, Setting>> = {
  host: { variable: 'COLOPHON_HOST', meaning: 'listen address' },
  port: { variable: 'COLOPHON_PORT', meaning: 'listen port; 0 picks a free one' },
  tlsInFront: {
    variable: 'COLOPHON_TLS_IN_FRONT',
    meaning: 'a proxy with TLS, or an encrypted network, is in front: no warning about plain HTTP',
  },
  clockTrusted: {
    variable: 'COLOPHON_CLOCK_TRUSTED',
    meaning:
      'the clock is right, whatever the records say: after a year without a write, an old backup, or records from the future',
  },
  dataDir: { variable: 'COLOPHON_DATA_DIR', meaning: 'folder of the embedded database and of the key files' },
  storage: { variable: 'COLOPHON_STORAGE', meaning: 'sqlite, postgres or memory' },
  databaseUrl: {
    variable: 'COLOPHON_DATABASE_URL',
    secret: true,
    meaning: 'postgres://… switches to PostgreSQL; several hosts, separated by commas, are tried for the primary',
  },
  databaseConnections: {
    variable: 'COLOPHON_DATABASE_CONNECTIONS',
    meaning: 'connections that each process may open to PostgreSQL',
  },
  databasePooler: {
    variable: 'COLOPHON_DATABASE_POOLER',
    meaning: 'none, or transaction for a connection pooler in transaction mode before PostgreSQL',
  },
  databaseCommitWaitMs: {
    variable: 'COLOPHON_DATABASE_COMMIT_WAIT_MS',
    meaning:
      'how long PostgreSQL may take to confirm a write, as when a synchronous standby stalls; then the response is 503 and the outcome is unknown',
  },
  databaseRls: {
    variable: 'COLOPHON_DATABASE_RLS',
    meaning:
      'on or off: gives a PostgreSQL database row-level security, or takes it away; without it, the database stays as it is',
  },
  bootstrapKey: { variable: 'COLOPHON_BOOTSTRAP_KEY', secret: true, meaning: 'API key of the tenant default' },
  bootstrapKeyB: { variable: 'COLOPHON_BOOTSTRAP_KEY_B', secret: true, meaning: 'with seams on: API key of tenant-b' },
  operatorKey: { variable: 'COLOPHON_OPERATOR_KEY', secret: true, meaning: 'the key that manages tenants' },
  vaultKey: { variable: 'COLOPHON_VAULT_KEY', secret: true, meaning: '32 bytes in base64, encrypts secrets at rest' },
  signingKey: {
    variable: 'COLOPHON_SIGNING_KEY',
    secret: true,
    meaning:
      '32 bytes in base64, the Ed25519 key that signs receipts, exports and checkpoints; without it a file in the data folder',
  },
  rateLimitPerMin: { variable: 'COLOPHON_RATE_LIMIT_PER_MIN', meaning: 'requests per key and minute; 0 is off' },
  keyBytesPerHour: {
    variable: 'COLOPHON_KEY_BYTES_PER_HOUR',
    meaning: 'bytes of request bodies per key and hour, counted by each process; 0 is off',
  },
  streamsPerKey: {
    variable: 'COLOPHON_STREAMS_PER_KEY',
    meaning: 'event streams and long polls that one key may have open in a process',
  },
  streamsPerTenant: {
    variable: 'COLOPHON_STREAMS_PER_TENANT',
    meaning: 'the same for all keys of a tenant; the last slots of a process are reserved for tenants with few streams',
  },
  bodyLimitBytes: { variable: 'COLOPHON_BODY_LIMIT_BYTES', meaning: 'largest request body' },
  corsOrigins: { variable: 'COLOPHON_CORS_ORIGINS', meaning: 'origins that browsers may call from, by comma' },
  allowedHosts: {
    variable: 'COLOPHON_ALLOWED_HOSTS',
    meaning:
      'names by which the server may be called (Host header), by comma, such as memory.example.com or *.example.com; addresses and localhost always pass',
  },
  oauthIssuer: {
    variable: 'COLOPHON_OAUTH_ISSUER',
    meaning: 'accept access tokens (JWT) of this OAuth issuer beside API keys; needs the three settings below',
  },
  oauthResource: {
    variable: 'COLOPHON_OAUTH_RESOURCE',
    meaning:
      'the address of this server for which tokens must be issued (audience), such as https://memory.example.com/mcp',
  },
  oauthJwksUrl: { variable: 'COLOPHON_OAUTH_JWKS_URL', meaning: 'where the public keys of the issuer are (JWKS)' },
  oauthRules: {
    variable: 'COLOPHON_OAUTH_RULES',
    meaning:
      'JSON list of rules; the first whose claims the token has gives tenant, scopes and, with reader, the claim that names the reader',
  },
  logLevel: { variable: 'COLOPHON_LOG_LEVEL', meaning: logLevels.join(', ') },
  slowMs: {
    variable: 'COLOPHON_SLOW_MS',
    meaning: 'requests and jobs that take at least so many milliseconds are logged as slow; 0 is off',
  },
  webhookAllowPrivate: { variable: 'COLOPHON_WEBHOOK_ALLOW_PRIVATE', meaning: 'webhooks to private addresses' },
  testSeams: { variable: 'COLOPHON_TEST_SEAMS', meaning: 'mounts conformance-only seams; loopback only' },
  llmUrl: {
    variable: 'COLOPHON_LLM_URL',
    meaning: 'OpenAI-compatible base address of a model that extracts memories and writes summaries',
  },
  llmModel: { variable: 'COLOPHON_LLM_MODEL', meaning: 'which model; without one the built-in rules do both' },
  llmApiKey: { variable: 'COLOPHON_LLM_API_KEY', secret: true, meaning: 'key for the server of the model' },
  embeddings: {
    variable: 'COLOPHON_EMBEDDINGS',
    meaning:
      'none, local or local-minilm (models in optional packages) or the base address of an OpenAI-compatible embeddings endpoint',
  },
  embeddingsModel: { variable: 'COLOPHON_EMBEDDINGS_MODEL', meaning: 'which model of that endpoint' },
  embeddingsApiKey: { variable: 'COLOPHON_EMBEDDINGS_API_KEY', secret: true, meaning: 'key for that endpoint' },
}
