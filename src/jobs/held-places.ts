/**
 * How many places of a worker each tenant holds. Of every eight one is kept for other tenants: one that has much to do,
 * or slow jobs, never fills them all.
 */
export class HeldPlaces {
  readonly #held = new Map<string, number>()
  readonly #max: number

  constructor(places: number) {
    this.#max = places - Math.floor(places / 8)
  }

  mayTakeMore(tenantId: string): boolean {
    return (this.#held.get(tenantId) ?? 0) < this.#max
  }

  /** Tenants that have had enough for now. */
  full(): string[] {
    return [...this.#held.keys()].filter((tenantId) => !this.mayTakeMore(tenantId))
  }

  add(tenantId: string): void {
    this.#held.set(tenantId, (this.#held.get(tenantId) ?? 0) + 1)
  }

  remove(tenantId: string): void {
    const left = (this.#held.get(tenantId) ?? 0) - 1
    if (left > 0) this.#held.set(tenantId, left)
    else this.#held.delete(tenantId)
  }
}
