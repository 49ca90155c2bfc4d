import type { AdminBody, AdminRecord } from '../../core/admin.ts'
import { toInstant } from '../../core/check.ts'
import { ColophonError } from '../../core/errors.ts'
import { verifyReceipt } from '../../core/forget/receipt.ts'
import { type ErasedCounts, type Receipt, zeroCounts } from '../../core/forget/receipt-body.ts'
import { type ReceiptEnvelope, sealReceipt } from '../../core/forget/receipt-envelope.ts'
import { type ForgetSelector, type ForgetSelectorKind, foldSelector } from '../../core/forget/selector.ts'
import { refOf } from '../provenance/find-memories.ts'
import { readablePage } from '../provenance/readable-claims.ts'
import type { Tenant } from '../tenant.ts'

export const forgetJobKind = 'colophon.forget'

/** The phases of a forget, in order. Each can be interrupted and repeated. */
const phases = ['runs', 'keys', 'claims', 'entries', 'sources', 'names', 'check', 'files', 'done'] as const
export type ForgetPhase = (typeof phases)[number]

/** The progress of a forget. It names the selector by a keyed digest. The name itself is only in the fence, and is deleted with it. */
export type ForgetFacts = {
  readonly selector: { readonly kind: ForgetSelectorKind; readonly mac: string }
  readonly cascade: boolean
  /** How many rows the selector matched before anything was erased. Missing in records of earlier program versions. */
  readonly matched?: number
  /** Other entries that mention the subject and are erased too. */
  readonly mentions?: number
  readonly actor: string
  readonly jobId: string
  readonly requestedAt: number
  readonly phase: ForgetPhase
  readonly counts: ErasedCounts
  readonly fencedPosition: number | null
  readonly erasedPosition: number | null
  /** How often the check found leftover rows and all phases ran again. */
  readonly rounds: number
  readonly left: Readonly<Record<string, number>> | null
  readonly receipt: Receipt | null
}

export function newFacts(
  parts: Pick<ForgetFacts, 'selector' | 'cascade' | 'matched' | 'mentions' | 'actor' | 'jobId' | 'requestedAt'>,
): ForgetFacts {
  return {
    ...parts,
    phase: 'runs',
    counts: zeroCounts,
    fencedPosition: null,
    erasedPosition: null,
    rounds: 0,
    left: null,
    receipt: null,
  }
}

export type ForgetRecord = {
  readonly id: string
  readonly revision: number
  readonly reason: string
  readonly facts: ForgetFacts
}

export function toBody(reason: string, facts: ForgetFacts): AdminBody {
  return { text: { reason }, facts, sealed: {} }
}

function toRecord({ id, revision, body }: AdminRecord): ForgetRecord {
  return { id, revision, reason: String(body.text.reason ?? ''), facts: body.facts as ForgetFacts }
}

export async function findForget(tenant: Tenant, id: string): Promise<ForgetRecord | null> {
  const record = id.length > 128 ? null : await tenant.storage.record(tenant.id, 'forget', id)
  return record && toRecord(record)
}

/** A forget as the API returns it. */
export type ForgetView = {
  readonly id: string
  readonly status: 'erasing' | 'completed' | 'failed'
  readonly phase: ForgetPhase
  readonly selector: { readonly kind: ForgetSelectorKind; readonly mac: string }
  readonly reason: string
  readonly cascade: boolean
  readonly matched: number
  readonly mentions?: number
  /** Who requested it: `key:<id>`, or the name of a process. */
  readonly actor: string
  readonly requestedAt: string
  readonly jobId: string
  readonly counts: ErasedCounts
  readonly receipt?: Receipt
}

async function toView(tenant: Tenant, { id, reason, facts }: ForgetRecord): Promise<ForgetView> {
  const { selector, cascade, actor, requestedAt, jobId, counts, phase, receipt, matched, mentions } = facts
  const job = receipt === null ? await tenant.storage.jobs.get(tenant.id, jobId) : null
  const hasFailed = job?.status === 'dead' || job?.status === 'cancelled'
  const status = receipt !== null ? 'completed' : hasFailed ? 'failed' : 'erasing'
  const view = {
    id,
    status,
    phase,
    selector,
    reason,
    cascade,
    matched: matched ?? counts.entries,
    ...(mentions === undefined ? {} : { mentions }),
    actor,
    requestedAt: toInstant(requestedAt),
    jobId,
    counts,
  } as const
  return receipt === null ? view : { ...view, receipt }
}

/** Reads a forget; an unknown id is refused with `not_found`. */
export async function getForget(tenant: Tenant, id: string): Promise<ForgetView> {
  const record = await findForget(tenant, id)
  if (record === null) throw new ColophonError('not_found', 'There is no forget request with this id.')
  return toView(tenant, record)
}

/**
 * The receipt of a completed forget as an in-toto Statement in a DSSE envelope. The stored receipt is verified before: this host signs
 * nothing that it has not signed before.
 */
export async function getReceiptEnvelope(tenant: Tenant, id: string): Promise<ReceiptEnvelope> {
  const { receipt } = await getForget(tenant, id)
  if (receipt === undefined)
    throw new ColophonError('job_state', 'The erasure is not completed, so it has no receipt yet.')
  const { signer } = tenant.host
  if (signer === null) throw new ColophonError('signing_key_missing', 'This process has no signing key.')
  const { ok, problem } = verifyReceipt(receipt, signer.publicKey)
  if (!ok) throw new ColophonError('receipt_unverified', problem ?? 'The stored receipt is not valid.')
  return sealReceipt(receipt, signer)
}

/** The text whose keyed digest identifies a selector in receipts. Only the host, which has the key, can compare a name with it. */
export function macText(selector: ForgetSelector): string {
  const { kind, value } = foldSelector(selector)
  return `forget.${kind}.${value}`
}

type ForgetsQuery = {
  readonly after: string | null
  readonly limit: number
  /** Only those of everything about this subject. */
  readonly subject?: string | undefined
}

/** Lists forgets ordered by id, oldest first. */
export async function listForgets(tenant: Tenant, { subject, ...range }: ForgetsQuery): Promise<readonly ForgetView[]> {
  const read = (page: { readonly after: string | null; readonly limit: number }) =>
    tenant.storage.records({ tenantId: tenant.id, kind: 'forget', ...page })
  const view = async (record: AdminRecord) => toView(tenant, toRecord(record))
  if (subject === undefined) return Promise.all((await read(range)).map(view))
  const macs = await macsOfSubject(tenant, subject)
  const isWanted = (record: AdminRecord) => macs.has(toRecord(record).facts.selector.mac)
  return readablePage(
    range,
    read,
    ({ id }) => id,
    async (record) => (isWanted(record) ? view(record) : null),
  )
}

/** A subject is forgotten by its name, or by the ref of its memories. Records of earlier versions have the digest of the name as it was given. */
async function macsOfSubject(tenant: Tenant, subject: string): Promise<ReadonlySet<string>> {
  const { digest } = await tenant.context()
  const selectors = [
    { kind: 'subject', value: subject },
    { kind: 'memoryRef', value: refOf(subject) },
  ] as const
  const given = selectors.map(({ kind, value }) => `forget.${kind}.${value}`)
  return new Set([...selectors.map(macText), ...given].map((text) => digest(text)))
}
