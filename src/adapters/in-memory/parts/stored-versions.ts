import { keyOf } from '../../../core/commit/parts/entries.ts'
import type {
  SealedErasure,
  SealedRewrite,
  StoredVersionPartState,
} from '../../../core/commit/parts/stored-versions.ts'
import type { EntryVersion } from '../../../core/entries/entry.ts'
import type { TenantState } from '../tenant-state.ts'
import { vectorKey } from '../vectors.ts'
import type { ModelPart } from './part.ts'

export const storedVersions: ModelPart<StoredVersionPartState> = {
  state: (tenant) => ({
    version: ({ memoryRef, entryId, version }) =>
      tenant.versions.get(memoryRef)?.find((row) => row.entryId === entryId && row.version === version),
  }),

  clear(tenant, { erasures }) {
    for (const erasure of erasures) eraseVersion(tenant, erasure)
  },

  save(tenant, { rewrites }) {
    for (const rewrite of rewrites) rewriteVersion(tenant, rewrite)
  },
}

/** Deletes a version with everything that is kept for it. Rows of another kind that are kept per version are deleted here too. */
function eraseVersion(tenant: TenantState, { memoryRef, entryId, version }: SealedErasure): void {
  tenant.vectors.delete(vectorKey({ entryId, version }))
  const rows = tenant.versions.get(memoryRef) ?? []
  const kept = rows.filter((row) => row.entryId !== entryId || row.version !== version)
  if (kept.length === 0) tenant.versions.delete(memoryRef)
  else tenant.versions.set(memoryRef, kept)
  const head = kept.filter((row) => row.entryId === entryId).sort((a, b) => b.version - a.version)[0]
  if (head) tenant.heads.set(keyOf(head), head)
  else tenant.heads.delete(keyOf({ memoryRef, entryId }))
}

function forgetVector(tenant: TenantState, version: EntryVersion): void {
  tenant.vectors.delete(vectorKey(version))
  for (const [space, position] of tenant.vectorProgress)
    tenant.vectorProgress.set(space, Math.min(position, version.recordedPosition - 1))
}

function rewriteVersion(tenant: TenantState, { oldTags: _old, keepsText, ...rewritten }: SealedRewrite): void {
  const rows = tenant.versions.get(rewritten.memoryRef) ?? []
  const index = rows.findIndex((row) => row.entryId === rewritten.entryId && row.version === rewritten.version)
  rows[index] = rewritten
  if (!keepsText) forgetVector(tenant, rewritten)
  const head = tenant.heads.get(keyOf(rewritten))
  if (head?.version === rewritten.version) tenant.heads.set(keyOf(rewritten), rewritten)
}
