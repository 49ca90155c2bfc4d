import { limits } from '../../core/limits.ts'

type Amounts<Name extends string> = Readonly<Record<Name, number>>
type Sums<Name extends string> = Record<Name, number>

/** Counts in the database. A partial count continues where the last one ended; a whole one begins anew. */
export type Count<Name extends string> = (isWhole: boolean) => Promise<Amounts<Name>>

/**
 * The use of a few quotas of one tenant: what was counted in the database, and what this process has added since or is adding now. It can be too
 * high, because what ends is seen by the next count only. So the caller counts again before it refuses anything.
 */
export class UsageGauge<Name extends string> {
  readonly #names: readonly Name[]
  readonly #count: Count<Name>
  readonly #now: () => number
  #counted: Amounts<Name> | null = null
  readonly #added: Sums<Name>
  readonly #inFlight: Sums<Name>
  #counting: Promise<void> | null = null
  #wholeNotBefore = 0
  #wholeAfterFreeNotBefore = 0
  #isFreed = false
  #needsWhole = true

  constructor(names: readonly Name[], count: Count<Name>, now: () => number) {
    this.#names = names
    this.#count = count
    this.#now = now
    this.#added = zeros(names)
    this.#inFlight = zeros(names)
  }

  get isCounted(): boolean {
    return this.#counted !== null
  }

  /** Whether a whole count may begin: counting a large tenant must not become a load of its own. */
  get mayCountWhole(): boolean {
    return this.#now() >= (this.#isFreed ? this.#wholeAfterFreeNotBefore : this.#wholeNotBefore)
  }

  used(name: Name): number {
    return (this.#counted?.[name] ?? 0) + this.#added[name] + this.#inFlight[name]
  }

  /** Something is being added. The caller settles it once. */
  begin(growth: Amounts<Name>): void {
    this.#add(this.#inFlight, growth, 1)
  }

  settle(growth: Amounts<Name>, isStored: boolean): void {
    this.#add(this.#inFlight, growth, -1)
    if (isStored) this.#add(this.#added, growth, 1)
  }

  /** Whether this process has added so much since the last count that others may have added too much. */
  isOutdated(quotas: Amounts<Name>): boolean {
    if (this.#counted === null) return false
    return this.#names.some((name) => {
      const added = this.#added[name]
      return added > 0 && added >= quotas[name] * limits.quotaRecountShare
    })
  }

  /** A partial count would miss something: the next one is whole. */
  invalidate(): void {
    this.#needsWhole = true
  }

  /** Something was removed that only a whole count sees: it may begin earlier. */
  noteFreed(): void {
    this.#isFreed = true
  }

  /** Counts again. Calls at the same time share one count. */
  recount(isWhole: boolean): Promise<void> {
    this.#counting ??= this.#recount(isWhole || this.#needsWhole).finally(() => {
      this.#counting = null
    })
    return this.#counting
  }

  async #recount(isWhole: boolean): Promise<void> {
    const before = { ...this.#added }
    const began = this.#now()
    if (isWhole) this.#needsWhole = this.#isFreed = false
    try {
      this.#counted = await this.#count(isWhole)
    } catch (error) {
      this.#needsWhole ||= isWhole
      throw error
    }
    // What was added during the count may be in it or not: it stays until the next one.
    this.#add(this.#added, before, -1)
    if (!isWhole) return
    const ended = this.#now()
    const took = ended - began
    this.#wholeNotBefore = ended + took * limits.quotaRecountRest
    // Who makes room does not wait for it, unless counting takes long.
    this.#wholeAfterFreeNotBefore = took > limits.quotaStepMs ? ended + took : ended
  }

  #add(sums: Sums<Name>, amounts: Amounts<Name>, sign: 1 | -1): void {
    for (const name of this.#names) sums[name] += sign * amounts[name]
  }
}

function zeros<Name extends string>(names: readonly Name[]): Sums<Name> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Sums<Name>
}
