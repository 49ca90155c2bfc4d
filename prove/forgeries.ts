import type { Editor, Row } from './editor.ts'
import type { LogTable, RecordTables } from './product.ts'

/** The ways in which an attacker with access to the database can forge the record. Each undoes itself. */
export type Forgery = { readonly name: string; forge(): Promise<void>; undo(): Promise<void> }

/** Another value of the same type: a letter for a letter, a number for a number. */
function altered(value: unknown, at: number): unknown {
  const text = String(value)
  if (typeof value === 'number' || typeof value === 'bigint' || /^\d+$/.test(text)) return Number(value) + 1
  const place = at % text.length
  const letter = text[place] === 'a' ? 'b' : 'a'
  return text.slice(0, place) + letter + text.slice(place + 1)
}

/** A value that no row has. */
function another(value: unknown): unknown {
  if (value === null) return null
  return typeof value === 'number' || typeof value === 'bigint' || /^\d+$/.test(String(value))
    ? Number(value) + 100_000
    : `${value}x`
}

export async function forgeriesOf(
  editor: Editor,
  { log, content, others = [] }: RecordTables,
  tenant: string,
  random: () => number,
): Promise<Forgery[]> {
  const rows = await rowsOf(editor, log, tenant)
  const texts = await rowsOf(editor, content, tenant)
  const stored: { table: LogTable; among: Row[] }[] = []
  for (const table of [content, ...others]) stored.push({ table, among: await rowsOf(editor, table, tenant) })
  const anyOf = (from: readonly Row[]) => from[Math.floor(random() * from.length)] as Row
  /** Restores all rows of the log after a forgery. */
  const restore = async () => {
    await editor.run(`delete from ${log.table} where ${log.tenant} = ?`, tenant)
    for (const row of rows) await insert(editor, log.table, row)
  }
  const set = (table: LogTable, row: Row, column: string, value: unknown) =>
    editor.run(
      `update ${table.table} set ${column} = ? where ${table.tenant} = ? and ${Object.keys(keyOf(table, row))
        .map((name) => `${name} = ?`)
        .join(' and ')}`,
      value,
      tenant,
      ...Object.values(keyOf(table, row)),
    )
  const flips = (table: LogTable, all: readonly Row[], times: readonly number[]) =>
    table.columns.flatMap((column) =>
      times.flatMap((): Forgery[] => {
        const among = all.filter((row) => row[column] !== null && row[column] !== '')
        if (among.length === 0) return []
        const row = anyOf(among)
        const value = altered(row[column], Math.floor(random() * 1_000))
        const changed = { ...row, [column]: value }
        return [
          {
            name: `another ${table.table}.${column}`,
            forge: () => set(table, row, column, value),
            undo: () => set(table, changed, column, row[column]),
          },
        ]
      }),
    )
  const remove = (table: LogTable, row: Row) =>
    editor.run(
      `delete from ${table.table} where ${table.tenant} = ? and ${table.key.map((name) => `${name} = ?`).join(' and ')}`,
      tenant,
      ...Object.values(keyOf(table, row)),
    )
  /** Deletes a row, and plants a copy of one. */
  const rowsOfStory = (table: LogTable, among: readonly Row[]): Forgery[] => {
    if (among.length === 0) return []
    const [row, origin] = [anyOf(among), anyOf(among)]
    const own = Object.fromEntries((table.unique ?? table.key).map((name) => [name, another(origin[name])]))
    const planted = { ...origin, ...own }
    return [
      {
        name: `a row of ${table.table} deleted`,
        forge: () => remove(table, row),
        undo: () => insert(editor, table.table, row),
      },
      {
        name: `a row of ${table.table} planted`,
        forge: () => insert(editor, table.table, planted),
        undo: () => remove(table, planted),
      },
    ]
  }
  const without = (name: string, row: Row | undefined): Forgery => ({
    name,
    forge: () =>
      editor.run(`delete from ${log.table} where ${log.tenant} = ? and ${log.order} = ?`, tenant, row?.[log.order]),
    undo: restore,
  })
  const swap = (first: Row, second: Row): Forgery => ({
    name: 'two rows in the other order',
    async forge() {
      for (const [row, other] of [
        [first, second],
        [second, first],
      ] as const)
        for (const column of log.columns) await set(log, row, column, other[column])
    },
    undo: restore,
  })
  const last = rows.at(-1) as Row
  const middle = Math.floor(1 + random() * (rows.length - 3))
  return [
    ...flips(log, rows, [0, 1, 2]),
    ...flips(content, texts, [0, 1, 2]),
    ...others.flatMap((table) => flips(table, stored.find((one) => one.table === table)?.among ?? [], [0])),
    ...stored.flatMap(({ table, among }) => rowsOfStory(table, among)),
    without('the first row deleted', rows[0]),
    without('a row deleted', rows[middle]),
    without('the last row deleted', last),
    swap(rows[middle] as Row, rows[middle + 1] as Row),
    swap(rows[1] as Row, rows[rows.length - 2] as Row),
    {
      name: 'a row added at the end',
      forge: () => insert(editor, log.table, { ...last, [log.order]: Number(last[log.order]) + 1 }),
      undo: restore,
    },
  ]
}

const keyOf = (table: LogTable, row: Row): Row => Object.fromEntries(table.key.map((name) => [name, row[name]]))

function rowsOf(editor: Editor, { table, tenant: column, order }: LogTable, tenant: string): Promise<Row[]> {
  return editor.all(`select * from ${table} where ${column} = ? order by ${order}`, tenant)
}

async function insert(editor: Editor, table: string, row: Row): Promise<void> {
  const columns = Object.keys(row)
  const places = columns.map(() => '?').join(', ')
  await editor.run(`insert into ${table} (${columns.join(', ')}) values (${places})`, ...Object.values(row))
}
