import { type AdminKind, adminKeyOf } from '../../../core/admin.ts'
import type { AdminPartState } from '../../../core/commit/parts/admin.ts'
import { saveAdmin } from '../admin.ts'
import { statement } from '../connection.ts'
import type { PostgresPart } from './part.ts'

export type AdminLoaded = { readonly revisions: Map<string, number> }

type RevisionRow = { kind: AdminKind; id: string; revision: number }

export const admin: PostgresPart<AdminLoaded, AdminPartState> = {
  none: () => ({ revisions: new Map() }),

  async load(send, tenantId, batches) {
    const changes = batches.flatMap((batch) => batch.admin)
    if (changes.length === 0) return this.none()
    const kinds = changes.map(({ kind }) => kind)
    const ids = changes.map(({ id }) => id)
    const { rows } = await send<RevisionRow>(selectRevisions, [tenantId, kinds, ids])
    return { revisions: new Map(rows.map((row) => [adminKeyOf(row), row.revision])) }
  },

  state: ({ revisions }) => ({ revision: (key) => revisions.get(adminKeyOf(key)) ?? 0 }),

  after({ revisions }, sealed) {
    for (const change of sealed.admin) revisions.set(adminKeyOf(change), change.record?.revision ?? 0)
  },

  save(send, tenantId, sealed) {
    const last = new Map(sealed.flatMap((batch) => batch.admin).map((change) => [adminKeyOf(change), change]))
    return saveAdmin(send, tenantId, [...last.values()])
  },
}

const selectRevisions = statement(
  'select_revisions',
  `select kind, id, revision
     from admin_record
    where tenant_id = $1
      and (kind, id) in (select * from unnest($2::text[], $3::text[]))`,
)
