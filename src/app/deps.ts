import type { Storage } from '../ports/storage.ts'
import type { System } from '../ports/system.ts'
import type { ClockWatch } from './clock-watch.ts'
import type { TenantContext } from './tenant-context.ts'
import type { VaultAccess } from './vault.ts'

/** What use cases work with. */
export type Deps = {
  readonly storage: Storage
  readonly system: System
  /** Null when there is no vault key: then secrets cannot be stored. */
  readonly vault: VaultAccess | null
  readonly watch: ClockWatch
  readonly contextOf: (tenantId: string) => Promise<TenantContext>
  /** Who acts when a call does not say; the audit records it. */
  readonly actor: string
}
