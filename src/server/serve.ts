import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEndpointEmbedder } from '../adapters/embed/endpoint.ts'
import { createLocalEmbedder } from '../adapters/embed/local.ts'
import { createModelExtractor } from '../adapters/extract/model.ts'
import { createChatModel } from '../adapters/model-api/chat-model.ts'
import { createTokenVerifier } from '../adapters/oauth/token-verifier.ts'
import { createModelSummariser } from '../adapters/summarise/model.ts'
import { nodeSystem } from '../adapters/system/node-system.ts'
import { createWebhookSender } from '../adapters/webhook/http-sender.ts'
import type { StaticKey } from '../app/access/authenticate.ts'
import { listKeys, storeNewKey } from '../app/access/keys.ts'
import type { HostFacts } from '../app/capabilities.ts'
import { scheduleEmbeddingOfAll } from '../app/embeddings/embedding-schedule.ts'
import { EmbeddingService } from '../app/embeddings/embedding-service.ts'
import type { Engine, Host } from '../app/engine.ts'
import { openSecrets } from '../app/redaction/vault-access.ts'
import { WebhookCircuitBreaker } from '../app/webhooks/circuit-breaker.ts'
import { checkNodeVersion } from '../config/node-version.ts'
import { packageVersion } from '../config/package-version.ts'
import { type Config, isLocalModel } from '../config/settings.ts'
import { parseTokenRules } from '../core/access/access-token.ts'
import { configuredKeys, hashKey } from '../core/access/api-key.ts'
import { scopes } from '../core/access/scopes.ts'
import { isColophonError } from '../core/errors.ts'
import type { Job } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'
import type { LogDestination } from '../http/request-log.ts'
import { createRequestQueue } from '../http/request-queue.ts'
import type { App } from '../http/route-context.ts'
import { createHttpServer } from '../http/server.ts'
import { deliveryHandlers, embedHandlers, endRunOfDeadLetter, hostHandlers, ingestHandlers } from '../jobs/built-in.ts'
import { scheduleUpkeepOfAll } from '../jobs/upkeep.ts'
import { Worker, type WorkerOptions } from '../jobs/worker.ts'
import { checkNodeTypes } from '../nodes/define-node-type.ts'
import type { NodeType } from '../nodes/index.ts'
import { createNodeRegistry } from '../nodes/registry.ts'
import { composeEngine, openStorage } from '../open.ts'
import { openSigner } from '../operate/signing-key.ts'
import { openVault } from '../operate/vault-key.ts'
import type { Storage } from '../ports/storage.ts'
import { fixtures } from '../seams/fixtures.ts'
import { seamNodes } from '../seams/nodes.ts'
import { prepareSeams, seamWebhookAttemptsMax } from '../seams/prepare.ts'
import { seamRoutes } from '../seams/routes.ts'
import { wires } from '../wires/index.ts'
import { advertise } from '../wires/openwop-v1/discovery.ts'
import { toWebhookRequest } from '../wires/openwop-v1/webhook-request.ts'
import { toWebhookRequestV2 } from '../wires/openwop-v2/webhooks/request.ts'
import { installAgentFiles } from './agent-files.ts'

/** A composed server that does not listen yet. The CLI calls it within the process; `serve` opens the port. */
export type Server = {
  readonly app: App
  readonly engine: Engine
  /** Creates the tenant `default`. Returns the API key that the first start creates, to be shown once. */
  prepare(): Promise<string | null>
  close(): Promise<void>
}

export type ServerOptions = {
  readonly config: Config
  /** A further API key, for this process only. */
  readonly localKey?: { readonly key: string; readonly tenantId: string }
  /** Further master keys of the vault, during a rotation. */
  readonly otherVaultKeys?: readonly Uint8Array[]
  /** Node types in addition to the built-in ones. */
  readonly nodeTypes?: readonly NodeType[]
  /** Receives the log lines; standard output by default. */
  readonly logTo?: LogDestination
  /** The clock of the engine, in milliseconds since 1970; the machine's by default. */
  readonly now?: () => number
}

/** Concurrent jobs. They mostly wait for the database, and commits that wait together share a flush. */
const workerConcurrency = 64
/** Concurrent embedding jobs; one per tenant. */
const embedConcurrency = 2
/** Concurrent webhook deliveries. Each waits up to five seconds for its receiver. */
const deliveryConcurrency = 16
/**
 * Concurrent ingest jobs. The built-in rules take less than a millisecond, so several jobs are claimed together, and their commits share a flush;
 * beside requests the worker pauses, so that source services are answered first. A model takes seconds, most of which are spent waiting.
 */
const ingestByRules: Pick<WorkerOptions, 'concurrency' | 'batchSize'> = { concurrency: 12, batchSize: 8 }
const ingestByModel: Pick<WorkerOptions, 'concurrency' | 'batchSize'> = { concurrency: 32 }
/** How long a run is idle after its process was killed. */
const workerLeaseMs = 10_000

