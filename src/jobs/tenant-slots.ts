/**
 * How many slots of a worker each tenant uses. One slot in eight is kept for other tenants: a tenant with many jobs, or
 * slow ones, never takes all slots.
 */
export class TenantSlots {
  readonly #used = new Map<string, number>()
  readonly #max: number

  constructor(slots: number) {
    this.#max = slots - Math.floor(slots / 8)
  }

  mayTakeMore(tenantId: string): boolean {
    return (this.#used.get(tenantId) ?? 0) < this.#max
  }

  /** Tenants that use their whole share. */
  full(): string[] {
    return [...this.#used.keys()].filter((tenantId) => !this.mayTakeMore(tenantId))
  }

  add(tenantId: string): void {
    this.#used.set(tenantId, (this.#used.get(tenantId) ?? 0) + 1)
  }

  remove(tenantId: string): void {
    const left = (this.#used.get(tenantId) ?? 0) - 1
    if (left > 0) this.#used.set(tenantId, left)
    else this.#used.delete(tenantId)
  }
}
