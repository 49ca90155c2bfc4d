import type { EntryFilter } from '../../core/filter/filter.ts'
import { cosineSimilarity, vectorFromBytes } from '../../core/search/vectors.ts'
import type { NearQuery, NearVersion } from '../../ports/vector-store.ts'
import { nearestFirst } from '../sql/take-nearest.ts'
import { toVersion, type VersionRow, versionColumns } from '../sql/version-rows.ts'
import { accessible, accessValues } from './access.ts'
import { unnamedStatement } from './connection.ts'
import type { Database } from './database.ts'
import { toStorageError } from './errors.ts'
import { notFenced } from './fence.ts'
import { filterSql } from './filter.ts'
import { nearSettings } from './near-index.ts'

/** So many times more versions are taken by their shorter copies than are wanted: then the whole vectors decide. */
const takenPerWanted = 2

/** The shorter copy of a vector, as the database reads it. */
export function toNear(vector: Float32Array): string {
  return `[${Array.from(vector, (number) => number.toPrecision(5)).join(',')}]`
}

/**
 * The nearest versions by the index, which is walked until enough versions match. It gives up after a number of rows, because those of a ref may be few among
 * those of the database: then all rows of the ref that match are compared.
 */
export async function nearestByIndex(
  database: Database,
  query: NearQuery,
  compareMatches: (filter: EntryFilter) => Promise<readonly NearVersion[]>,
): Promise<readonly NearVersion[]> {
  const { tenantId, vector, limit } = query
  const read = (isByIndex: boolean) =>
    database.readTransaction(tenantId, async ({ send, commit }) => {
      const { text, values } = nearSql(query, isByIndex)
      const set = isByIndex ? [send(nearSettings, [])] : []
      const found = send<NearRow>(unnamedStatement(text), values)
      await commit(...set, found)
      return (await found).rows
    })
  try {
    const walked = await read(true)
    if (walked.length < limit && query.where !== undefined) return await compareMatches(query.where)
    const rows = walked.length < limit ? await read(false) : walked
    return rows
      .map((row) => ({ version: toVersion(row), similarity: cosineSimilarity(vector, vectorFromBytes(row.vector)) }))
      .sort(nearestFirst)
      .slice(0, limit)
  } catch (error) {
    throw toStorageError(error)
  }
}

type NearRow = VersionRow & { readonly vector: Uint8Array }

const columnsOfV = versionColumns.replace(/\w+/g, 'v.$&')

/** The length is part of the text: the index is for vectors of this length. A sum is no order that it knows. */
function nearSql(
  { tenantId, memoryRef, space, vector, position, now, access, where, limit }: NearQuery,
  isByIndex: boolean,
) {
  const dimensions = Math.trunc(space.dimensions)
  const order = `x.near::halfvec(${dimensions}) <#> $4::halfvec(${dimensions})`
  const given = [tenantId, memoryRef, space.model, toNear(vector), position, now, ...accessValues(access)]
  const { condition, values } =
    where === undefined ? { condition: 'true', values: [] } : filterSql(where, given.length, position)
  const text = `
     select ${columnsOfV}, x.vector
       from entry_vector x
       join entry_version v
         on v.tenant_id = $1
        and v.entry_id = x.entry_id
        and v.version = x.version
      where x.tenant_id = $1
        and x.memory_ref = $2
        and x.model = $3
        and x.dimensions = ${dimensions}
        and v.recorded_position <= $5
        and (v.ended_position is null or v.ended_position > $5)
        and (v.expires_at is null or v.expires_at > $6)
        and ${accessible('v', '$7', '$8')}
        and ${notFenced('v')}
        and ${condition}
      order by ${isByIndex ? order : `(${order}) + 0`}
      limit ${takenPerWanted * limit}`
  return { text, values: [...given, ...values] }
}
