import { test } from 'node:test'
import { prepareRawFile, runActor, tenantId } from '../../bench/run-library.ts'
import { openRawRuns } from '../../bench/run-raw.ts'
import { checkSameRows } from '../../bench/run-same-rows.ts'
import { createFolder } from '../support/temporary-folder.ts'

test('the hand-written side of the run benchmark stores the same rows as the engine', async () => {
  const path = createFolder().file('runs.db')
  await prepareRawFile(path)
  const raw = openRawRuns(path, tenantId, runActor)
  await raw.complete(await raw.create({}))
  raw.close()
  await checkSameRows(path)
})
