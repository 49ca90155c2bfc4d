import { ColophonError } from '../core/errors.ts'

/** A row of the table `store` of LangGraph's PostgresStore. */
export type StoreRow = {
  readonly namespace_path: string
  readonly key: string
  readonly value: unknown
  readonly created_at: Date | null
  readonly updated_at: Date | null
  readonly expires_at: Date | null
}

export type StoreTables = {
  readonly database: string
  /** Every row that has not expired, in one order. All calls see the same rows. */
  rows(): AsyncGenerator<StoreRow>
  close(): Promise<void>
}

const pageRows = 500

/** Opens the tables of a PostgresStore, read only and as they are now. */
export async function openStoreTables(url: string): Promise<StoreTables> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
    await client.query('begin isolation level repeatable read read only')
    const { rows } = await client.query<{ database: string; store: string | null }>(
      "select current_database() as database, to_regclass('store')::text as store",
    )
    if (rows[0]?.store == null) throw noStore()
    return {
      database: rows[0].database,
      async *rows() {
        let [path, key, isFirst] = ['', '', true]
        for (;;) {
          const page = await client.query<StoreRow>(
            `select namespace_path, key, value, created_at, updated_at, expires_at
               from store
              where (expires_at is null or expires_at > now())
                and ($3 or (namespace_path, key) > ($1, $2))
              order by namespace_path, key
              limit ${pageRows}`,
            [path, key, isFirst],
          )
          yield* page.rows
          const last = page.rows.at(-1)
          if (last === undefined) return
          ;[path, key, isFirst] = [last.namespace_path, last.key, false]
        }
      },
      close: () => client.end(),
    }
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

function noStore(): ColophonError {
  return new ColophonError('validation_error', 'The database has no table store in its search path.', {
    details: { field: 'url' },
  })
}
