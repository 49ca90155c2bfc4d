import type { Counts } from '../../core/forget/receipt.ts'
import type { ForgetDraft, ForgetRequest, MentionsMode, Selector } from '../../core/forget/selector.ts'
import { fencesOf, parseForget } from '../../core/forget/selector.ts'
import { limits } from '../../core/limits.ts'
import type { WriteOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { countMatched } from './matched.ts'
import { fencesOfMentions, findMentions, type Mentions, toMentions } from './mentions.ts'
import { findForget, forgetJobKind, newFacts, toBody } from './record.ts'
import { countAll } from './run.ts'
import { Work } from './work.ts'

type Found = {
  /** How much the request names itself: 0 for an unknown name. */
  readonly matched: number
  readonly mentions?: Mentions
}

type Started = { readonly id: string; readonly jobId: string; readonly repeated: boolean }

export type ForgetAnswer =
  | ({ readonly dryRun: true; readonly counts: Counts } & Found)
  | ({ readonly dryRun: false } & Started & Found)

/** Takes a request to forget. One commit hides everything that is meant; a job erases it. A dry run only counts. */
export async function forget(tenant: Tenant, draft: ForgetDraft, options: WriteOptions = {}): Promise<ForgetAnswer> {
  const request = parseForget(draft)
  if (request.dryRun) return { dryRun: true, ...(await dryRun(tenant, request)) }
  return { dryRun: false, ...(await startForget(tenant, request, options)) }
}

async function dryRun(tenant: Tenant, request: ForgetRequest): Promise<{ readonly counts: Counts } & Found> {
  const { selector, cascade, mentions } = request
  const position = (await tenant.storage.clock(tenant.id))?.position ?? 0
  const fences = fencesOf(selector).map((fence) => ({ ...fence, position }))
  const matched = await countMatched(tenant, selector, fences)
  const erased = mentions === 'erase' ? await findMentions(tenant, selector.value, fences) : []
  const lines = fencesOfMentions(erased).map((fence) => ({ ...fence, position }))
  const work = new Work(tenant, { fences: [...fences, ...lines], cascade, record: null })
  const counts = await countAll(work)
  if (selector.kind !== 'subject') return { counts, matched }
  // Without what would go anyway, because it was made of what is forgotten.
  const named = mentions === 'erase' ? erased : await findMentions(tenant, selector.value, work.fences)
  return { counts, matched, mentions: toMentions(named) }
}

/** The fence and the job that erases, in one commit: from then on nobody sees it, whatever happens to this process. */
export async function startForget(
  tenant: Tenant,
  request: Pick<ForgetRequest, 'selector' | 'reason' | 'cascade'> & { readonly mentions?: MentionsMode | null },
  options: WriteOptions = {},
): Promise<Started & Found> {
  const { selector, cascade, reason, mentions = null } = request
  const { digest } = await tenant.context()
  const lines = fencesOf(selector)
  const here = lines.map((fence) => ({ ...fence, position: Number.MAX_SAFE_INTEGER }))
  const matched = await countMatched(tenant, selector, here)
  const named = mentions === null ? null : await findMentions(tenant, selector.value, here)
  const erased = mentions === 'erase' && named !== null ? fencesOfMentions(named) : null
  const id = tenant.system.newId('fgt')
  const jobId = tenant.system.newId('job')
  const facts = newFacts({
    selector: { kind: selector.kind, mac: digest(macText(selector)) },
    cascade,
    matched,
    ...(erased === null ? {} : { mentions: erased.length }),
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
  const asked = mentions === null ? {} : { mentions }
  const { outcome, repeated } = await tenant.commit(
    {
      kind: 'forget.fenced',
      admin: [{ kind: 'forget', id, body: toBody(reason, facts), expects: 0 }],
      jobs: [job],
      forgetting: { fences: [{ forgetId: id, added: [...lines, ...(erased ?? [])], isRemoved: false }] },
      // Runs that have just read what is forgotten must not store what they made of it: they begin their step again.
      changesRedaction: true,
    },
    { ...options, call: { operation: 'forget', ...selector, cascade, reason, ...asked } },
  )
  tenant.engine.workers.wake()
  const started = { id: outcome.admin[0] ?? id, jobId: outcome.jobs[0] ?? jobId, repeated }
  if (!repeated) return { ...started, matched, ...(named === null ? {} : { mentions: toMentions(named) }) }
  // What the first call found: by now it is hidden, and a second count would find nothing.
  const first = (await findForget(tenant, started.id))?.facts
  const listed = first?.mentions === undefined ? toMentions(named ?? []) : { count: first.mentions, entries: [] }
  return { ...started, matched: first?.matched ?? matched, ...(named === null ? {} : { mentions: listed }) }
}

/** What the receipt names a selector by: who knows the name and asks the host can compare, nobody else. */
function macText({ kind, value }: Selector): string {
  return `forget.${kind}.${value}`
}
