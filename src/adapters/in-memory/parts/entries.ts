import { type EntryPartState, keyOf } from '../../../core/commit/parts/entries.ts'
import { isShown } from '../forget.ts'
import type { ModelPart } from './part.ts'

export const entries: ModelPart<EntryPartState> = {
  state: (tenant) => ({
    head: (key) => {
      const rows = tenant.versions.get(key.memoryRef) ?? []
      const isHidden = rows.some((row) => row.entryId === key.entryId && !isShown(tenant, row))
      return isHidden ? undefined : tenant.heads.get(keyOf(key))
    },
  }),

  save(tenant, { versions, endings }) {
    for (const ending of endings) {
      const rows = tenant.versions.get(ending.memoryRef) ?? []
      const index = rows.findIndex((row) => row.entryId === ending.entryId && row.version === ending.version)
      const row = rows[index]
      if (row) rows[index] = { ...row, endedPosition: ending.endedPosition, endedReason: ending.endedReason }
      tenant.heads.set(keyOf(ending), ending)
    }
    for (const version of versions) {
      const rows = tenant.versions.get(version.memoryRef) ?? []
      rows.push(version)
      tenant.versions.set(version.memoryRef, rows)
      tenant.heads.set(keyOf(version), version)
    }
  },
}
