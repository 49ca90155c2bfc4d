import type { Extractor } from '../ports/extractor.ts'
import type { Storage } from '../ports/storage.ts'
import type { Summariser } from '../ports/summariser.ts'
import type { System } from '../ports/system.ts'
import type { WebhookSender } from '../ports/webhook-sender.ts'
import type { Embeddings } from './embeddings/embeddings.ts'
import type { VaultAccess } from './open-vault.ts'
import type { NodeRegistry } from './runs/node-type.ts'
import type { SearchIndexer } from './search/indexer.ts'
import type { Tally } from './tally.ts'
import type { TenantContext } from './tenant-context.ts'
import type { Watch } from './watch.ts'
import type { WebhookBreaker } from './webhook-breaker.ts'
import type { Workers } from './workers.ts'

/** The host's key for receipts: Ed25519, the public half as SPKI in base64. */
export type Signer = {
  readonly host: string
  readonly publicKey: string
  readonly sign: (bytes: Uint8Array) => Uint8Array
}

/** What use cases work with. */
export type Deps = {
  readonly storage: Storage
  readonly system: System
  /** Null when there is no vault key: then secrets cannot be stored. */
  readonly vault: VaultAccess | null
  /** Wakes whoever waits for a tenant's next position. */
  readonly watch: Watch
  /** Wakes whoever waits for a run's next event. */
  readonly runWatch: Watch
  readonly workers: Workers
  /** What upkeep has done, for the metrics. */
  readonly tally: Tally
  /** Runs that ended in this process, by how. */
  readonly endedRuns: Tally
  readonly nodes: NodeRegistry
  /** What nodes may require of the host. */
  readonly runtimeCapabilities: readonly string[]
  /** Null when this process sends nothing. */
  readonly webhooks: {
    readonly sender: WebhookSender
    readonly allowPrivate: boolean
    readonly breaker: WebhookBreaker
  } | null
  readonly extractor: Extractor
  readonly indexer: SearchIndexer
  readonly summariser: Summariser
  /** Null in a library: receipts are signed by servers. */
  readonly signer: Signer | null
  /** Null without an embedder: then search is by words. */
  readonly embeddings: Embeddings | null
  readonly contextOf: (tenantId: string) => Promise<TenantContext>
  /** Who acts when a call does not say; the audit records it. */
  readonly actor: string
}
