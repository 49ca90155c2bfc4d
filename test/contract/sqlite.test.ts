import Database from 'better-sqlite3'
import { openSqlite, type SqliteOptions } from '../../src/adapters/sqlite/open.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { describeStorageContract, type StorageContract } from './suite/index.ts'

const contract = (more: Partial<SqliteOptions> = {}): StorageContract => ({
  async open({ now }) {
    const folder = createFolder()
    const path = folder.file('memory.db')
    const storage = openSqlite({ path, now, ...more })
    return {
      storage,
      async execute(sql) {
        const db = new Database(path)
        db.exec(sql)
        db.close()
      },
      dispose: async () => folder.remove(),
    }
  },
})

describeStorageContract('sqlite', contract())
// As in a ref with many vectors.
describeStorageContract('sqlite by codes', contract({ exactVectorsMax: 0 }), ['vectors'])
