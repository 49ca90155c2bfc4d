/** The items of one tenant that wait, oldest first, and the number of slots that it uses. */
type TenantQueue<Item> = { readonly tenant: string; readonly waiting: Item[]; running: number }

/** An item whose turn it is. It uses a slot of its tenant until that is released. */
export type Started<Item> = { readonly tenant: string; readonly item: Item }

/**
 * Fair queueing of tenants over a number of slots (max-min fairness). A free slot goes to the waiting tenant that uses the fewest slots;
 * among equals to the one that has waited longest. So a slot is free only if no item waits, and a tenant that is alone uses all slots.
 *
 * @example
 * const queue = new FairQueue<Call>(16)
 * queue.enqueue('acme', call)
 * for (let next = queue.start(); next !== null; next = queue.start()) send(next.item).finally(() => queue.release(next.tenant))
 */
export class FairQueue<Item> {
  /** Tenants with a waiting item or a slot. */
  readonly #queues = new Map<string, TenantQueue<Item>>()
  /** The tenants with a waiting item, by the number of slots that they use; each set is in the order in which they came to wait there. */
  readonly #turns: Set<TenantQueue<Item>>[] = []
  #free: number
  #waiting = 0

  constructor(slots: number) {
    this.#free = slots
  }

  /** The number of slots that are not in use. */
  get free(): number {
    return this.#free
  }

  /** The number of waiting items of all tenants. */
  get waiting(): number {
    return this.#waiting
  }

  waitingOf(tenant: string): number {
    return this.#queues.get(tenant)?.waiting.length ?? 0
  }

  /** The number of slots that a tenant uses. */
  runningOf(tenant: string): number {
    return this.#queues.get(tenant)?.running ?? 0
  }

  /** Adds an item behind the others of its tenant. */
  enqueue(tenant: string, item: Item): void {
    const queue = this.#queues.get(tenant) ?? { tenant, waiting: [], running: 0 }
    this.#queues.set(tenant, queue)
    queue.waiting.push(item)
    this.#waiting += 1
    this.#turnsAt(queue.running).add(queue)
  }

  /** Gives a free slot to the item whose turn it is; null if no slot is free or no item waits. */
  start(): Started<Item> | null {
    if (this.#free === 0 || this.#waiting === 0) return null
    const [queue] = this.#turns.find((turns) => turns?.size > 0) ?? []
    if (queue === undefined) return null
    const [item] = queue.waiting.splice(0, 1) as [Item]
    this.#waiting -= 1
    this.#free -= 1
    this.#setRunning(queue, queue.running + 1)
    return { tenant: queue.tenant, item }
  }

  /** Frees one slot of a tenant. */
  release(tenant: string): void {
    const queue = this.#queues.get(tenant)
    if (queue === undefined || queue.running === 0) return
    this.#free += 1
    this.#setRunning(queue, queue.running - 1)
  }

  /** Removes an item that still waits; false if it does not. */
  remove(tenant: string, item: Item): boolean {
    const queue = this.#queues.get(tenant)
    const at = queue?.waiting.indexOf(item) ?? -1
    if (queue === undefined || at < 0) return false
    queue.waiting.splice(at, 1)
    this.#waiting -= 1
    if (queue.waiting.length === 0) this.#setRunning(queue, queue.running)
    return true
  }

  /** Moves a tenant to the end of those that use as many slots; one without items and slots is dropped, because names may be invented. */
  #setRunning(queue: TenantQueue<Item>, running: number): void {
    this.#turnsAt(queue.running).delete(queue)
    queue.running = running
    if (queue.waiting.length > 0) this.#turnsAt(running).add(queue)
    else if (running === 0) this.#queues.delete(queue.tenant)
  }

  #turnsAt(running: number): Set<TenantQueue<Item>> {
    this.#turns[running] ??= new Set()
    return this.#turns[running]
  }
}
