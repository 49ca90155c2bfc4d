import { limits } from '../../core/limits.ts'
import type { RowKey, Stored, StoredRows, StoredTable, StoredTables } from '../../ports/stored-rows.ts'
import type { Yielding } from '../yielding.ts'

/** Streams every row of a table, page by page. */
export async function* rowsOf<Table extends StoredTable>(
  rows: StoredRows,
  table: Table,
  tenantId: string,
  yieldToEventLoop: Yielding,
): AsyncGenerator<Stored<StoredTables[Table]>> {
  const limit = limits.verifyPageRowsMax
  for (let after: RowKey | null = null; ; ) {
    const page: readonly Stored<StoredTables[Table]>[] = await rows.page(table, { tenantId, after, limit })
    for (const row of page) {
      await yieldToEventLoop()
      yield row
    }
    after = page.at(-1)?.key ?? null
    if (page.length < limit) return
  }
}

/** A merge join: the rows of a dependent table, read in step with their owners. Both are ordered by the id of the owner. */
export class OwnedRows<T> {
  readonly #rows: AsyncGenerator<Stored<T>>
  #next: Stored<T> | undefined
  #isStarted = false

  constructor(rows: AsyncGenerator<Stored<T>>) {
    this.#rows = rows
  }

  /** The rows before those of this owner, which are orphans. With null, all remaining rows. */
  async *before(owner: string | null): AsyncGenerator<Stored<T>> {
    for (let row = await this.#peek(); row && (owner === null || ownerOf(row) < owner); row = await this.#peek()) {
      await this.#advance()
      yield row
    }
  }

  async allOf(owner: string): Promise<Stored<T>[]> {
    const all: Stored<T>[] = []
    for await (const row of this.of(owner)) all.push(row)
    return all
  }

  async *of(owner: string): AsyncGenerator<Stored<T>> {
    for (let row = await this.#peek(); row && ownerOf(row) === owner; row = await this.#peek()) {
      await this.#advance()
      yield row
    }
  }

  async #peek(): Promise<Stored<T> | undefined> {
    if (!this.#isStarted) await this.#advance()
    return this.#next
  }

  async #advance(): Promise<void> {
    this.#isStarted = true
    const { value, done } = await this.#rows.next()
    this.#next = done ? undefined : value
  }
}

function ownerOf({ key }: Stored<unknown>): string {
  return String(key[0])
}
