import Database from 'better-sqlite3'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { describeStorageContract } from './suite/index.ts'

describeStorageContract('sqlite', {
  async open({ now }) {
    const folder = createFolder()
    const path = folder.file('memory.db')
    const storage = openSqlite({ path, now })
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
