import type { Editor, Row } from './editor.ts'
import type { LogTable, RecordTables } from './product.ts'

/** The ways in which somebody with access to the database can make it tell another story. Each undoes itself. */
export type Forgery = { readonly name: string; forge(): Promise<void>; undo(): Promise<void> }

/** As another value of the same type: a letter for a letter, a number for a number. */
function altered(value: unknown, at: number): unknown {
  const text = String(value)
  if (typeof value === 'number' || typeof value === 'bigint' || /^\d+$/.test(text)) return Number(value) + 1
  const place = at % text.length
  const letter = text[place] === 'a' ? 'b' : 'a'
  return text.slice(0, place) + letter + text.slice(place + 1)
}

export async function forgeriesOf(
  editor: Editor,
  { log, content }: RecordTables,
  tenant: string,
  random: () => number,
): Promise<Forgery[]> {
  const rows = await rowsOf(editor, log, tenant)
  const texts = await rowsOf(editor, content, tenant)
  const anyOf = (from: readonly Row[]) => from[Math.floor(random() * from.length)] as Row
  /** Whatever a forgery did to the log: all rows as they were. */
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
  const flips = (table: LogTable, among: readonly Row[]) =>
    table.columns.flatMap((column) =>
      [0, 1, 2].map((): Forgery => {
        const row = anyOf(among)
        const value = altered(row[column], Math.floor(random() * 1_000))
        return {
          name: `another ${table.table}.${column}`,
          forge: () => set(table, row, column, value),
          undo: () => set(table, row, column, row[column]),
        }
      }),
    )
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
    ...flips(log, rows),
    ...flips(content, texts),
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
