/** What was done in this process, by kind, for whoever measures it. Kinds are words of the host's own. */
export class Tally {
  readonly #counts = new Map<string, number>()

  add(what: string, more: number): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + more)
  }

  counts(): ReadonlyMap<string, number> {
    return this.#counts
  }
}
