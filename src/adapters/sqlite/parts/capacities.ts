import type { CapacityState } from '../../../core/commit/parts/capacities.ts'
import { countEntries, countRecords, refAfter } from '../../sql/capacity-sql.ts'
import { notFenced } from '../fence.ts'
import type { PreparePart } from './part.ts'

export const capacities: PreparePart<CapacityState> = (db) => {
  const parameters = { tenant: ':tenantId', ref: ':memoryRef', to: ':to', tag: ':tag', now: ':now', limit: '+:limit' }
  const prepare = (by: Parameters<typeof countEntries>[0]) =>
    db.prepare(countEntries(by, parameters, notFenced('v'))).pluck()
  const records = db.prepare(countRecords({ tenant: '?', kind: '?' })).pluck()
  const ofRef = prepare({ isPrefix: false, hasTag: false })
  const ofTag = prepare({ isPrefix: false, hasTag: true })
  const ofRefs = prepare({ isPrefix: true, hasTag: false })
  const ofRefsTag = prepare({ isPrefix: true, hasTag: true })
  return {
    state: (tenantId) => ({
      stored(counted, limit) {
        if ('records' in counted) return records.get(tenantId, counted.records) as number
        const { memoryRef, isPrefix = false, tag, now } = counted
        const sql = isPrefix ? (tag === null ? ofRefs : ofRefsTag) : tag === null ? ofRef : ofTag
        const range = isPrefix ? { to: refAfter(memoryRef) } : {}
        return sql.get({ tenantId, memoryRef, now, limit, ...range, ...(tag === null ? {} : { tag }) }) as number
      },
    }),

    save() {},
  }
}
