import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from './postgres-server.ts'

/** A place of its own for each test; whoever makes it gives it back. */
export type TestDatabase = { readonly url: string; drop(): Promise<void> }

let ownServer: ReturnType<typeof startPostgres> | null = null

/** The server of `npm test`, or one of this process when a single file is run. */
async function serverUrl(): Promise<string> {
  const given = process.env.COLOPHON_TEST_DATABASE_URL
  if (given) return given
  ownServer ??= startPostgres({ fsync: 'off' })
  return (await ownServer).url
}

/** Ends this process's own server, so that the process can end. */
export async function releaseServer(): Promise<void> {
  await (await ownServer)?.stop()
  ownServer = null
}

export async function createDatabase(): Promise<TestDatabase> {
  const admin = await serverUrl()
  const name = `colophon_test_${randomBytes(6).toString('hex')}`
  await run(admin, `create database ${name}`)
  const url = new URL(admin)
  url.pathname = `/${name}`
  const drop = async () => void (await run(admin, `drop database if exists ${name} with (force)`))
  return { url: url.href, drop }
}

export async function run(url: string, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

export type TestFolder = { readonly path: string; file(name: string): string; remove(): void }

export function createFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'colophon-test-'))
  return { path, file: (name) => join(path, name), remove: () => rmSync(path, { recursive: true, force: true }) }
}
