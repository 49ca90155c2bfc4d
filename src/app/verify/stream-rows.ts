import { limits } from '../../core/limits.ts'
import type { RowKey, StoredRow, StoredRows, StoredTable, StoredTables } from '../../ports/stored-rows.ts'
import type { TimeSlice } from '../event-loop.ts'

/** Streams the rows of a table after a key, page by page; with null, all of them. */
export async function* streamRows<Table extends StoredTable>(
  rows: StoredRows,
  table: Table,
  tenantId: string,
  yieldToEventLoop: TimeSlice,
  from: RowKey | null = null,
): AsyncGenerator<StoredRow<StoredTables[Table]>> {
  const limit = rows.pageRows?.[table] ?? limits.verifyPageRowsMax
  for (let after = from; ; ) {
    const page: readonly StoredRow<StoredTables[Table]>[] = await rows.page(table, { tenantId, after, limit })
    for (const row of page) {
      await yieldToEventLoop()
      yield row
    }
    after = page.at(-1)?.key ?? null
    if (page.length < limit) return
  }
}

/** A merge join: the rows of a dependent table, read in step with their owners. Both are ordered by the id of the owner. */
export class DependentRows<T> {
  readonly #rows: AsyncGenerator<StoredRow<T>>
  #next: StoredRow<T> | undefined
  #isStarted = false

  constructor(rows: AsyncGenerator<StoredRow<T>>) {
    this.#rows = rows
  }

  /** The rows before those of this owner, which are orphans. With null, all remaining rows. */
  async *before(owner: string | null): AsyncGenerator<StoredRow<T>> {
    for (let row = await this.#peek(); row && (owner === null || ownerOf(row) < owner); row = await this.#peek()) {
      await this.#advance()
      yield row
    }
  }

  async allOf(owner: string): Promise<StoredRow<T>[]> {
    const all: StoredRow<T>[] = []
    for await (const row of this.of(owner)) all.push(row)
    return all
  }

  async *of(owner: string): AsyncGenerator<StoredRow<T>> {
    for (let row = await this.#peek(); row && ownerOf(row) === owner; row = await this.#peek()) {
      await this.#advance()
      yield row
    }
  }

  async #peek(): Promise<StoredRow<T> | undefined> {
    if (!this.#isStarted) await this.#advance()
    return this.#next
  }

  async #advance(): Promise<void> {
    this.#isStarted = true
    const { value, done } = await this.#rows.next()
    this.#next = done ? undefined : value
  }
}

function ownerOf({ key }: StoredRow<unknown>): string {
  return String(key[0])
}
