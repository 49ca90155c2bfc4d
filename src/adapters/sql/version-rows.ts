import type { EntryHead } from '../../core/commit/batch.ts'
import type { EntryVersion, ListedVersion, Origin } from '../../core/entries/entry.ts'
import { trustOfRank, trustRank } from '../../core/entries/trust.ts'
import type { Classification } from '../../core/provenance/category.ts'
import type { FilteredFields } from '../../core/search/filter-keys.ts'

/** The columns of `entry_version`: how a version is written to them, and how it is read back. Both databases have the same. */

type Column<T> = { readonly type: 'text' | 'bigint'; readonly of: (version: EntryVersion) => T }
const text = <T extends string | null>(of: (version: EntryVersion) => T): Column<T> => ({ type: 'text', of })
const bigint = <T extends number | null>(of: (version: EntryVersion) => T): Column<T> => ({ type: 'bigint', of })

/** Read back into a version. */
const readColumns = {
  memory_ref: text(({ memoryRef }) => memoryRef),
  entry_id: text(({ entryId }) => entryId),
  version: bigint(({ version }) => version),
  content: text(({ content }) => content),
  tags: text(({ tags }) => JSON.stringify(tags)),
  salt: text(({ salt }) => salt),
  created_at: bigint(({ createdAt }) => createdAt),
  expires_at: bigint(({ expiresAt }) => expiresAt),
  created_position: bigint(({ createdPosition }) => createdPosition),
  ordinal: bigint(({ ordinal }) => ordinal),
  recorded_position: bigint(({ recordedPosition }) => recordedPosition),
  ended_position: bigint(({ endedPosition }) => endedPosition),
  ended_reason: text(({ endedReason }) => endedReason),
  subject: text(({ subject }) => subject),
  origin: text(({ origin }) => JSON.stringify(origin)),
  classification: text(({ classification }) => classification && JSON.stringify(classification)),
  digest_position: bigint((version) =>
    version.digestPosition === version.recordedPosition ? null : version.digestPosition,
  ),
  trust: bigint(({ trust }) => trustRank(trust)),
  readers: text(({ readers }) => readers && JSON.stringify(readers)),
} as const

/** Written only, so that versions are found by them. */
const foundBy = {
  run_id: text(({ origin }) => ('runId' in origin ? origin.runId : null)),
  run_sequence: bigint(({ origin }) => ('runId' in origin ? origin.sequence : null)),
  claim_id: text(({ classification }) => classification?.claimId ?? null),
} as const

/** Where a scan from the last change backwards begins. */
export const afterEverything = { recordedPosition: Number.MAX_SAFE_INTEGER, entryId: '', version: 0 } as const

export type VersionRow = { [Name in keyof typeof readColumns]: ReturnType<(typeof readColumns)[Name]['of']> }

const written: readonly (readonly [name: string, column: Column<string | number | null>])[] = Object.entries({
  ...readColumns,
  ...foundBy,
})

export const versionColumns = Object.keys(readColumns).join(', ')
/** In the order of the values. */
export const writtenColumns = written.map(([name]) => name).join(', ')
/** With their types, as PostgreSQL reads a record of them. */
export const writtenTypes = written.map(([name, { type }]) => `${name} ${type}`).join(', ')

const values = written.map(([, { of }]) => of)

/** The tenant and the columns, as an insert statement takes them. */
export function versionValues(tenantId: string, version: EntryVersion): (string | number | null)[] {
  const row: (string | number | null)[] = [tenantId]
  for (const of of values) row.push(of(version))
  return row
}

export function versionRecord(version: EntryVersion): Record<string, string | number | null> {
  const record: Record<string, string | number | null> = {}
  for (const [name, { of }] of written) record[name] = of(version)
  return record
}

const listed = [
  'entry_id',
  'content',
  'tags',
  'created_at',
  'expires_at',
  'created_position',
  'ordinal',
  'trust',
] as const

/** The columns of what a list shows. Each column less saves a list of 50 about 2 µs. */
export const listedColumns = listed.join(', ')

export type ListedVersionRow = Pick<VersionRow, (typeof listed)[number]>

export function toListedVersion(row: ListedVersionRow): ListedVersion {
  return {
    entryId: row.entry_id,
    content: row.content,
    tags: JSON.parse(row.tags) as string[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    createdPosition: row.created_position,
    ordinal: row.ordinal,
    trust: trustOfRank(row.trust),
  }
}

const indexed = ['content', 'tags', 'created_at', 'subject', 'origin', 'classification'] as const

/** The columns that the keys of the search index are made of. */
export const indexedColumns = indexed.join(', ')

export type IndexedRow = Pick<VersionRow, (typeof indexed)[number]>

export function toIndexedVersion(row: IndexedRow): FilteredFields & Pick<EntryVersion, 'content'> {
  return {
    content: row.content,
    tags: JSON.parse(row.tags) as string[],
    createdAt: row.created_at,
    subject: row.subject,
    origin: toOrigin(row.origin),
    classification: toClassification(row.classification),
  }
}

export function toVersion(row: VersionRow): EntryVersion {
  return {
    memoryRef: row.memory_ref,
    entryId: row.entry_id,
    version: row.version,
    content: row.content,
    tags: JSON.parse(row.tags) as string[],
    salt: row.salt,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    createdPosition: row.created_position,
    ordinal: row.ordinal,
    recordedPosition: row.recorded_position,
    digestPosition: row.digest_position ?? row.recorded_position,
    endedPosition: row.ended_position,
    endedReason: row.ended_reason,
    subject: row.subject,
    origin: toOrigin(row.origin),
    classification: toClassification(row.classification),
    ...toGuard(row),
  }
}

function toGuard({ trust, readers }: Pick<VersionRow, 'trust' | 'readers'>): Pick<EntryVersion, 'trust' | 'readers'> {
  return { trust: trustOfRank(trust), readers: readers === null ? null : (JSON.parse(readers) as string[]) }
}

export function toClassification(text: string | null): Classification | null {
  return text === null ? null : (JSON.parse(text) as Classification)
}

const apiOrigin: Origin = { kind: 'api' }
const apiOriginText = JSON.stringify(apiOrigin)

/** Most rows come from the API, and parsing the same few bytes for each row of a page adds up. */
function toOrigin(text: string): Origin {
  return text === apiOriginText ? apiOrigin : (JSON.parse(text) as Origin)
}

const notInHead = ['content', 'salt', 'recorded_position', 'origin', 'digest_position'] as const

export const headColumns = Object.keys(readColumns)
  .filter((name) => !(notInHead as readonly string[]).includes(name))
  .join(', ')

export type HeadRow = Omit<VersionRow, (typeof notInHead)[number]>

export function toHead(row: HeadRow): EntryHead {
  return {
    memoryRef: row.memory_ref,
    entryId: row.entry_id,
    version: row.version,
    tags: JSON.parse(row.tags) as string[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    createdPosition: row.created_position,
    ordinal: row.ordinal,
    endedPosition: row.ended_position,
    endedReason: row.ended_reason,
    subject: row.subject,
    classification: toClassification(row.classification),
    ...toGuard(row),
  }
}
