import type { AdminBody, AdminChange, AdminKind, SealedAdmin } from '../../admin.ts'
import type { AdminNote } from '../../audit/audit-notes.ts'
import { adminDigest } from '../../audit/row-digests.ts'
import { ColophonError } from '../../errors.ts'
import { refuseSecrets } from '../../redaction/scanner.ts'
import { redactWorkflow } from '../../workflow/redact-workflow.ts'
import type { BatchPart, BatchRedaction, Mac } from './part.ts'
import { notesOf } from './part.ts'

export type AdminMembers = { readonly admin: readonly AdminChange[] }

export type AdminRows = { readonly admin: readonly SealedAdmin[] }

export type AdminPartState = {
  /** The revision of an administered record; 0 when there is none. */
  readonly revision: (key: { kind: AdminKind; id: string }) => number
}

const hostMadeIds: ReadonlySet<AdminKind> = new Set<AdminKind>(['key', 'session', 'log-key'])

/** Administered records: keys, secrets, rules, settings, workflows, writers. */
export const admin: BatchPart<AdminMembers, AdminRows, AdminPartState> = {
  members: ['admin'],
  none: { admin: [] },
  noRows: { admin: [] },

  redact: (batch, redaction) => ({
    admin: batch.admin.map((change) => ({
      ...change,
      body: change.body && { ...change.body, text: redactText(change, change.body, redaction) },
    })),
  }),

  refuseSecrets(batch, { scanNames }) {
    // Ids that the host made itself contain no secret, and a rule that happens to match them must not lock a tenant out.
    for (const { kind, id } of batch.admin) if (!hostMadeIds.has(kind)) refuseSecrets({ id }, scanNames)
  },

  seal: (batch, { revision: revisionOf }, { at }) => ({
    admin: batch.admin.flatMap(({ kind, id, body, expects }): SealedAdmin[] => {
      const current = revisionOf({ kind, id })
      if (expects !== null && expects !== current) {
        throw new ColophonError('version_conflict', 'Another writer changed it first.', {
          details: { expected: expects, actual: current },
        })
      }
      if (body === null) return current === 0 ? [] : [{ kind, id, record: null, revision: current }]
      const revision = current + 1
      return [{ kind, id, record: { kind, id, revision, body, updatedAt: at }, revision }]
    }),
  }),

  takesPosition: (rows) => rows.admin.length > 0,

  audit: (rows, _batch, { mac }) => notesOf('admin', rows.admin, (change) => toAdminNote(change, mac)),
}

function redactText(
  { kind, expects }: AdminChange,
  { text }: AdminBody,
  { structure, inField, scanNames }: BatchRedaction,
): AdminBody['text'] {
  if (kind !== 'workflow-version') return structure(kind, text)
  // Only a document that is registered now can be refused; a stored one must stay possible to clean.
  const name = expects === 0 ? (field: string, value: string) => refuseSecrets({ [field]: value }, scanNames) : () => {}
  return redactWorkflow(text, { ...inField(kind), name })
}

function toAdminNote({ id, kind, record, revision }: SealedAdmin, mac: Mac): AdminNote {
  if (record === null) return { change: 'removed', id, kind, revision }
  return { change: revision === 1 ? 'created' : 'changed', digest: adminDigest(mac, record), id, kind, revision }
}
