import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { verify } from '../../src/app/verify/verify.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { prepare, worldOn } from './acts.ts'
import { openTampered } from './stores.ts'

after(releaseServer)

/** A change of the schema by hand, what verification names, and how to take it back. */
type Change = { readonly sql: string; readonly found: readonly string[]; readonly undo: string }

const bothChanges: readonly Change[] = [
  {
    sql: 'drop index entry_live_by_claim',
    found: ['gone index entry_live_by_claim'],
    undo: `create unique index entry_live_by_claim
 on entry_version (tenant_id, claim_id)
 where ended_position is null and claim_id is not null`,
  },
  {
    sql: 'drop index job_dead; create index job_dead on job (tenant_id, job_id)',
    found: ['changed index job_dead'],
    undo: `drop index job_dead; create index job_dead on job (tenant_id, job_id) where status = 'dead'`,
  },
  {
    sql: 'create unique index one_status on run (tenant_id, status)',
    found: ['unrecorded index one_status'],
    undo: 'drop index one_status',
  },
  { sql: 'create table of_another_program (note text)', found: [], undo: 'drop table of_another_program' },
]

const changes: Readonly<Record<'sqlite' | 'postgres', readonly Change[]>> = {
  sqlite: [
    {
      sql: `create trigger quiet before insert on audit begin select raise(ignore); end`,
      found: ['unrecorded trigger quiet'],
      undo: 'drop trigger quiet',
    },
    {
      sql: `create trigger "What a person said" after insert on AUDIT begin select 1; end`,
      found: ['unrecorded trigger'],
      undo: 'drop trigger "What a person said"',
    },
    {
      sql: 'alter table key_use add column note text',
      found: ['changed table key_use', 'unrecorded column key_use.note'],
      undo: 'alter table key_use drop column note',
    },
    {
      sql: 'drop table log_tile',
      found: [
        'gone table log_tile',
        ...['level', 'root', 'tenant_id', 'tile'].map((name) => `gone column log_tile.${name}`),
      ],
      undo: `CREATE TABLE log_tile (
  tenant_id text not null, -- of the log
  level integer not null,
  tile integer not null,
  root text not null,
  primary key (tenant_id, level, tile)
) strict, without rowid`,
    },
  ],
  postgres: [
    {
      sql: 'drop table log_tile',
      found: [
        'gone table log_tile',
        'gone index log_tile_pkey',
        'gone constraint log_tile.log_tile_pkey',
        ...['level', 'root', 'tenant_id', 'tile'].map((name) => `gone column log_tile.${name}`),
      ],
      undo: `create table log_tile (tenant_id text collate "C" not null, level bigint not null, tile bigint not null,
             root text collate "C" not null, primary key (tenant_id, level, tile))`,
    },
    {
      sql: `create function quiet() returns trigger language plpgsql as 'begin return null; end';
            create trigger quiet before insert on audit for each row execute function quiet()`,
      found: ['unrecorded trigger audit.quiet'],
      undo: 'drop trigger quiet on audit',
    },
    {
      sql: 'create rule quiet as on delete to claim do instead nothing',
      found: ['unrecorded rule claim.quiet'],
      undo: 'drop rule quiet on claim',
    },
    {
      sql: 'alter table audit drop constraint audit_pkey',
      found: ['gone index audit_pkey', 'gone constraint audit.audit_pkey'],
      undo: 'alter table audit add constraint audit_pkey primary key (tenant_id, position)',
    },
    {
      sql: 'alter table claim add constraint short check (length(category) < 999)',
      found: ['unrecorded constraint claim.short'],
      undo: 'alter table claim drop constraint short',
    },
    {
      sql: 'alter table key_use add column note text',
      found: ['unrecorded column key_use.note'],
      undo: 'alter table key_use drop column note',
    },
    {
      sql: `alter table tenant alter column status set default 'disabled'`,
      found: ['changed column tenant.status'],
      undo: `alter table tenant alter column status set default 'active'`,
    },
    {
      sql: 'alter table audit set unlogged',
      found: ['changed table audit'],
      undo: 'alter table audit set logged',
    },
    {
      sql: 'create policy everyone on audit using (true)',
      found: ['unrecorded policy audit.everyone'],
      undo: 'drop policy everyone on audit',
    },
    {
      // As a start with pgvector makes them.
      sql: `create domain halfvec as bytea; alter table entry_vector add column near halfvec;
            create index entry_vector_without_near on entry_vector (tenant_id, memory_ref) where near is null`,
      found: [],
      undo: 'alter table entry_vector drop column near; drop domain halfvec',
    },
    {
      sql: 'alter table audit replica identity full; create publication of_tables for table audit',
      found: [],
      undo: 'alter table audit replica identity default; drop publication of_tables',
    },
  ],
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`${kind}: verification finds a change of the schema by hand`, async () => {
    const { world, execute, close } = await openTampered(kind)
    after(close)
    await prepare(world)
    const look = async () => {
      const { contents } = await verify(world.tenant, { contents: true })
      return contents?.anomalies.map(({ problem, what, id }) => [problem, what, id].filter(Boolean).join(' ')) ?? []
    }

    for (const { sql, found, undo } of [...changes[kind], ...bothChanges]) {
      test(sql, async () => {
        assert.deepEqual(await look(), [])
        await execute(sql)
        const anomalies = await look()
        assert.deepEqual(anomalies.sort(), [...found].sort())
        await execute(undo)
      })
    }
  })
}

test('policies of row-level security are no finding, and a wider one is', async () => {
  const { url, drop } = await createDatabase()
  const storage = await openPostgres({ url, now: () => 1, connectionsMax: 3, rowSecurity: true })
  const world = worldOn(storage)
  try {
    await prepare(world)
    const look = async () => (await verify(world.tenant, { contents: true })).contents?.anomalies
    assert.deepEqual(await look(), [])
    await run(url, 'alter policy colophon_tenant on audit using (true)')
    assert.deepEqual(await look(), [
      { position: 0, problem: 'unrecorded', what: 'policy', id: 'audit.colophon_tenant' },
    ])
  } finally {
    await world[Symbol.asyncDispose]()
    await drop()
  }
})
