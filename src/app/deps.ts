import type { Scanner } from '../core/redaction.ts'
import type { Storage } from '../ports/storage.ts'
import type { System } from '../ports/system.ts'
import type { ClockWatch } from './clock-watch.ts'
import type { TenantContext } from './tenant-context.ts'

/** What use cases work with. */
export type Deps = {
  readonly storage: Storage
  readonly system: System
  readonly scan: Scanner
  readonly watch: ClockWatch
  readonly contextOf: (tenantId: string) => Promise<TenantContext>
  /** Who acts when a call does not say; the audit records it. */
  readonly actor: string
}
