import type { EntryFilter } from '../../core/filter/filter.ts'
import { createFilterSql } from '../sql/filter-sql.ts'

const jsonTypes = { text: `= 'string'`, number: `= 'number'` }
const isValue = (name: string) => `m.value::text = '${name}'`

const toSql = createFilterSql({
  tenant: '$1',
  textMember: (column, name) => `(${column}::json ->> '${name}')`,
  numberMember: (column, name) => `(${column}::json ->> '${name}')::float8`,
  isTextAmong: (expression, given) => `${expression} = any(${given}::text[])`,
  isNumberAmong: (expression, given) => `${expression} = any(${given}::float8[])`,
  number: (given) => `${given}::float8`,
  position: (given) => `${given}::bigint`,
  byCharacters: (expression) => `${expression} collate "C"`,
  text: (given) => `${given}::text`,
  tagsOf: (column) => `json_array_elements_text(${column}::json) as x (value)`,
  membersOf: (column) => `json_each(${column}::json) as m (key, value)`,
  isMember: (type) =>
    type === 'text' || type === 'number' ? `json_typeof(m.value) ${jsonTypes[type]}` : isValue(type),
  memberText: `(m.value #>> '{}')`,
  memberNumber: `(m.value #>> '{}')::float8`,
})

/** A filter as a condition on `v` at a position. Its parameters follow those that the statement has already. */
export function filterSql(
  filter: EntryFilter,
  given: number,
  position = Number.MAX_SAFE_INTEGER,
): { readonly condition: string; readonly values: readonly unknown[] } {
  const values: unknown[] = []
  const condition = toSql(filter, position, (value) => `$${given + values.push(value)}`)
  return { condition, values }
}
