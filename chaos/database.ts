import { type CommitCutter, startCommitCutter } from '../test/support/commit-cutter.ts'
import { run } from '../test/support/databases.ts'
import { type PostgresServer, startPostgres } from '../test/support/postgres-server.ts'

/** A separate PostgreSQL, because it will be killed, and a proxy in front of it that breaks connections. */
export type ChaosDatabase = {
  /** The URL that servers use: it goes through the proxy. */
  readonly url: string
  readonly cutter: CommitCutter
  kill(): void
  restart(): Promise<void>
  /** Ends all connections of servers, as an administrator or a failover does. */
  terminate(): Promise<void>
  /** From now on, until it is reset, the disk is full. */
  setFull(isFull: boolean): Promise<void>
  close(): Promise<void>
}

const tables = ['audit', 'job', 'run', 'run_event', 'idempotency']

export async function startDatabase(): Promise<ChaosDatabase> {
  // What is killed is the process, not the machine: what it wrote stays in the caches of the operating system.
  const server: PostgresServer = await startPostgres({ fsync: 'off' })
  const cutter = await startCommitCutter(server.url)
  return {
    url: cutter.url,
    cutter,
    kill: () => server.kill(),
    restart: () => server.restart(),
    async terminate() {
      const ours = `datname = current_database() and application_name = 'colophon'`
      await run(server.url, `select pg_terminate_backend(pid) from pg_stat_activity where ${ours}`)
    },
    async setFull(isFull) {
      const raise = `begin raise exception 'no space left on device' using errcode = '53100'; end`
      const refuse = `create or replace function chaos_full() returns trigger language plpgsql as $$ ${raise} $$`
      if (isFull) await run(server.url, refuse)
      for (const table of tables) {
        const trigger = `create trigger chaos_full before insert on ${table} execute function chaos_full()`
        await run(server.url, isFull ? trigger : `drop trigger if exists chaos_full on ${table}`)
      }
      if (!isFull) await run(server.url, 'drop function if exists chaos_full()')
    },
    async close() {
      await cutter.close()
      await server.stop()
    },
  }
}
