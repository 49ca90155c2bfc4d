import type { RunEvent } from '../core/run/run.ts'
import type { Coalesced } from '../core/webhooks/coalesced-delivery.ts'
import type { Extractor } from '../ports/extractor.ts'
import type { ScanThreads } from '../ports/scan-threads.ts'
import type { Storage } from '../ports/storage.ts'
import type { Summariser } from '../ports/summariser.ts'
import type { System } from '../ports/system.ts'
import type { WebhookRequest, WebhookSender } from '../ports/webhook-sender.ts'
import type { Watch } from './changes/watch.ts'
import type { Embeddings } from './embeddings/embeddings.ts'
import type { VaultAccess } from './redaction/open-vault.ts'
import type { NodeRegistry } from './runs/node-type.ts'
import type { SearchIndexer } from './search/indexer.ts'
import type { Tally } from './tally.ts'
import type { Tenant } from './tenant.ts'
import type { TenantContext } from './tenant-context.ts'
import type { WebhookBacklog } from './webhooks/backlog.ts'
import type { WebhookBreaker } from './webhooks/circuit-breaker.ts'
import type { Workers } from './workers.ts'

/** The host's key for receipts and exports: Ed25519, the public half as SPKI in base64. */
export type Signer = {
  readonly host: string
  readonly publicKey: string
  readonly sign: (bytes: Uint8Array) => Uint8Array
}

/** What the engine needs: storage, time, secrets, and the signals between requests and workers of this process. */
export type Engine = {
  readonly storage: Storage
  readonly system: System
  /** Null without a vault key: then secrets cannot be stored. */
  readonly vault: VaultAccess | null
  /** Wakes readers that wait for a tenant's next position. */
  readonly watch: Watch
  /** Wakes readers that wait for a run's next event. */
  readonly runWatch: Watch
  readonly workers: Workers
  readonly indexer: SearchIndexer
  /** Scans long texts for secrets. */
  readonly scanThreads: ScanThreads
  readonly contextOf: (tenantId: string) => Promise<TenantContext>
  /** The actor that the audit records when a call names none. */
  readonly actor: string
  readonly host: Host
  tenant(id: string): Tenant
}

/** One event that goes to one webhook. */
export type WebhookEvent = {
  readonly tenantId: string
  readonly runId: string
  readonly event: RunEvent
  /** When it stands for others too. */
  readonly coalesced?: Coalesced
  readonly webhookId: string
  /** Signs the delivery. */
  readonly secret: string
  readonly now: number
}

/** What the host adds: node types, models, and what reaches other machines. A library runs with the defaults. */
export type Host = {
  readonly nodes: NodeRegistry
  /** What node types may require of the host. */
  readonly runtimeCapabilities: readonly string[]
  readonly extractor: Extractor
  readonly summariser: Summariser
  /** Null without an embedder: then search is by words. */
  readonly embeddings: Embeddings | null
  /** Null when this process sends no webhooks. */
  readonly webhooks: {
    readonly sender: WebhookSender
    /** Words and signs a delivery, as the wire of the host does. */
    readonly toRequest: (event: WebhookEvent) => Pick<WebhookRequest, 'headers' | 'body'>
    readonly allowPrivate: boolean
    readonly breaker: WebhookBreaker
  } | null
  /** Also without a sender: another process may send what runs here store. */
  readonly webhookBacklog: WebhookBacklog
  /** Null in a library: receipts and exports are signed by servers. */
  readonly signer: Signer | null
  /** What upkeep has done, for the metrics. */
  readonly tally: Tally
  /** Runs that ended in this process, by status, for the metrics. */
  readonly endedRuns: Tally
}
