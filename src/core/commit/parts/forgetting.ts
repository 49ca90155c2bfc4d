import type { FenceNote } from '../../audit/audit-notes.ts'
import { toTombstoneNote } from '../../audit/audit-notes.ts'
import { fenceDigest } from '../../audit/row-digests.ts'
import { toInstant } from '../../check.ts'
import {
  type Forgetting,
  type SealedFenceChange,
  type SealedForgetting,
  sealForgetting,
} from '../../forget/forgetting.ts'
import type { BatchPart, Mac } from './part.ts'
import { notesOf } from './part.ts'

export type ForgettingMembers = { readonly forgetting?: Forgetting }

export type ForgettingRows = { readonly forgetting: SealedForgetting }

/** What only a forget does: fences, tombstones, and the erasing of names. */
export const forgetting: BatchPart<ForgettingMembers, ForgettingRows> = {
  members: ['forgetting'],
  none: {},
  noRows: { forgetting: sealForgetting(undefined, 0, 0) },

  seal: (batch, _state, { position, at }) => ({ forgetting: sealForgetting(batch.forgetting, position, at) }),

  takesPosition({ forgetting: { fences, sources, auditRefs, outcomes, compactions, spellings } }) {
    return [fences, sources, auditRefs, outcomes, compactions, spellings].some(({ length }) => length > 0)
  },

  audit: ({ forgetting: { fences, sources, auditRefs, compactions } }, _batch, { mac, at }) => ({
    ...(sources.length === 0 ? {} : { erasedAt: toInstant(at) }),
    ...notesOf('compactionsErased', compactions, (id) => id),
    ...notesOf('fences', fences, (change) => toFenceNote(change, mac)),
    ...notesOf('refsErased', auditRefs, (row) => row.position),
    ...notesOf('sourcesErased', sources, ({ sourceEventId }) => sourceEventId),
    ...notesOf('tombstones', sources, toTombstoneNote),
  }),
}

function toFenceNote({ forgetId, added, isRemoved }: SealedFenceChange, mac: Mac): FenceNote {
  const lines = added.map((fence) => [fenceDigest(mac, fence), fence.toSequence, fence.position] as const)
  return { ...(lines.length === 0 ? {} : { added: lines }), id: forgetId, ...(isRemoved ? { removed: true } : {}) }
}
