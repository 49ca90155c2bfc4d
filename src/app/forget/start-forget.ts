import type { ErasedCounts } from '../../core/forget/receipt-body.ts'
import type { ForgetDraft, ForgetRequest, ForgetSelector, MentionsMode } from '../../core/forget/selector.ts'
import { fencesOf, parseForget } from '../../core/forget/selector.ts'
import { limits } from '../../core/limits.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import type { WriteOptions } from '../commit.ts'
import { spelledRefs, spellingsOf } from '../people/stored-spellings.ts'
import type { Tenant } from '../tenant.ts'
import { countMatched } from './count-matched.ts'
import { countAll } from './forget-job.ts'
import { ForgetProcess } from './forget-process.ts'
import { findForget, forgetJobKind, macText, newFacts, toBody } from './forget-record.ts'
import { fencesOfMentions, findMentions, type Mentions, toMentions } from './mentions.ts'

type Found = {
  /** How many rows the selector matches: 0 for an unknown name. */
  readonly matched: number
  readonly mentions?: Mentions
  /** Of a dry run: the spellings in which the person is stored, if there is more than one. All of them are forgotten. */
  readonly spellings?: readonly string[]
}

type Started = { readonly id: string; readonly jobId: string; readonly repeated: boolean }

export type ForgetResult =
  | ({ readonly dryRun: true; readonly counts: ErasedCounts } & Found)
  | ({ readonly dryRun: false } & Started & Found)

/** Starts a forget. One commit hides everything that the selector matches; a job erases it. A dry run only counts. */
export async function forget(tenant: Tenant, draft: ForgetDraft, options: WriteOptions = {}): Promise<ForgetResult> {
  const request = parseForget(draft)
  if (request.dryRun) return { dryRun: true, ...(await dryRun(tenant, request)) }
  return withMemorySpan('delete_memory', async (note) => {
    const started = await startForget(tenant, request, options)
    note({ recordCount: started.matched })
    return { dryRun: false, ...started }
  })
}

async function dryRun(tenant: Tenant, request: ForgetRequest): Promise<{ readonly counts: ErasedCounts } & Found> {
  const { selector, cascade, mentions } = request
  const position = (await tenant.storage.clock(tenant.id))?.position ?? 0
  const spellings = await spellingsOfSelector(tenant, selector)
  const fences = spellings.flatMap(fencesOf).map((fence) => ({ ...fence, position }))
  const matched = await countMatched(tenant, selector, fences)
  const erased = mentions === 'erase' ? await findMentions(tenant, selector.value, fences) : []
  const mentioned = fencesOfMentions(erased).map((fence) => ({ ...fence, position }))
  const erasure = new ForgetProcess(tenant, { fences: [...fences, ...mentioned], cascade, record: null })
  const counts = await countAll(erasure)
  const stored = spellings.length > 1 ? { spellings: spellings.map(({ value }) => value) } : {}
  if (selector.kind !== 'subject') return { counts, matched, ...stored }
  // Without the entries that the dry run fenced because they are derived from forgotten ones.
  const named = mentions === 'erase' ? erased : await findMentions(tenant, selector.value, erasure.fences)
  return { counts, matched, mentions: toMentions(named), ...stored }
}

/** The selector in every spelling that is stored, and as it was given: an id of a person is compared in NFC. */
async function spellingsOfSelector(tenant: Tenant, selector: ForgetSelector): Promise<readonly ForgetSelector[]> {
  const { kind, value } = selector
  if (kind !== 'subject' && kind !== 'memoryRef') return [selector]
  const stored =
    kind === 'subject'
      ? await spellingsOf(tenant.storage, tenant.id, value)
      : await spelledRefs(tenant.storage, tenant.id, value)
  return stored.map((spelling) => ({ kind, value: spelling }))
}

/** Stores the fence and the job that erases, in one commit. From then on no read returns the data, even if this process crashes. */
export async function startForget(
  tenant: Tenant,
  request: Pick<ForgetRequest, 'selector' | 'reason' | 'cascade'> & { readonly mentions?: MentionsMode | null },
  options: WriteOptions = {},
): Promise<Started & Found> {
  const { selector, cascade, reason, mentions = null } = request
  const { digest } = await tenant.context()
  const fences = (await spellingsOfSelector(tenant, selector)).flatMap(fencesOf)
  const current = fences.map((fence) => ({ ...fence, position: Number.MAX_SAFE_INTEGER }))
  const matched = await countMatched(tenant, selector, current)
  const named = mentions === null ? null : await findMentions(tenant, selector.value, current)
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
  const requested = mentions === null ? {} : { mentions }
  const { outcome, repeated } = await tenant.commit(
    {
      kind: 'forget.fenced',
      admin: [{ kind: 'forget', id, body: toBody(reason, facts), expects: 0 }],
      jobs: [job],
      forgetting: { fences: [{ forgetId: id, added: [...fences, ...(erased ?? [])], isRemoved: false }] },
      // Runs that have just read forgotten data must not store what they derived from it: their step is refused and begins again.
      changesRedaction: true,
    },
    { ...options, call: { operation: 'forget', ...selector, cascade, reason, ...requested } },
  )
  tenant.engine.workers.wake()
  const started = { id: outcome.admin[0] ?? id, jobId: outcome.jobs[0] ?? jobId, repeated }
  if (!repeated) return { ...started, matched, ...(named === null ? {} : { mentions: toMentions(named) }) }
  // The counts of the first call: the rows are hidden now, and a second count would find nothing.
  const first = (await findForget(tenant, started.id))?.facts
  const listed = first?.mentions === undefined ? toMentions(named ?? []) : { count: first.mentions, entries: [] }
  return { ...started, matched: first?.matched ?? matched, ...(named === null ? {} : { mentions: listed }) }
}
