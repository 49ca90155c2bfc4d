// Holds the write lock of a new database for a moment, as a process does that is just making its tables.
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { programOptions, report } from '../support/child-program.ts'

const db = new Database(programOptions<{ path: string }>().path)
db.exec('begin immediate')
report('held')
await delay(300)
db.exec('commit')
db.close()
