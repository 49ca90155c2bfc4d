import Database from 'better-sqlite3'
import { openColophon } from '../src/index.ts'
import { tenantId } from './run-library.ts'

const queries = {
  run: 'select * from run where run_id = ?',
  job: "select * from job where json_extract(payload, '$.runId') = ?",
  event: 'select * from run_event where run_id = ? order by sequence',
  entry: 'select * from entry_version where run_id = ?',
  tag: `select t.* from entry_tag t join entry_version v using (tenant_id, memory_ref, created_position) where v.run_id = ?
         order by t.tag`,
  audit: 'select a.* from audit a join entry_version v on v.created_position = a.position where v.run_id = ?',
}

/** The raw side is only a yardstick if its runs have the very rows that ours have: the first run of the file is ours. */
export async function checkSameRows(path: string): Promise<void> {
  const db = new Database(path, { readonly: true })
  try {
    const ids = db.prepare('select min(run_id) as ours, max(run_id) as raw from run').get() as Record<string, string>
    if (ids.ours === ids.raw) throw new Error('The raw side stored no run.')
    for (const [name, query] of Object.entries(queries)) {
      const [ours, raw] = [ids.ours, ids.raw].map((id) => shapeOf(db.prepare(query).all(id)))
      if (ours === '[]' || ours !== raw) throw new Error(`The raw side stores another ${name}:\n${ours}\n${raw}`)
    }
  } finally {
    db.close()
  }
  await using colophon = await openColophon({ path })
  const verdict = await colophon.memory(tenantId).verify({ contents: true })
  if (!verdict.ok) throw new Error(`The raw side of the benchmark wrote a wrong audit: ${JSON.stringify(verdict)}`)
}

/** Rows with everything that differs between any two runs left out: ids, instants, positions, digests. */
function shapeOf(rows: unknown[]): string {
  return JSON.stringify(rows, (key, value) => (/position$|^hash$|^salt$|^row_id$/.test(key) ? 0 : value))
    .replace(/\b(run|job|mem)_[0-9a-f-]{36}/g, '$1')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\b1\d{12}\b/g, 'instant')
    .replace(/((?:digest|salt|events|calls)\\":\\")[\w-]{22,43}/g, '$1')
}
