import { sha256 } from '../../core/audit/digest.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { invariant } from '../../core/invariant.ts'
import { limits } from '../../core/limits.ts'

/**
 * Rows of `entry_tag`. They name a tag by a number instead of by tenant, ref and tag, because an entry has several of them. Different tags can have the
 * same number: whatever reads rows by it compares the tag with those of the version (`hasTag`).
 */

export const tagColumns = 'tag_key, place, version, recorded_position, ended_position'

/** The lowest number of a tenant: the first 32 bits are of its name, so that its rows are next to each other in the index. */
export function firstTagKey(tenantId: string): bigint {
  return BigInt.asIntN(64, BigInt(bitsOf(tenantId)) << 32n)
}

/** The number of a tag in a ref. */
export function tagKey(tenantId: string, memoryRef: string, tag: string): string {
  return String(firstTagKey(tenantId) | BigInt(bitsOf(`${memoryRef}\n${tag}`)))
}

/** The numbers of the tags of a version; `first` is the lowest number of the tenant. Two tags of the same number have one row. */
export function tagKeys(first: bigint, { memoryRef, tags }: Pick<EntryVersion, 'memoryRef' | 'tags'>): string[] {
  return [...new Set(tags.map((tag) => String(first | BigInt(bitsOf(`${memoryRef}\n${tag}`)))))]
}

/** The first 32 bits of a hash. It has to be the same in every process, so the database's own hash functions will not do. */
function bitsOf(text: string): number {
  return Number.parseInt(sha256(text).slice(0, 8), 16)
}

/** `tagKey` in SQL; `first` is the lowest number of the tenant. */
export const tagKeySql = (first: string, memoryRef: string, tag: string) =>
  `(${first}::bigint | ('x' || left(encode(sha256(convert_to(${memoryRef} || chr(10) || ${tag}, 'UTF8')), 'hex'), 8))::bit(32)::bigint)`

/**
 * In SQL: a row `t` of this tag. It says so twice, and what every place is: these columns have no statistics, so each condition that the index can use makes
 * the planner expect fewer rows. Expecting more than a few, it would read all rows of the tag and sort them, where a page of the newest is wanted.
 */
export const isOfTag = (key: string) => `t.tag_key = ${key} and t.tag_key between ${key} and ${key} and t.place >= 0`

const endOfKeys = (tenant: string, low: string) =>
  `('x' || left(encode(sha256(convert_to(${tenant}, 'UTF8')), 'hex'), 8) || '${low}')::bit(64)::bigint`

/** In SQL: a number of the tenant. Without it a statement would read the rows of all tenants. */
export const isOfTenant = (key: string, tenant: string) =>
  `${key} between ${endOfKeys(tenant, '00000000')} and ${endOfKeys(tenant, 'ffffffff')}`

/**
 * The place of a version as one number, so that the index has one column less: the position, and 20 bits for the ordinal. A row of the index with two
 * numbers is small enough that PostgreSQL fills its pages where a tag grows at its end, instead of leaving them half full.
 */
const ordinalBits = 20
/** The end of a scan: larger than every ordinal. */
const ordinalEnd = limits.entryOrdinalMax + 1
const positionMax = 2 ** (63 - ordinalBits) - 1

export function tagPlace(createdPosition: number, ordinal: number): string {
  invariant(
    createdPosition < positionMax && ordinal <= limits.entryOrdinalMax,
    'the place of a version fits the rows of tags',
  )
  return String((BigInt(createdPosition) << BigInt(ordinalBits)) | BigInt(ordinal))
}

/** `tagPlace` in SQL, of a version that is stored. */
export const placeSql = (row: string) => `(${row}.created_position << ${ordinalBits} | ${row}.ordinal)`
/** The same of the place where a scan begins, which may be after everything. */
export const scanPlaceSql = (createdPosition: string, ordinal: string) =>
  `(least(${createdPosition}::bigint, ${positionMax}) << ${ordinalBits} | least(${ordinal}::bigint, ${ordinalEnd}))`
export const positionOfPlace = (place: string) => `(${place} >> ${ordinalBits})`
export const ordinalOfPlace = (place: string) => `(${place} & ${2 ** ordinalBits - 1})`
/**
 * The place of a tag as position and ordinal, computed before its version is looked up: with the expressions in the conditions of a list, the planner read all
 * versions of the tenant for each tag. `offset 0` keeps them apart.
 */
export const placeOfTag = `lateral (select ${positionOfPlace('t.place')} as created_position, ${ordinalOfPlace('t.place')} as ordinal offset 0) as p`
/** Where a version was recorded. Most are the first of their entry: they were recorded where they were created, and the column is null. */
export const recordedOf = (row: string) => `coalesce(${row}.recorded_position, ${positionOfPlace(`${row}.place`)})`

/**
 * In SQL: a version `v` at the place of a row of a tag, with the order that makes the planner look it up by its place. While a table is small and was never
 * analysed, an index that only begins with the tenant costs exactly as much, but gives another order.
 */
export const isAtOrdinal = (row: string) => `v.ordinal between ${row}.ordinal and ${row}.ordinal`
export const byOrdinal = 'order by v.ordinal'

/** In SQL: the version has exactly this tag. */
export const hasTag = (version: string, tag: string) => `jsonb_exists(${version}.tags::jsonb, ${tag})`

/** The rows of the tags of all versions of all tenants: for a table that has none yet. */
export const insertAllTags = `
  insert into entry_tag (tenant_id, ${tagColumns})
  select distinct v.tenant_id, ${tagKeySql(endOfKeys('v.tenant_id', '00000000'), 'v.memory_ref', 'tag')}, ${placeSql('v')}, v.version,
         nullif(v.recorded_position, v.created_position), v.ended_position
    from entry_version v, jsonb_array_elements_text(v.tags::jsonb) as tag`

type Tagged = Pick<EntryVersion, 'memoryRef' | 'tags' | 'createdPosition' | 'ordinal' | 'version'>

function tagRows<T extends Tagged>(tenantId: string, versions: readonly T[]) {
  const first = firstTagKey(tenantId)
  const rows = versions.flatMap((version) => {
    const place = tagPlace(version.createdPosition, version.ordinal)
    return tagKeys(first, version).map((key) => ({ version, key, place }))
  })
  const keyColumns = [
    rows.map(({ key }) => key),
    rows.map(({ place }) => place),
    rows.map(({ version }) => version.version),
  ]
  return { rows, keyColumns }
}

/** What identifies the rows of the tags of these versions. */
export const tagKeyColumns = (tenantId: string, versions: readonly Tagged[]) => tagRows(tenantId, versions).keyColumns

/** The rows of the tags of new versions, in the order of `tagColumns`. */
export function newTagColumns(tenantId: string, versions: readonly EntryVersion[]) {
  const { rows, keyColumns } = tagRows(tenantId, versions)
  return [
    ...keyColumns,
    rows.map(({ version }) => recordedColumn(version)),
    rows.map(({ version }) => version.endedPosition),
  ]
}

export function recordedColumn({ recordedPosition, createdPosition }: EntryVersion): number | null {
  return recordedPosition === createdPosition ? null : recordedPosition
}

/** The rows of the tags of versions that end, and where. */
export function endingTagColumns<T extends Tagged & { readonly endedPosition: number }>(
  tenantId: string,
  endings: readonly T[],
) {
  const { rows, keyColumns } = tagRows(tenantId, endings)
  return [...keyColumns, rows.map(({ version }) => version.endedPosition)]
}
