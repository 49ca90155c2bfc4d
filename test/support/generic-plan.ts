import pg from 'pg'

/** Explains statements for any values. By `explain execute`, because `explain (generic_plan)` needs PostgreSQL 16. */
export async function openPlanner(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('set plan_cache_mode = force_generic_plan')
  return {
    async planOf(text: string): Promise<string> {
      const parameters = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)))
      const values = Array.from({ length: parameters }, () => 'null').join(', ')
      await client.query(`prepare explained as ${text}`)
      const { rows } = await client.query(`explain execute explained${parameters === 0 ? '' : ` (${values})`}`)
      await client.query('deallocate explained')
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    },
    close: () => client.end(),
  }
}
