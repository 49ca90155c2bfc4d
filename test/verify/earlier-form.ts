import Database from 'better-sqlite3'
import { canonicalRecord, genesisHash } from '../../src/core/audit/audit.ts'
import { sha256 } from '../../src/core/audit/digest.ts'
import { contentDigest, namedSourceDigest } from '../../src/core/audit/row-digests.ts'
import type { StoredRows, StoredTable, StoredTables } from '../../src/ports/stored-rows.ts'

type Body = Record<string, unknown>
type Note = Record<string, unknown> & { readonly id: string; readonly version: number; readonly digest: string }

/** Members that only the present form of records has. */
const newMembers = [
  'v',
  'runs',
  'fences',
  'payloads',
  'tombstones',
  'refsErased',
  'sourcesRewritten',
  'compactionsErased',
]

/**
 * Makes of the records of a tenant what they would have been before every row had a digest, with hashes that fit, and of its runs and
 * assertions what they were without hashes.
 */
export async function toEarlierForm(path: string, tenantId: string, rows: StoredRows): Promise<void> {
  const all = async <Table extends StoredTable>(table: Table) =>
    (await rows.page(table, { tenantId, after: null, limit: 10_000 })).flatMap(
      ({ row }) => row ?? [],
    ) as StoredTables[Table][]
  const versions = new Map((await all('versions')).map((row) => [`${row.entryId} ${row.version}`, contentDigest(row)]))
  const sources = new Map(
    (await all('sourceEvents')).map(({ event }) => [event.sourceEventId, namedSourceDigest(event)]),
  )
  const without = (note: object, ...names: string[]) =>
    Object.fromEntries(Object.entries(note).filter(([name]) => !names.includes(name)))
  const toBody = (body: Body): Body => {
    const early = without(body, ...newMembers)
    const change = (name: string, toNote: (note: Note) => object) =>
      name in early ? { [name]: (early[name] as Note[]).map(toNote) } : {}
    const text = (note: Note) => ({
      ...without(note, 'ended'),
      digest: versions.get(`${note.id} ${note.version}`) ?? note.digest,
    })
    return {
      ...early,
      ...change('admin', (note) => without(note, 'digest')),
      ...change('claims', (note) => without(note, 'digest', 'stated')),
      ...change('compactions', (note) => without(note, 'digest', 'lineage')),
      ...change('written', text),
      ...change('rewritten', text),
      ...change('sourceEvents', (note) => ({ id: note.id, digest: sources.get(note.id) ?? note.digest })),
    }
  }
  const db = new Database(path)
  let prev = genesisHash
  for (const { position, at, body } of await all('audit')) {
    const early = JSON.stringify(toBody(JSON.parse(body) as Body))
    prev = sha256(canonicalRecord({ position, at, body: early }, tenantId, prev))
    db.prepare('update audit set body = ?, hash = ? where tenant_id = ? and position = ?').run(
      early,
      prev,
      tenantId,
      position,
    )
  }
  db.prepare('update tenant_clock set last_hash = ? where tenant_id = ?').run(prev, tenantId)
  db.exec(`update assertion set seal = ''; update run set facts = json_remove(facts, '$.record')`)
  db.close()
}
