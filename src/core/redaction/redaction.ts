import type { AdminBody, AdminChange, AdminKind } from '../admin.ts'
import type { Batch, NewEntry } from '../commit/batch.ts'
import type { Origin } from '../entries/entry.ts'
import { checkContentSize } from '../entries/entry.ts'
import { isHostTag } from '../entries/tags.ts'
import { ColophonError } from '../errors.ts'
import { isHostJob, isHostPayload, isResultName } from '../jobs/host-job.ts'
import type { JobFailure } from '../jobs/job.ts'
import type { Schedule } from '../jobs/schedule.ts'
import { limits } from '../limits.ts'
import { refuseSecretsInImport } from '../portable/refuse-secrets.ts'
import type { SourceWords } from '../provenance/source-event.ts'
import { redactRunText } from '../run/redact-text.ts'
import type { NewRunEvent, RunText } from '../run/run.ts'
import { cleanTrace } from '../trace.ts'
import { redactWorkflow } from '../workflow/redact-workflow.ts'
import { mapStrings } from './map-strings.ts'
import { type CleanValues, type Redaction, redactStructure } from './redact-structure.ts'
import { originalScanner, refuseSecrets, type Scanner } from './scanner.ts'

declare const redacted: unique symbol

/** Text that went through the redactor. Only this file makes one, and only this may be stored. */
export type Redacted<T> = T & { readonly [redacted]: true }

export type RedactionHit = { readonly rule: string; readonly field: string; readonly count: number }

/** What a secret in a text does: it is replaced by a marker, or the whole write is refused. */
export type RedactionPolicy = 'rewrite' | 'reject'

/**
 * The one door to storage. Free text is rewritten; identifiers are refused when they hold a secret, because a
 * rewritten identifier would silently name something else.
 */
export function redactBatch(
  batch: Omit<Batch, 'redactions'>,
  scan: Scanner,
  policy: RedactionPolicy = 'rewrite',
  scanNames: Scanner = scan,
): Redacted<Batch> {
  const hits = new Map<string, RedactionHit>()
  const inField = (field: string): Redaction => ({
    scan,
    onHit: (rule) => {
      const key = `${rule} ${field}`
      // In alphabetical order: hits become part of the audit's canonical record.
      hits.set(key, { count: (hits.get(key)?.count ?? 0) + 1, field, rule })
    },
  })
  const rewrite = (field: string) => {
    const { onHit } = inField(field)
    return (text: string) => scan(text, onHit)
  }
  const structure = <T>(field: string, value: T): T => redactStructure(value, inField(field)) as T
  const content = rewrite('content')
  const tag = rewrite('tags')
  const reason = rewrite('reason')
  // Two tags that held different secrets may read the same afterwards, and a tag is in the set once.
  const text = <T extends { content: string; tags: readonly string[] }>(entry: T): T => ({
    ...entry,
    content: content(entry.content),
    // The host's own tags say where an entry comes from, whatever happens to be a secret.
    tags: [...new Set(entry.tags.map((name) => (isHostTag(name) ? name : fitTag(tag(name)))))],
  })
  const fresh = <T extends { content: string; tags: readonly string[] }>(entry: T): T => {
    const clean = text(entry)
    // A marker may be longer than the secret it stands for.
    if (clean.content.length > entry.content.length) checkContentSize(clean.content)
    return clean
  }
  const told = <T extends SourceWords>(event: T): T => redactSource(event, inField)
  const adminText = ({ kind, expects }: AdminChange, { text: said }: AdminBody): AdminBody['text'] => {
    if (kind !== 'workflow-version') return structure(kind, said)
    // Only what is registered now can be refused; a document that is there already must stay possible to clean.
    const name =
      expects === 0 ? (field: string, value: string) => refuseSecrets({ [field]: value }, scanNames) : () => {}
    return redactWorkflow(said, { ...inField(kind), name })
  }
  const redactEvent = <T extends NewRunEvent>(event: T): T => ({
    ...event,
    text: redactEventText(event.text ?? {}, inField('event')),
  })
  const clean = {
    ...batch,
    puts: batch.puts.map((put) => (put.isDerived ? unchanged(put, fresh(put)) : fresh(put))),
    revisions: batch.revisions.map(fresh),
    rewrites: batch.rewrites.map(text),
    jobs: batch.jobs.map(({ trace = null, ...job }) => ({
      ...job,
      ...(isHostPayload(job.kind, job.payload) ? {} : { payload: structure('payload', job.payload) }),
      trace: cleanTrace(trace, scanNames),
    })),
    admin: batch.admin.map((change) => ({
      ...change,
      body: change.body && { ...change.body, text: adminText(change, change.body) },
    })),
    runs: batch.runs.map((step) => ({
      ...step,
      run: { ...step.run, text: redactRunText(step.run.text, { ...inField('run'), clean: cleanUnder(scan) }) },
      events: step.events.map(redactEvent),
      ...(step.rewritten ? { rewritten: step.rewritten.map(redactEvent) } : {}),
    })),
    sourceEvents: batch.sourceEvents.map(told),
    sourceRewrites: batch.sourceRewrites.map(told),
    claims: batch.claims.map((step) => ({
      ...step,
      claim: { ...step.claim, pin: step.claim.pin && { ...step.claim.pin, reason: reason(step.claim.pin.reason) } },
      assertions: step.assertions.map((assertion) => ({ ...assertion, content: content(assertion.content) })),
      ...(step.restated
        ? { restated: step.restated.map((item) => ({ ...item, content: content(item.content) })) }
        : {}),
    })),
    ...(batch.imported === undefined
      ? {}
      : {
          imported: {
            ...batch.imported,
            versions: batch.imported.versions.map(fresh),
            sourceEvents: batch.imported.sourceEvents.map(told),
            claims: batch.imported.claims.map(({ claim, assertions }) => ({
              claim: { ...claim, pin: claim.pin && { ...claim.pin, reason: reason(claim.pin.reason) } },
              assertions: assertions.map((assertion) => ({ ...assertion, content: content(assertion.content) })),
            })),
          },
        }),
    finish: batch.finish && { ...batch.finish, result: redactResult(batch.finish.result, inField('result')) },
  }
  refuseSecretIdentifiers(batch, scan, scanNames)
  refuseSecretsInImport(batch, scan, scanNames)
  if (policy === 'reject') refuseHits([...hits.values()])
  return { ...clean, redactions: [...hits.values()] } as unknown as Redacted<Batch>
}

