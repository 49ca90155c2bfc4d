import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { openRawSqlite } from './raw-sqlite.ts'
import type { Recorder } from './recorder.ts'
import { fillStore, tenantId } from './sqlite-store.ts'
import { callers, rawPuts } from './sqlite-writes.ts'

const section = 'Cost of the audit chain: raw with it beside raw without'

/** Without our code on either side: the cost of the audit row and its hashes alone. */
export async function benchAuditCost(recorder: Recorder, folder: string, entries: number): Promise<void> {
  const withPath = join(folder, 'with-audit.db')
  const withoutPath = join(folder, 'without-audit.db')
  await fillStore(withPath, entries)
  copyFileSync(withPath, withoutPath)
  const withAudit = openRawSqlite(withPath, tenantId, { audit: true })
  const withoutAudit = openRawSqlite(withoutPath, tenantId, { audit: false })
  try {
    for (const { work, together, operations } of [
      { work: 'put, one at a time', together: 1, operations: 200 },
      { work: 'put, 32 at once', together: callers, operations: 24 * callers },
    ]) {
      await recorder.compare({
        ...{ section, work, entries, shown: 'rate', target: 0.8, operations },
        judged: rawPuts(withAudit, operations, together),
        reference: rawPuts(withoutAudit, operations, together),
      })
    }
  } finally {
    withAudit.close()
    withoutAudit.close()
  }
}
