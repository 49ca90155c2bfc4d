import { createFolder } from '../test/support/temporary-folder.ts'

/** Where a product keeps its data: a folder, and a database when it needs one. Both outlive its processes. */
export type Place = {
  readonly folder: string
  readonly databaseUrl: string | null
  remove(): Promise<void>
}

export type Databases = { create(): Promise<{ readonly url: string; drop(): Promise<void> }> }

export async function createPlace(databases: Databases | null): Promise<Place> {
  const { path: folder, remove } = createFolder()
  const database = await databases?.create()
  return {
    folder,
    databaseUrl: database?.url ?? null,
    async remove() {
      remove()
      await database?.drop()
    },
  }
}
