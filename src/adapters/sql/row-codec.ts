type Stored = string | number | null
export type Row = Readonly<Record<string, Stored>>

/**
 * How a member is kept in its column. `flag` is 1 or 0, `json` is a text or null, `document` is a text also for null,
 * `real` may have a fraction.
 */
type Kind<T> = [T] extends [boolean]
  ? 'flag'
  : [T] extends [number | null]
    ? 'bigint' | 'real'
    : [T] extends [string | null]
      ? 'text'
      : 'json' | 'document'

type Fields<T> = { readonly [Member in keyof T]-?: Kind<T[Member]> }

const types = {
  flag: 'bigint',
  bigint: 'bigint',
  real: 'double precision',
  text: 'text',
  json: 'text',
  document: 'text',
}

export type RowCodec<T> = {
  /** In the order of the members, for any statement. */
  readonly columns: string
  /** With their types, as PostgreSQL reads a record of them. */
  readonly types: string
  toRow(value: T): Row
  /** The values of the row in the order of `columns`, for a statement without names: SQLite binds them in half the time. */
  toValues(value: T): Stored[]
  fromRow(row: Row): T
}

/** The rows of a table and what they mean, from one list: a member `claimId` is kept in the column `claim_id`. */
export function rowCodec<T extends object>(fields: Fields<T>): RowCodec<T> {
  // Objects, not tuples: these loops run for every row, and destructuring a tuple makes an iterator.
  const members = Object.entries(fields as Record<string, keyof typeof types>).map(([member, kind]) => ({
    member: member as keyof T & string,
    column: toColumn(member),
    kind,
  }))
  return {
    columns: members.map(({ column }) => column).join(', '),
    types: members.map(({ column, kind }) => `${column} ${types[kind]}`).join(', '),
    toRow(value) {
      const row: Record<string, Stored> = {}
      for (const { member, column, kind } of members) row[column] = encode(kind, value[member])
      return row
    },
    toValues: (value) => members.map(({ member, kind }) => encode(kind, value[member])),
    fromRow(row) {
      const value: Record<string, unknown> = {}
      for (const { member, column, kind } of members) value[member] = decode(kind, row[column] as Stored)
      return value as T
    },
  }
}

function toColumn(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function encode(kind: keyof typeof types, value: unknown): Stored {
  if (kind === 'flag') return value ? 1 : 0
  if (kind === 'document') return JSON.stringify(value ?? null)
  if (kind === 'json') return value === null || value === undefined ? null : JSON.stringify(value)
  return (value as Stored | undefined) ?? null
}

function decode(kind: keyof typeof types, stored: Stored): unknown {
  if (kind === 'flag') return stored === 1
  if (kind === 'json' || kind === 'document') return stored === null ? null : JSON.parse(stored as string)
  return stored
}
