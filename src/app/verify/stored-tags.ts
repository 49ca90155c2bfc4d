import { RowSum } from '../../core/audit/verify/row-sum.ts'
import { inShard, type Shard } from '../../core/audit/verify/shard.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import type { StoredRows, StoredTag } from '../../ports/stored-rows.ts'
import type { TimeSlice } from '../event-loop.ts'
import type { Findings } from './findings.ts'
import { streamRows } from './stream-rows.ts'

/**
 * The rows by which entries are found by their tags. There are several for a version, so they are read once, not once for each shard: a sum over all rows
 * is compared with the sum over the rows that the versions should have. Only if the sums differ, the rows are read again, and the differences are named.
 */
export class StoredTags {
  readonly #rows: StoredRows
  readonly #tenantId: string
  readonly #yieldToEventLoop: TimeSlice
  readonly #key: string
  readonly #expected: RowSum

  /** `key` is random, and new for each verification. */
  constructor(rows: StoredRows, tenantId: string, key: string, yieldToEventLoop: TimeSlice) {
    this.#rows = rows
    this.#tenantId = tenantId
    this.#key = key
    this.#expected = new RowSum(key)
    this.#yieldToEventLoop = yieldToEventLoop
  }

  /** Notes the rows that a version should have; null for one that cannot be read, whose rows are then reported. */
  expect(version: EntryVersion | null): void {
    if (version === null) return
    for (const row of this.#rowsOf(version)) this.#expected.add(row)
  }

  /** After the versions of all shards were noted. */
  async compare(findings: Findings, shards: number): Promise<void> {
    const found = new RowSum(this.#key)
    for await (const { row } of this.#all('tags')) found.add(row === null ? '' : textOf(row))
    findings.rows += found.count
    if (found.equals(this.#expected)) return
    for (let index = 0; index < shards; index++) await this.#nameDifferences(findings, { index, of: shards })
  }

  /** The rows of a shard that no version has, and those that are missing. */
  async #nameDifferences(findings: Findings, shard: Shard): Promise<void> {
    const expected = new Map<string, { id: string; version: number }>()
    for await (const { row } of this.#all('versions'))
      if (row !== null)
        for (const text of this.#rowsOf(row))
          if (inShard(shard, text)) expected.set(text, { id: row.entryId, version: row.version })
    for await (const { row } of this.#all('tags')) {
      const text = row === null ? '' : textOf(row)
      // A second row of the same tag is as wrong as one that no version has.
      if (inShard(shard, text) && !expected.delete(text))
        findings.check(undefined, 'tag', row === null ? {} : { version: row.version }, null)
    }
    for (const names of expected.values()) findings.addNotStored(0, 'tag', names)
  }

  #rowsOf(version: EntryVersion): Set<string> {
    const names = version.tags.map((tag) => this.#rows.tagName(this.#tenantId, version.memoryRef, tag))
    return new Set(names.map((name) => textOf({ ...version, name })))
  }

  #all<Table extends 'versions' | 'tags'>(table: Table) {
    return streamRows(this.#rows, table, this.#tenantId, this.#yieldToEventLoop)
  }
}

function textOf({ name, createdPosition, ordinal, version, recordedPosition, endedPosition }: StoredTag): string {
  return `${createdPosition} ${ordinal} ${version} ${recordedPosition} ${endedPosition} ${name}`
}
