import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { distributePostgres } from '../../src/adapters/postgres/distribute.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openColophon } from '../../src/index.ts'
import { installCitusStandIn } from '../support/citus-stand-in.ts'
import { createEmptyDatabase, releaseServer, run } from '../support/databases.ts'

after(releaseServer)

/** A plain database that the store takes for a distributed one. */
async function createStandIn() {
  const database = await createEmptyDatabase()
  await installCitusStandIn(database.url)
  await distributePostgres(database.url, 'none', 0)
  // Named like the limits that must reach the nodes: a commit writes down what its transaction was given.
  await run(
    database.url,
    `create table citus.limits (value text);
     create function citus.note() returns trigger language plpgsql as $$
     begin
       if new.tenant_id = 'lost' then raise exception using errcode = '08006', message = 'connection to the remote node node-2:5432 failed'; end if;
       if new.tenant_id = 'hidden' then raise exception using errcode = 'XX000', message = 'failure on connection marked as essential: node-2:5432'; end if;
       insert into citus.limits values (current_setting('citus.propagate_set_commands') || ' ' || current_setting('lock_timeout'));
       return new;
     end $$;
     create trigger note before insert on audit for each row execute function citus.note();
     create trigger note before insert or update on job for each row execute function citus.note();`,
  )
  return database
}

test('a distributed database gets locked commits with limits that reach the nodes', async () => {
  const database = await createStandIn()
  await using colophon = await openColophon({ databaseUrl: database.url })
  const memory = colophon.memory('acme')
  for (const content of ['one', 'two', 'three']) await memory.put('notes', { content, tags: ['t'] })
  const { id } = await memory.put('notes', { content: 'four' }, { idempotencyKey: 'k' })
  assert.equal((await memory.put('notes', { content: 'four' }, { idempotencyKey: 'k' })).id, id)
  assert.equal((await memory.list('notes', { tag: 't' })).entries.length, 3)
  assert.equal((await memory.search('notes', 'three')).results.length, 1)
  assert.deepEqual(await run(database.url, 'select distinct value from citus.limits'), [{ value: 'local 10s' }])
  const sent = await run(database.url, `select query from pg_stat_activity where datname = current_database()`)
  assert.ok(!JSON.stringify(sent).includes('with advanced as'), 'no commit is one statement')
  await colophon.close()
  await database.drop()
})

test('a tenant whose node is down is an outage for itself, and the others go on', async () => {
  const database = await createStandIn()
  await using colophon = await openColophon({ databaseUrl: database.url })
  for (const tenant of ['lost', 'hidden'])
    await assert.rejects(
      colophon.memory(tenant).put('notes', { content: 'x' }),
      { code: 'storage_unavailable' },
      tenant,
    )
  await colophon.memory('acme').put('notes', { content: 'y' })
  assert.equal((await colophon.memory('acme').snapshot()).position, 1)
  await colophon.close()
  await database.drop()
})

test('positions are asked for tenant by tenant, and a tenant without an answer is left out', async () => {
  const database = await createStandIn()
  const storage = await openPostgres({ url: database.url, now: Date.now })
  await storage.ensureTenant('acme', { macKey: new Uint8Array(32) }, 0)
  assert.deepEqual([...(await storage.clocks(['acme', 'nobody']))], [['acme', 0]])
  assert.deepEqual([...(await storage.runs.sequences([{ tenantId: 'acme', runId: 'run_1' }]))], [])
  await storage.close()
  await database.drop()
})
