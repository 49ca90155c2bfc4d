import { fenceDigest } from '../../core/audit/row-digests.ts'
import {
  compareAssertions,
  compareClaim,
  compareCompaction,
  compareLineage,
  compareRecord,
  compareRun,
  compareSource,
  compareVersion,
} from '../../core/audit/verify/compare-rows.ts'
import { type ExpectedState, recordKey, versionKey } from '../../core/audit/verify/expected-state.ts'
import { inShard } from '../../core/audit/verify/shard.ts'
import type { Batch } from '../../core/commit/batch.ts'
import type { Run } from '../../core/run/run.ts'
import { addCall, addEvent, isRecordedEnd } from '../../core/run/run-record.ts'
import type { StoredRow, StoredRows, StoredTable, StoredTables } from '../../ports/stored-rows.ts'
import type { TimeSlice } from '../event-loop.ts'
import type { Findings } from './findings.ts'
import { StoredLineage } from './stored-lineage.ts'
import type { StoredTags } from './stored-tags.ts'
import { DependentRows, streamRows } from './stream-rows.ts'

type Parts = {
  readonly rows: StoredRows
  readonly tenantId: string
  readonly mac: Batch['mac']
  readonly state: ExpectedState
  readonly findings: Findings
  readonly tags: StoredTags
  readonly yieldToEventLoop: TimeSlice
}

/**
 * Compares every stored row of one shard with the expected state, in both directions. Each row that is found is removed from the
 * expected state; what is left at the end is missing in the database.
 */
export async function compareStored(parts: Parts): Promise<void> {
  const comparison = new Comparison(parts)
  await comparison.versions()
  await comparison.sources()
  await comparison.claims()
  await comparison.compactions()
  await comparison.runs()
  await comparison.records()
  if (parts.state.shard.index === 0) await comparison.fences()
}

