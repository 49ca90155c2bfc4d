import { after, test } from 'node:test'
import { endChildren } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { isThorough } from '../support/thorough.ts'
import { sweepPostgres, sweepSqlite } from './run-kill-writes.ts'

after(endChildren)
after(releaseServer)

const deadline = { timeout: 240_000 }

test(
  'SQLite: a run whose process is killed between two writes resumes and ends with the same result',
  deadline,
  async (t) => {
    t.diagnostic(`the last was write ${await sweepSqlite(isThorough ? 2 : 13)}`)
  },
)

test(
  'PostgreSQL: a run whose process is killed between two writes resumes and ends with the same result',
  deadline,
  async (t) => {
    t.diagnostic(`the last was write ${await sweepPostgres(isThorough ? 6 : 32)}`)
  },
)
