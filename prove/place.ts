import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where a product keeps its data: a folder, and a database when it needs one. Both stay while processes come and go. */
export type Place = {
  readonly folder: string
  readonly databaseUrl: string | null
  remove(): Promise<void>
}

export type Databases = { create(): Promise<{ readonly url: string; drop(): Promise<void> }> }

export async function createPlace(databases: Databases | null): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-prove-'))
  const database = await databases?.create()
  return {
    folder,
    databaseUrl: database?.url ?? null,
    async remove() {
      rmSync(folder, { recursive: true, force: true })
      await database?.drop()
    },
  }
}