export async function createServer(options: ServerOptions): Promise<Server> {
  const { config, localKey, otherVaultKeys = [], nodeTypes = [], logTo, now = Date.now } = options
  checkNodeVersion()
  checkNodeTypes(nodeTypes)
  const storage = await openStorage(storageOptions(config), now, {
    connectionsMax: config.databaseConnections,
    pooler: config.databasePooler,
    commitWaitMs: config.databaseCommitWaitMs,
    rowSecurity: config.databaseRls,
  })
  // After the storage: if the database is refused, no key file is created.
  const vault = await withClosing(storage, () => openVault(config, otherVaultKeys))
  const { webhookAllowPrivate: allowPrivate } = config
  const host: Partial<Host> = {
    nodes: createNodeRegistry(...(config.testSeams ? seamNodes : []), ...nodeTypes),
    webhooks: {
      sender: createWebhookSender({ allowPrivate }),
      toRequest: (event) => (event.protocol === 2 ? toWebhookRequestV2 : toWebhookRequest)(event, packageVersion),
      allowPrivate,
      breaker: new WebhookCircuitBreaker(),
      ...(config.testSeams ? { attemptsMax: seamWebhookAttemptsMax } : {}),
    },
    ...modelOf(config),
    signer: openSigner(config),
    embeddings: embeddingsOf(config),
  }
  const quotas = { streams: config.streamsPerTenant }
  const system = nodeSystem(now)
  const { engine, close, workers } = composeEngine(storage, system, 'server', vault, host, quotas, config.clockTrusted)
  const onDead = (tenantId: string, job: Job) => endRunOfDeadLetter(engine.tenant(tenantId), job)
  const start = (options: WorkerOptions) => {
    const worker = new Worker(engine, { ...options, leaseMs: workerLeaseMs }, () => workers.delete(worker)).start()
    workers.add(worker)
  }
  start({ handlers: hostHandlers(engine), concurrency: workerConcurrency, onDead })
  const requestQueue = createRequestQueue({
    slots: storage.traits.sharedAcrossProcesses ? limits.requestsPerTurnOfSharedStore : limits.requestsPerTurn,
    inFlightMax: (id) => engine.quotas.known(id).requestsInFlight,
  })
  const ingest = config.llmModel === null ? { ...ingestByRules, isBusy: requestQueue.isBusy } : ingestByModel
  start({ handlers: ingestHandlers(engine), ...ingest })
  start({ handlers: embedHandlers(engine), concurrency: embedConcurrency })
  start({ handlers: deliveryHandlers(engine), concurrency: deliveryConcurrency })
  try {
    const app = await createHttpServer(engine, {
      staticKeys: staticKeys(config, localKey),
      oauth: oauthOf(config, engine.system.now),
      operatorKey: config.operatorKey,
      rateLimitPerMin: config.rateLimitPerMin,
      requestQueue,
      bodyLimitBytes: config.bodyLimitBytes,
      keyBytesPerHour: config.keyBytesPerHour,
      streamsPerKey: config.streamsPerKey,
      corsOrigins: config.corsOrigins,
      allowedHosts: [config.host.toLowerCase(), ...config.allowedHosts],
      logLevel: config.logLevel,
      ...(logTo ? { logTo } : {}),
      slowMs: config.slowMs,
      version: packageVersion,
      wires,
      facts: () => hostFacts(engine, config),
      consoleFolder: fileURLToPath(new URL('../../dist/console', import.meta.url)),
      ...(config.testSeams ? { addSeams: seamRoutes } : {}),
    })
    const stopping = new AbortController()
    app.addHook('preClose', async () => stopping.abort())
    app.addHook('onClose', close)
    // In the background: search is correct without it, only slower.
    engine.indexer.catchUp().catch(() => {})
    return {
      app,
      engine,
      async prepare() {
        if (await engine.instants.isAhead()) app.log.error({ reason: 'clock_ahead' }, 'writes are refused')
        return prepareDefaultTenant(engine, config, stopping.signal)
      },
      close: () => app.close(),
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Closes the storage if opening the next part fails. */
async function withClosing<T>(storage: Storage, open: () => T): Promise<T> {
  try {
    return open()
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** The model that extracts memories and writes summaries, if one is configured. Otherwise the built-in rules are used. */
function modelOf({ llmUrl: url, llmModel: model, llmApiKey: apiKey }: Config) {
  if (url === null || model === null) return {}
  const options = { url, model, apiKey }
  return {
    extractor: createModelExtractor(options),
    summariser: createModelSummariser(options),
    model: createChatModel(options),
  }
}

/** The embedder for search by meaning, if one is configured. */
function embeddingsOf({ embeddings: url, embeddingsModel: model, embeddingsApiKey: apiKey }: Config) {
  if (url === 'none') return null
  if (isLocalModel(url)) return new EmbeddingService(createLocalEmbedder(url), Date.now)
  return new EmbeddingService(createEndpointEmbedder({ url, model: model ?? '', apiKey }), Date.now)
}

function storageOptions(config: Config) {
  if (config.storage === 'memory') return { inMemory: true }
  if (config.storage === 'postgres') return { databaseUrl: config.databaseUrl ?? '' }
  return { path: join(config.dataDir, 'colophon.db') }
}

/** Creates the tenant `default` on the first start. Without a configured key, it gets an API key that is returned once. */
async function prepareDefaultTenant(engine: Engine, config: Config, stopping: AbortSignal): Promise<string | null> {
  await engine.storage.ensureTenant('default', { macKey: engine.system.newKey() }, engine.system.now())
  const advertised = async () => advertise(await hostFacts(engine, config))
  await installAgentFiles(engine.tenant('default'), join(config.dataDir, 'agents'), advertised)
  if (config.testSeams) await prepareSeams(engine, await advertised())
  // In the background: there may be many tenants. If the process stops before it is done, the next start does the rest.
  void scheduleUpkeepOfAll(engine, stopping).catch(() => {})
  void scheduleEmbeddingOfAll(engine, stopping).catch(() => {})
  const known = await listKeys(engine.tenant('default'), { after: null, limit: 1 })
  if (config.bootstrapKey !== null || known.length > 0) return null
  // Of several servers that start on a new database, one creates the key: the record can be created only once.
  const first = { kind: 'settings', id: 'first-key', body: { text: {}, sealed: {} }, expects: 0 } as const
  const parts = { name: 'first key', scopes, expiresAt: null }
  try {
    const made = await storeNewKey(engine.tenant('default'), parts, [first], { call: { operation: 'first-key' } })
    return made.key ?? null
  } catch (error) {
    if (isColophonError(error, 'version_conflict')) return null
    throw error
  }
}

/** The issuer of access tokens, if one is configured. All its settings are then set. */
function oauthOf(config: Config, now: () => number) {
  const { oauthIssuer: issuer, oauthResource: resource, oauthJwksUrl: keysUrl, oauthRules } = config
  if (issuer === null || resource === null || keysUrl === null || oauthRules === null) return null
  const rules = parseTokenRules(oauthRules)
  return {
    issuer,
    resource,
    tokens: createTokenVerifier({ issuer, resource, keysUrl, rules, now, elapsed: () => performance.now() }),
  }
}

function staticKeys(config: Config, localKey: ServerOptions['localKey']): StaticKey[] {
  const keys = [
    { key: config.bootstrapKey, tenantId: 'default', keyId: configuredKeys.bootstrap },
    { key: config.bootstrapKeyB, tenantId: 'tenant-b', keyId: configuredKeys.bootstrapB },
    { key: localKey?.key ?? null, tenantId: localKey?.tenantId ?? '', keyId: configuredKeys.local },
  ]
  return keys.flatMap(({ key, tenantId, keyId }) => (key === null ? [] : [{ hash: hashKey(key), tenantId, keyId }]))
}

async function hostFacts(engine: Engine, config: Config): Promise<HostFacts> {
  const { store, vaultOpen } = await cachedHealth(engine)
  return {
    version: packageVersion,
    traits: engine.storage.traits,
    store,
    vaultOpen,
    bodyLimitBytes: config.bodyLimitBytes,
    sendsWebhooks: engine.host.webhooks !== null,
    hasModel: engine.host.model !== null,
    hasSemanticSearch: engine.host.embeddings !== null && (await engine.host.embeddings.works()),
    fixtures: config.testSeams ? fixtures.map(({ id }) => id) : [],
  }
}

type Health = Pick<HostFacts, 'store' | 'vaultOpen'>

const healthCacheMs = 5_000
const healthCache = new WeakMap<Engine, { at: number; health: Promise<Health> }>()

/** The health of database and vault, cached because discovery is requested often. */
function cachedHealth(engine: Engine): Promise<Health> {
  const last = healthCache.get(engine)
  if (last && Date.now() - last.at < healthCacheMs) return last.health
  const health = checkHealth(engine)
  healthCache.set(engine, { at: Date.now(), health })
  return health
}

async function checkHealth(engine: Engine): Promise<Health> {
  const [store, vaultOpen] = await Promise.all([
    engine.storage.isWritable().then(
      (writable) => ({ readable: true, writable }),
      () => ({ readable: false, writable: false }),
    ),
    canOpenEveryVault(engine).catch(() => false),
  ])
  return { store, vaultOpen }
}

/** Whether the secrets of every tenant can be decrypted. */
async function canOpenEveryVault(engine: Engine): Promise<boolean> {
  if (engine.vault === null) return false
  for (let after: string | null = null; ; ) {
    const tenants = await engine.storage.tenants({ after, limit: 100 })
    for (const { tenantId } of tenants) await openSecrets(engine.storage, engine.vault, tenantId)
    after = tenants.at(-1)?.tenantId ?? null
    if (after === null) return true
  }
}
