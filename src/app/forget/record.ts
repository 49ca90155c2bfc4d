import type { AdminBody, AdminRecord } from '../../core/admin.ts'
import { toInstant } from '../../core/check.ts'
import { ColophonError } from '../../core/errors.ts'
import { type Counts, noCounts, type Receipt } from '../../core/forget/receipt.ts'
import type { SelectorKind } from '../../core/forget/selector.ts'
import type { Tenant } from '../tenant.ts'

export const forgetJobKind = 'colophon.forget'

/** The steps of a forget, in order. Each can be cut off and begun again. */
const phases = ['runs', 'keys', 'claims', 'entries', 'sources', 'names', 'check', 'files', 'done'] as const
export type Phase = (typeof phases)[number]

/** Where a forget stands. It names what is forgotten by keyed digest; the name itself is in the fence, and goes with it. */
export type ForgetFacts = {
  readonly selector: { readonly kind: SelectorKind; readonly mac: string }
  readonly cascade: boolean
  /** What the request named, before anything was erased. Not in records of earlier versions. */
  readonly matched?: number
  /** Other entries that named the subject and go with it. */
  readonly mentions?: number
  readonly actor: string
  readonly jobId: string
  readonly requestedAt: number
  readonly phase: Phase
  readonly counts: Counts
  readonly fencedPosition: number | null
  readonly erasedPosition: number | null
  /** How often the check found something left and everything was gone over again. */
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
    counts: noCounts,
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

/** A forget as it is shown. */
export type ForgetView = {
  readonly id: string
  readonly status: 'erasing' | 'completed' | 'failed'
  readonly phase: Phase
  readonly selector: { readonly kind: SelectorKind; readonly mac: string }
  readonly reason: string
  readonly cascade: boolean
  readonly matched: number
  readonly mentions?: number
  readonly requestedAt: string
  readonly jobId: string
  readonly counts: Counts
  readonly receipt?: Receipt
}

async function toView(tenant: Tenant, { id, reason, facts }: ForgetRecord): Promise<ForgetView> {
  const { selector, cascade, requestedAt, jobId, counts, phase, receipt, matched, mentions } = facts
  const job = receipt === null ? await tenant.storage.jobs.get(tenant.id, jobId) : null
  const hasFailed = job?.status === 'dead' || job?.status === 'cancelled'
  const status = receipt !== null ? 'completed' : hasFailed ? 'failed' : 'erasing'
  const told = {
    id,
    status,
    phase,
    selector,
    reason,
    cascade,
    matched: matched ?? counts.entries,
    ...(mentions === undefined ? {} : { mentions }),
    requestedAt: toInstant(requestedAt),
    jobId,
    counts,
  } as const
  return receipt === null ? told : { ...told, receipt }
}

export async function getForget(tenant: Tenant, id: string): Promise<ForgetView> {
  const record = await findForget(tenant, id)
  if (record === null) throw new ColophonError('not_found', 'There is no such forget.')
  return toView(tenant, record)
}

/** In order of id, the oldest first. */
export async function listForgets(
  tenant: Tenant,
  query: { readonly after: string | null; readonly limit: number },
): Promise<readonly ForgetView[]> {
  const records = await tenant.storage.records({ tenantId: tenant.id, kind: 'forget', ...query })
  return Promise.all(records.map((record) => toView(tenant, toRecord(record))))
}
