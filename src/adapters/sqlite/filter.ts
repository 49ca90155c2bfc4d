import type { Database, Statement } from 'better-sqlite3'
import type { EntryFilter } from '../../core/filter/filter.ts'
import { createFilterSql } from '../sql/filter-sql.ts'

const member = (column: string, name: string) => `(${column} ->> '${name}')`
const isAmong = (expression: string, given: string) => `${expression} in (select value from json_each(${given}))`
const memberTypes = {
  text: `= 'text'`,
  number: `in ('integer', 'real')`,
  true: `= 'true'`,
  false: `= 'false'`,
  null: `= 'null'`,
}

const toSql = createFilterSql({
  tenant: ':tenantId',
  textMember: member,
  numberMember: member,
  isTextAmong: isAmong,
  // JSON of a large number has fewer digits than SQLite reads into an integer, so numbers are compared as JavaScript has them.
  isNumberAmong: (expression, given) => `${expression} in (select cast(value as real) from json_each(${given}))`,
  number: (given) => given,
  position: (given) => given,
  byCharacters: (expression) => expression,
  text: (given) => given,
  tagsOf: (column) => `json_each(${column}) x`,
  membersOf: (column) => `json_each(${column}) m`,
  isMember: (type) => `m.type ${memberTypes[type]}`,
  memberText: 'm.value',
  memberNumber: 'cast(m.value as real)',
})

/** A filter as a condition on `v` at a position, and its parameters `:f0`, `:f1` and so on. */
export function filterSql(
  filter: EntryFilter,
  position = Number.MAX_SAFE_INTEGER,
): {
  readonly condition: string
  readonly values: Record<string, unknown>
} {
  const values: Record<string, unknown> = {}
  const condition = toSql(filter, position, (value) => {
    const name = `f${Object.keys(values).length}`
    values[name] = Array.isArray(value) ? JSON.stringify(value) : value
    return `:${name}`
  })
  return { condition, values }
}

/** Statements whose filters a process keeps prepared. */
const preparedMax = 64

/** Prepares statements by their text, and keeps the last ones: filters of one program have the same shape. */
export function createStatementCache(db: Database): (text: string) => Statement {
  const prepared = new Map<string, Statement>()
  return (text) => {
    const known = prepared.get(text) ?? db.prepare(text)
    prepared.delete(text)
    prepared.set(text, known)
    if (prepared.size > preparedMax) prepared.delete(prepared.keys().next().value as string)
    return known
  }
}
