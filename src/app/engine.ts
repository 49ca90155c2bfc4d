import type { RunEvent } from '../core/run/run.ts'
import type { Coalesced } from '../core/webhooks/coalesced-delivery.ts'
import type { ChatModel } from '../ports/chat-model.ts'
import type { Extractor } from '../ports/extractor.ts'
import type { RunLogStatus } from '../ports/run-store.ts'
import type { ScanThreads } from '../ports/scan-threads.ts'
import type { Storage } from '../ports/storage.ts'
import type { Summariser } from '../ports/summariser.ts'
import type { System } from '../ports/system.ts'
import type { WebhookRequest, WebhookSender } from '../ports/webhook-sender.ts'
import type { CredentialCache } from './access/credential-cache.ts'
import type { Watch } from './changes/watch.ts'
import type { Counters } from './counters.ts'
import type { EmbeddingService } from './embeddings/embedding-service.ts'
import type { QuotaService } from './quotas/quota-service.ts'
import type { RecordedInstants } from './recorded-instants.ts'
import type { VaultAccess } from './redaction/vault-access.ts'
import type { NodeRegistry } from './runs/node-type.ts'
import type { SearchIndexer } from './search/indexer.ts'
import type { Tenant } from './tenant.ts'
import type { TenantContext } from './tenant-context.ts'
import type { AuditVerifications } from './verify/audit-verifications.ts'
import type { WebhookCircuitBreaker } from './webhooks/circuit-breaker.ts'
import type { WebhookBacklog } from './webhooks/delivery-backlog.ts'
import type { Workers } from './workers.ts'

/** The host's key for receipts and exports: Ed25519, the public half as SPKI in base64. */
export type Signer = {
  readonly host: string
  readonly publicKey: string
  readonly sign: (bytes: Uint8Array) => Uint8Array
}

/** What every use case works with: storage, clock, vault, and the notifications between requests and workers of this process. */
export type Engine = {
  readonly storage: Storage
  readonly system: System
  /** Null without a vault key. Then no secret can be stored. */
  readonly vault: VaultAccess | null
  /** Notifies readers that wait for the next position of a tenant. */
  readonly watch: Watch
  /** Notifies readers that wait for the next event of a run. */
  readonly runWatch: Watch<RunLogStatus>
  readonly workers: Workers
  readonly credentials: CredentialCache
  /** The last recorded instants of the tenants: what has expired by them has expired. */
  readonly instants: RecordedInstants
  readonly quotas: QuotaService
  readonly indexer: SearchIndexer
  /** Worker threads that scan long texts for secrets. */
  readonly scanThreads: ScanThreads
  readonly contextOf: (tenantId: string) => Promise<TenantContext>
  /** The actor that the audit records when a call names none. */
  readonly actor: string
  readonly host: Host
  tenant(id: string): Tenant
}

/** One run event that is delivered to one webhook. */
export type WebhookEvent = {
  readonly tenantId: string
  readonly runId: string
  readonly event: RunEvent
  /** Set when this delivery stands for several events. */
  readonly coalesced?: Coalesced
  readonly webhookId: string
  /** The key of the delivery's signature. */
  readonly secret: string
  /** Absent for the form of OpenWOP. */
  readonly format?: 'cloudevents'
  /** The major version of the protocol of the webhook; absent for 1. */
  readonly protocol?: number
  readonly now: number
}

/** The parts that a host can replace: node types, models, and outgoing connections. The library uses the defaults. */
export type Host = {
  readonly nodes: NodeRegistry
  /** The capabilities that node types can require. */
  readonly runtimeCapabilities: readonly string[]
  readonly extractor: Extractor
  readonly summariser: Summariser
  /** The model of agents and of nodes that call one; null without one. */
  readonly model: ChatModel | null
  /** Null without an embedder. Then search is by words only. */
  readonly embeddings: EmbeddingService | null
  /** Null when this process sends no webhooks. */
  readonly webhooks: {
    readonly sender: WebhookSender
    /** Makes headers, body and signature of a delivery, in the protocol of the host. */
    readonly toRequest: (event: WebhookEvent) => Pick<WebhookRequest, 'headers' | 'body'>
    readonly allowPrivate: boolean
    readonly breaker: WebhookCircuitBreaker
    /** How often a delivery is tried; `webhookAttemptsMax` by default. */
    readonly attemptsMax?: number
  } | null
  /** Present without a sender too: another process can send the deliveries that runs of this process store. */
  readonly webhookBacklog: WebhookBacklog
  /** Null in the library. Only servers sign receipts and exports. */
  readonly signer: Signer | null
  /** Rows that upkeep ended or deleted in this process, by kind, for the metrics. */
  readonly upkeepCounters: Counters
  /** Runs that ended in this process, by status, for the metrics. */
  readonly endedRunCounters: Counters
  /** Compactions, distillations and merges that this process stored. */
  readonly compactionCounters: Counters
  readonly auditVerifications: AuditVerifications
}
