import type { Counts } from '../../core/forget/receipt.ts'
import type { ForgetDraft, ForgetRequest, Selector } from '../../core/forget/selector.ts'
import { fencesOf, parseForget } from '../../core/forget/selector.ts'
import { limits } from '../../core/limits.ts'
import type { WriteOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { forgetJobKind, newFacts, toBody } from './record.ts'
import { countAll } from './run.ts'
import { Work } from './work.ts'

export type ForgetAnswer =
  | { readonly dryRun: true; readonly counts: Counts }
  | { readonly dryRun: false; readonly id: string; readonly jobId: string; readonly repeated: boolean }

/** Takes a request to forget. One commit hides everything that is meant; a job erases it. A dry run only counts. */
export async function forget(tenant: Tenant, draft: ForgetDraft, options: WriteOptions = {}): Promise<ForgetAnswer> {
  const request = parseForget(draft)
  if (request.dryRun) return { dryRun: true, counts: await dryRun(tenant, request) }
  return { dryRun: false, ...(await startForget(tenant, request, options)) }
}

async function dryRun(tenant: Tenant, { selector, cascade }: ForgetRequest): Promise<Counts> {
  const clock = await tenant.storage.clock(tenant.id)
  const fences = fencesOf(selector).map((fence) => ({ ...fence, position: clock?.position ?? 0 }))
  return countAll(new Work(tenant, { fences, cascade, record: null }))
}

/** The fence and the job that erases, in one commit: from then on nobody sees it, whatever happens to this process. */
export async function startForget(
  tenant: Tenant,
  request: Omit<ForgetRequest, 'dryRun'>,
  options: WriteOptions = {},
): Promise<{ readonly id: string; readonly jobId: string; readonly repeated: boolean }> {
  const { selector, cascade, reason } = request
  const { digest } = await tenant.context()
  const id = tenant.system.newId('fgt')
  const jobId = tenant.system.newId('job')
  const facts = newFacts({
    selector: { kind: selector.kind, mac: digest(macText(selector)) },
    cascade,
    actor: options.actor ?? tenant.engine.actor,
    jobId,
    requestedAt: tenant.now(),
  })
  const job = {
    jobId,
    kind: forgetJobKind,
    payload: { forgetId: id },
    priority: 9,
    dueAt: null,
    attemptsMax: limits.forgetAttemptsMax,
  }
  const { outcome, repeated } = await tenant.commit(
    {
      kind: 'forget.fenced',
      admin: [{ kind: 'forget', id, body: toBody(reason, facts), expects: 0 }],
      jobs: [job],
      forgetting: { fences: [{ forgetId: id, added: fencesOf(selector), isRemoved: false }] },
      // Runs that have just read what is forgotten must not store what they made of it: they begin their step again.
      changesRedaction: true,
    },
    { ...options, call: { operation: 'forget', ...selector, cascade, reason } },
  )
  tenant.engine.workers.wake()
  return { id: outcome.admin[0] ?? id, jobId: outcome.jobs[0] ?? jobId, repeated }
}

/** What the receipt names a selector by: who knows the name and asks the host can compare, nobody else. */
function macText({ kind, value }: Selector): string {
  return `forget.${kind}.${value}`
}