class Comparison {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  #all<Table extends StoredTable>(table: Table): AsyncGenerator<StoredRow<StoredTables[Table]>> {
    const { rows, tenantId, yieldToEventLoop } = this.#parts
    return streamRows(rows, table, tenantId, yieldToEventLoop)
  }

  #owned<Table extends StoredTable>(table: Table): DependentRows<StoredTables[Table]> {
    return new DependentRows(this.#all(table))
  }

  #isMine(id: string): boolean {
    return inShard(this.#parts.state.shard, id)
  }

  /** Reports rows whose owner is not stored. */
  async #reportOrphans(owned: DependentRows<unknown>, before: string | null, what: string): Promise<void> {
    for await (const { key } of owned.before(before)) {
      const id = String(key[0])
      if (this.#isMine(id)) this.#parts.findings.check(undefined, what, { id }, null)
    }
  }

  async versions(): Promise<void> {
    const { mac, state, findings } = this.#parts
    for await (const { key, row } of this.#all('versions')) {
      const [id, version] = [String(key[0]), Number(key[1])]
      if (!this.#isMine(id)) continue
      findings.rows += 1
      const name = versionKey(id, version)
      const expected = state.versions.get(name)
      state.versions.delete(name)
      const member = row === null || expected === undefined ? 'row' : compareVersion(mac, row, expected)
      findings.check(expected?.at, 'version', { id, version }, member)
      this.#parts.tags.expect(row)
    }
    for (const [name, { at }] of state.versions) {
      const [id = '', version] = name.split('\u0000')
      findings.addNotStored(at, 'version', { id, version: Number(version) })
    }
  }

  async sources(): Promise<void> {
    const { state, findings } = this.#parts
    for await (const { key, row } of this.#all('sourceEvents')) {
      const id = String(key[0])
      if (!this.#isMine(id)) continue
      findings.rows += 1
      const expected = state.sources.get(id)
      state.sources.delete(id)
      const member = row === null || !expected ? 'row' : compareSource(row.event, row.erasedAt, expected)
      findings.check(expected?.at, 'source event', { id }, member)
    }
    for (const [id, { at }] of state.sources) findings.addNotStored(at, 'source event', { id })
  }

  async claims(): Promise<void> {
    const { mac, state, findings } = this.#parts
    const assertions = this.#owned('assertions')
    for await (const { key, row } of this.#all('claims')) {
      const id = String(key[0])
      await this.#reportOrphans(assertions, id, 'assertion')
      const stated = await assertions.allOf(id)
      if (!this.#isMine(id)) continue
      findings.rows += 1 + stated.length
      const expected = state.claims.get(id)
      state.claims.delete(id)
      findings.check(
        expected?.at,
        'claim',
        { id },
        row === null || !expected ? 'row' : compareClaim(mac, row, expected),
      )
      if (expected === undefined) continue
      const readable = stated.flatMap((item) => item.row ?? [])
      const isReadable = readable.length === stated.length
      const differences = isReadable ? compareAssertions(mac, readable, expected) : [{ member: 'row' }]
      for (const { ordinal, member } of differences)
        findings.check(expected.at, 'assertion', { id: ordinal === undefined ? id : `${id}#${ordinal}` }, member)
    }
    await this.#reportOrphans(assertions, null, 'assertion')
    for (const [id, { at }] of state.claims) findings.addNotStored(at, 'claim', { id })
  }

  async compactions(): Promise<void> {
    const { mac, state, findings, rows, tenantId, yieldToEventLoop } = this.#parts
    const lineage = new StoredLineage(rows, tenantId, yieldToEventLoop)
    const reportOrphans = async (before: string | null) => {
      for await (const id of lineage.orphans(before))
        if (this.#isMine(id)) findings.check(undefined, 'compaction source', { id }, null)
    }
    for await (const { key, row } of this.#all('compactions')) {
      const id = String(key[0])
      await reportOrphans(id)
      const own = await lineage.of(id)
      if (!this.#isMine(id)) continue
      const sources = await lineage.expand(own)
      findings.rows += 1 + sources.length
      const expected = state.compactions.get(id)
      state.compactions.delete(id)
      const member = row === null || !expected ? 'row' : compareCompaction(mac, row, expected)
      findings.check(expected?.at, 'compaction', { id }, member)
      if (expected) findings.check(expected.at, 'compaction', { id }, compareLineage(mac, sources, expected))
    }
    await reportOrphans(null)
    // Records of form 1 do not say which compactions a forget erased.
    for (const [id, { at, digest }] of state.compactions)
      if (digest !== undefined) findings.addNotStored(at, 'compaction', { id })
  }

  async runs(): Promise<void> {
    const { mac, state, findings } = this.#parts
    const events = this.#owned('runEvents')
    const calls = this.#owned('runCalls')
    for await (const { key, row } of this.#all('runs')) {
      const id = String(key[0])
      await this.#reportOrphans(events, id, 'run event')
      await this.#reportOrphans(calls, id, 'run read')
      const record = row?.facts.record
      const hashes = {
        events: await this.#hash(events.of(id), record?.salt, addEvent),
        calls: await this.#hash(calls.of(id), record?.salt, addCall),
      }
      if (!this.#isMine(id)) continue
      findings.rows += 1
      const expected = state.runs.get(id)
      state.runs.delete(id)
      const at = expected?.at ?? 0
      if (row === null) findings.check(at, 'run', { id }, 'row')
      else if (expected !== undefined) findings.check(at, 'run', { id }, compareRun(mac, row, expected))
      else if (this.#mustBeRecorded(row)) findings.check(undefined, 'run', { id }, null)
      if (record === undefined) continue
      findings.check(at, 'run event', { id }, hashes.events === record.events ? null : 'row')
      findings.check(at, 'run read', { id }, hashes.calls === record.calls ? null : 'row')
    }
    await this.#reportOrphans(events, null, 'run event')
    await this.#reportOrphans(calls, null, 'run read')
    for (const [id, { at }] of state.runs) findings.addNotStored(at, 'run', { id })
  }

  /** Whether an ended run must have an audit record. Runs of program versions that did not record the end have none. */
  #mustBeRecorded(run: Run): boolean {
    const isFromTheStart = this.#parts.state.coveredFrom === 1
    return isRecordedEnd(run) && (isFromTheStart || run.facts.record !== undefined)
  }

  async #hash<T>(
    rows: AsyncGenerator<StoredRow<T>>,
    salt: string | undefined,
    add: (hash: string, row: T) => string,
  ): Promise<string | null> {
    let hash: string | null = salt ?? ''
    for await (const { row } of rows) hash = row === null || hash === null ? null : add(hash, row)
    return hash
  }

  async records(): Promise<void> {
    const { mac, state, findings } = this.#parts
    for await (const { key, row } of this.#all('records')) {
      const [kind, id] = [String(key[0]), String(key[1])]
      if (!this.#isMine(id)) continue
      findings.rows += 1
      const name = recordKey(kind, id)
      const expected = state.records.get(name)
      state.records.delete(name)
      findings.check(expected?.at, kind, { id }, row === null || !expected ? 'row' : compareRecord(mac, row, expected))
    }
    for (const [name, { at }] of state.records) {
      const [id = '', kind = ''] = name.split('\u0000')
      findings.addNotStored(at, kind, { id })
    }
  }

  async fences(): Promise<void> {
    const { mac, state, findings } = this.#parts
    for await (const { key, row } of this.#all('fences')) {
      findings.rows += 1
      const id = String(key[0])
      const digest = row === null ? '' : fenceDigest(mac, row)
      const expected = state.fences.get(id)?.get(digest)
      state.fences.get(id)?.delete(digest)
      // Records of form 1 state that a forget began, but not its fences.
      if (expected === undefined && row !== null && row.position < (state.coveredFrom ?? Infinity)) continue
      const isSame = row?.toSequence === expected?.toSequence && row?.position === expected?.position
      findings.check(expected?.at, 'fence', { id }, isSame ? null : 'row')
    }
    for (const [id, fences] of state.fences)
      for (const { at } of fences.values()) findings.addNotStored(at, 'fence', { id })
  }
}