/** The members of messages are the host's, and so are the numbers among them. */
function redactSource<T extends SourceWords>(event: T, inField: (field: string) => Redaction): T {
  const { scan, onHit } = inField('messages')
  let { isHashPrivate } = event
  const rewrite = (text: string) =>
    scan(text, (rule) => {
      isHashPrivate = true
      onHit(rule)
    })
  const messages = mapStrings(event.messages, rewrite) as T['messages']
  return {
    ...event,
    isHashPrivate,
    messages,
    scope: redactStructure(event.scope, inField('scope')) as T['scope'],
    evidence: redactStructure(event.evidence, inField('evidence')) as T['evidence'],
    metadata: redactStructure(event.metadata, inField('metadata')) as T['metadata'],
  }
}

/** The names of an event's members are the protocol's. */
function redactEventText(
  text: NonNullable<NewRunEvent['text']>,
  redaction: Redaction,
): NonNullable<NewRunEvent['text']> {
  return Object.fromEntries(Object.entries(text).map(([name, value]) => [name, redactStructure(value, redaction)]))
}

/** Derived text was cleaned before it came here. If it is not clean by now, it has to be made again. */
function unchanged(before: NewEntry, after: NewEntry): NewEntry {
  if (before.content === after.content) return after
  throw new ColophonError('compaction_redaction_failed', 'The text made from several entries holds a secret.')
}

function redactResult(result: unknown, redaction: Redaction): unknown {
  if (result === null || typeof result !== 'object' || Array.isArray(result)) return redactStructure(result, redaction)
  const all = Object.entries(result)
  const hosts = all
    .filter(([name]) => isResultName(name))
    .map(([name, value]) => [name, redactStructure(value, redaction)])
  const others = Object.fromEntries(all.filter(([name]) => !isResultName(name)))
  return { ...Object.fromEntries(hosts), ...(redactStructure(others, redaction) as object) }
}

/** A tag that grew too long is not cut, which could leave half a marker; it only says that something was there. */
function fitTag(tag: string): string {
  return tag.length > limits.tagCharactersMax ? '[REDACTED:tag]' : tag
}

/** Another system's marker is only respelled; there is no secret in it to refuse. */
function refuseHits(hits: readonly RedactionHit[]): void {
  const leak = hits.find(({ rule }) => rule !== 'foreign-marker')
  if (!leak) return
  const { field, rule } = leak
  throw new ColophonError('secret_leakage', `${field} holds a secret, and this tenant refuses those.`, {
    details: { field, rule },
  })
}

