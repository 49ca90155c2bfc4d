import type { PartRows, PartState } from '../../../core/commit/parts/index.ts'
import type { TenantState } from '../tenant-state.ts'

/** How the model keeps one part of a batch. */
export type ModelPart<State extends Partial<PartState> = object> = {
  /** What sealing must see of the tenant. */
  readonly state: (tenant: TenantState) => State
  /** Deletes what other parts of the same batch may replace. Runs before any part is saved. */
  readonly clear?: (tenant: TenantState, rows: PartRows) => void
  readonly save: (tenant: TenantState, rows: PartRows, at: number) => void
}
