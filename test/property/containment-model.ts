/**
 * What a containment must do, by definition: a list of operations, each with its actor and what it read. It knows nothing of versions,
 * positions, audits or journals. Memory is a fold over the operations that are not contained.
 */

export type Op = {
  readonly id: number
  readonly kind: 'text' | 'delete' | 'compact' | 'state' | 'withdraw'
  /** The key that did it, or created the run that did it; null for the host. */
  readonly key: string | null
  readonly run: string | null
  /** Texts that it was made of. An operation that was made of a contained one is contained too. */
  readonly parents: readonly number[]
  /** Of `text` and `delete`: the entry. Of `state` and `withdraw`: the content. Of `compact`: the compaction. */
  readonly on: string
  readonly ref: string
  readonly text: string
  /** Of `compact`: the entries that it replaced. */
  readonly sources: readonly string[]
}

export class ContainmentModel {
  readonly ops: Op[] = []
  readonly #active = new Map<string, ReadonlySet<number>>()

  add(op: Partial<Op> & Pick<Op, 'kind' | 'on'>): Op {
    const id = this.ops.length
    const full: Op = { key: null, run: null, parents: [], ref: '', text: '', sources: [], ...op, id }
    this.ops.push(full)
    return full
  }

  /** Everything that the selector did since an operation, and everything that was made of it. */
  affectedBy(selector: { readonly key?: string; readonly run?: string }, since: number): ReadonlySet<number> {
    const affected = new Set<number>()
    for (const op of this.ops) {
      const isOwn = selector.key === undefined ? op.run === selector.run : op.key === selector.key
      const isSeed = isOwn && op.id >= since
      if (isSeed || op.parents.some((parent) => affected.has(parent))) affected.add(op.id)
    }
    return affected
  }

  contain(id: string, affected: ReadonlySet<number>): void {
    this.#active.set(id, affected)
  }

  release(id: string): void {
    this.#active.delete(id)
  }

  get active(): readonly string[] {
    return [...this.#active.keys()]
  }

  /** The operations that count now. */
  #counted(): readonly Op[] {
    return this.ops.filter(({ id }) => ![...this.#active.values()].some((affected) => affected.has(id)))
  }

  /** The text of each current entry of a ref, by entry. */
  current(ref: string): ReadonlyMap<string, Op> {
    const texts = new Map<string, Op>()
    for (const op of this.#counted()) {
      if (op.kind === 'text' && op.ref === ref) texts.set(op.on, op)
      // What is written to it later, while the deletion was contained, stays.
      if (op.kind === 'delete') texts.delete(op.on)
      if (op.kind === 'compact') for (const source of op.sources) texts.delete(source)
    }
    return texts
  }

  /** The content that wins: the one that was stated last, of those that were not withdrawn since. */
  winner(): string | null {
    const stated: Op[] = []
    for (const op of this.#counted()) {
      if (op.kind === 'state') stated.push(op)
      if (op.kind === 'withdraw')
        for (let index = stated.length - 1; index >= 0; index--)
          if (stated[index]?.on === op.on) stated.splice(index, 1)
    }
    return stated.at(-1)?.on ?? null
  }
}
