import { versionKey } from '../../core/audit/verify/expected-state.ts'
import { inShard, type Shard } from '../../core/audit/verify/shard.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import type { StoredRows } from '../../ports/stored-rows.ts'
import type { TimeSlice } from '../event-loop.ts'
import type { Findings } from './findings.ts'
import { streamRows } from './stream-rows.ts'

/**
 * The rows by which entries are found by their tags. Each comes with the version that it stands for, so they are read once, not once for each shard:
 * there are several for a version. If every row stands for a tag of a version, and there are as many rows as tags, none is missing.
 */
export class StoredTags {
  readonly #rows: StoredRows
  readonly #tenantId: string
  readonly #yieldToEventLoop: TimeSlice
  #expected = 0
  #isUnreadable = false

  constructor(rows: StoredRows, tenantId: string, yieldToEventLoop: TimeSlice) {
    this.#rows = rows
    this.#tenantId = tenantId
    this.#yieldToEventLoop = yieldToEventLoop
  }

  /** Counts the tags of a version; null for one that cannot be read. */
  expect(version: Pick<EntryVersion, 'tags'> | null): void {
    if (version === null) this.#isUnreadable = true
    else this.#expected += version.tags.length
  }

  /** After the versions of all shards were counted. */
  async compare(findings: Findings, shards: number): Promise<void> {
    let found = 0
    for await (const { key, row } of this.#all('tags')) {
      if (row === null || row.entryId === null) findings.check(undefined, 'tag', { version: Number(key[4]) }, null)
      else found += 1
    }
    findings.rows += found
    // The rows of a version that cannot be read could stand in for missing ones of another.
    if (found === this.#expected && !this.#isUnreadable) return
    for (let index = 0; index < shards; index++) await this.#nameDifferences(findings, { index, of: shards })
  }

  /** The versions of a shard that have more or fewer rows than tags. */
  async #nameDifferences(findings: Findings, shard: Shard): Promise<void> {
    const left = new Map<string, number>()
    for await (const { row } of this.#all('versions'))
      if (row !== null && row.tags.length > 0 && inShard(shard, row.entryId))
        left.set(versionKey(row.entryId, row.version), row.tags.length)
    for await (const { row } of this.#all('tags')) {
      if (row === null || row.entryId === null || !inShard(shard, row.entryId)) continue
      const name = versionKey(row.entryId, row.version)
      left.set(name, (left.get(name) ?? 0) - 1)
    }
    for (const [name, count] of left) {
      const [id = '', version] = name.split('\u0000')
      if (count > 0) findings.addNotStored(0, 'tag', { id, version: Number(version) })
      else if (count < 0) findings.check(undefined, 'tag', { id, version: Number(version) }, null)
    }
  }

  #all<Table extends 'versions' | 'tags'>(table: Table) {
    return streamRows(this.#rows, table, this.#tenantId, this.#yieldToEventLoop)
  }
}
