/** Counters of this process by kind, for the metrics. A kind is a fixed word of the program, never a value of a caller. */
export class Counters {
  readonly #counts = new Map<string, number>()

  add(kind: string, count: number): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count)
  }

  counts(): ReadonlyMap<string, number> {
    return this.#counts
  }
}