function refuseSecretIdentifiers(batch: Omit<Batch, 'redactions'>, scan: Scanner, scanNames: Scanner): void {
  // Ids that the host made itself hold no secret, and a rule that happens to fit them must not lock a tenant out.
  const actor = batch.actor.startsWith('key:') ? undefined : batch.actor
  // The key's first part is the operation, a name of the host's own.
  const idempotencyKey = batch.idempotency?.key.replace(/^[^:]*:/, '')
  refuseSecrets({ actor, idempotencyKey }, scanNames)
  for (const { kind } of batch.jobs) if (!isHostJob(kind)) refuseSecrets({ kind }, scanNames)
  for (const { kind, id } of batch.admin) if (kind !== 'key') refuseSecrets({ id }, scanNames)
  for (const { claimsScope, calls, run } of batch.runs) {
    refuseSecrets({ scopeId: claimsScope ?? run.facts.scopeId }, scanNames)
    for (const { memoryRef } of calls) refuseSecrets({ memoryRef }, scan)
  }
  for (const { subject, service, eventId, agentId, messages } of batch.sourceEvents) {
    refuseSecrets({ subject, service, eventId, agentId }, scan)
    for (const { claimKey } of messages ?? []) refuseSecrets({ claimKey }, scan)
  }
  for (const { claim, expects } of batch.claims) {
    // What a claim is about was checked when it came in; it must stay possible to change it.
    if (expects === 0) refuseSecrets({ claimKey: claim.claimKey, subject: claim.subject }, scan)
  }
  let last: { memoryRef: string; origin: Origin } | undefined
  for (const { memoryRef, subject, origin } of batch.puts) {
    // What the host itself notes of a run stands under names that were looked at when they came in.
    if (origin.kind === 'session') continue
    // The entries of a batch mostly share their ref and origin, and one look at them is enough.
    if (memoryRef !== last?.memoryRef) refuseSecrets({ memoryRef }, scan)
    if (origin !== last?.origin) refuseSecrets({ ...origin }, scan)
    if (subject !== null) refuseSecrets({ subject }, scan)
    last = { memoryRef, origin }
  }
}

type OnHit = (rule: string) => void
const ignoreHit: OnHit = () => {}

/** For values that are stored outside a batch: a job's error and progress. */
export function redactValue<T>(value: T, scan: Scanner, onHit: OnHit = ignoreHit): Redacted<T> {
  return redactStructure(value, { scan, onHit }) as Redacted<T>
}

/** Why a job failed. The names of its members are the host's, and so is a code of its own. */
export function redactFailure(failure: JobFailure, scan: Scanner, isHostCode: boolean): Redacted<JobFailure> {
  const code = isHostCode ? failure.code : redactValue(failure.code, scan)
  return { code, message: redactValue(failure.message, scan) } as unknown as Redacted<JobFailure>
}

/** A schedule names its job by identifiers; only the payload is free text. */
export function redactSchedule(schedule: Schedule, scan: Scanner): Redacted<Schedule> {
  refuseSecrets({ scheduleId: schedule.scheduleId, kind: schedule.kind, cron: schedule.cron }, scan)
  return { ...schedule, payload: redactValue(schedule.payload, scan) } as Redacted<Schedule>
}

/** What a scanner has gone over already, by name. A run is stored step by step, and most of its text stays as it was. */
const cleanValues = new WeakMap<object, { readonly scan: Scanner; readonly name: string | null }>()

function cleanUnder(scanner: Scanner): CleanValues {
  const scan = originalScanner(scanner)
  return {
    has: (value, name) => {
      const known = cleanValues.get(value)
      return known?.scan === scan && known.name === name
    },
    add: (value, name) => cleanValues.set(value, { scan, name }),
  }
}

/** What an administered record says, as it may be stored now. */
export function redactStoredRecord(
  kind: AdminKind,
  text: AdminBody['text'],
  scan: Scanner,
  onHit: OnHit,
): Redacted<AdminBody['text']> {
  if (kind !== 'workflow-version') return redactValue(text, scan, onHit)
  return redactWorkflow(text, { scan, onHit, name: () => {} }) as Redacted<AdminBody['text']>
}

/** A schedule's instants and identifiers are the host's; its payload is what came from outside. */
export function redactStoredSchedule<T extends Pick<Schedule, 'payload'>>(
  schedule: T,
  scan: Scanner,
  onHit: OnHit,
): Redacted<T> {
  return { ...schedule, payload: redactValue(schedule.payload, scan, onHit) } as Redacted<T>
}

/** What a service sent, as it may be stored now. */
export function redactStoredSource(source: SourceWords, scan: Scanner, onHit: OnHit): SourceWords {
  return redactSource(source, () => ({ scan, onHit }))
}

/** What an event of a run says, as it may be stored now. */
export function redactStoredEvent(
  text: NonNullable<NewRunEvent['text']>,
  scan: Scanner,
  onHit: OnHit = ignoreHit,
): NonNullable<NewRunEvent['text']> {
  return redactEventText(text, { scan, onHit })
}

/** A run's text as it may be stored now: for text that was stored before today's secrets were known. */
export function redactStoredRun(text: RunText, scan: Scanner, onHit: OnHit = ignoreHit): RunText {
  return redactRunText(text, { scan, onHit })
}
