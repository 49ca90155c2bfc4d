import type { AdminBody, AdminKind } from '../admin.ts'
import type { Batch } from '../commit/batch.ts'
import { type AnyPart, inOrder, partsOf, partsToRedact, partsToRefuse } from '../commit/parts/index.ts'
import type { BatchRedaction, Scanners } from '../commit/parts/part.ts'
import { redactEventText } from '../commit/parts/runs.ts'
import { redactSource } from '../commit/parts/source-events.ts'
import { ColophonError } from '../errors.ts'
import type { JobFailure } from '../jobs/job.ts'
import type { Schedule } from '../jobs/schedule.ts'
import type { SourceEventTexts } from '../provenance/source-event.ts'
import { redactRunText } from '../run/redact-run-text.ts'
import type { NewRunEvent, RunText } from '../run/run.ts'
import { redactWorkflow } from '../workflow/redact-workflow.ts'
import { type RedactionContext, redactJson } from './redact-json.ts'
import { refuseSecrets, type Scanner } from './scanner.ts'

declare const redacted: unique symbol

/** Text that went through the redactor. Only this file makes one, and only this may be stored. */
export type Redacted<T> = T & { readonly [redacted]: true }

export type RedactionHit = { readonly rule: string; readonly field: string; readonly count: number }

/** What a secret in a text does: it is replaced by a marker, or the whole write is refused. */
export type RedactionPolicy = 'rewrite' | 'reject'

/**
 * The redaction chokepoint: every batch goes through it on its way to storage. Free text is rewritten; identifiers are refused
 * when they contain a secret, because a rewritten identifier would silently name something else. Each part says which
 * of its members are which.
 */
export function redactBatch(
  batch: Omit<Batch, 'redactions'>,
  scan: Scanner,
  policy: RedactionPolicy = 'rewrite',
  scanNames: Scanner = scan,
): Redacted<Batch> {
  const hits = new Map<string, RedactionHit>()
  const redaction = redactionInto(hits, { scan, scanNames })
  const clean = { ...batch, redactions: [] as RedactionHit[] }
  const present = partsOf(batch)
  for (const part of inOrder(present, partsToRedact)) Object.assign(clean, part.redact?.(batch, redaction))
  refuseSecretNames(batch, scanNames)
  for (const part of inOrder(present, partsToRefuse)) part.refuseSecrets?.(batch, redaction)
  clean.redactions.push(...hits.values())
  if (policy === 'reject') refuseHits(clean.redactions)
  return Object.defineProperty(clean as unknown as Redacted<Batch>, partsOfRedacted, { value: present })
}

/** A property of the batches that `redactBatch` made: their parts. A copy does not have it, because it is not enumerable. */
const partsOfRedacted = Symbol('redacted')

/** The parts of a batch that `redactBatch` made; undefined for a copy, which may have other text. */
export function redactedParts(batch: Redacted<Batch>): readonly AnyPart[] | undefined {
  return (batch as { readonly [partsOfRedacted]?: readonly AnyPart[] })[partsOfRedacted]
}

function redactionInto(hits: Map<string, RedactionHit>, scanners: Scanners): BatchRedaction {
  const { scan } = scanners
  const inField = (field: string): RedactionContext => ({
    scan,
    onHit: (rule) => {
      const key = `${rule} ${field}`
      // In alphabetical order: hits become part of the audit's canonical record.
      hits.set(key, { count: (hits.get(key)?.count ?? 0) + 1, field, rule })
    },
  })
  return {
    ...scanners,
    inField,
    text(field) {
      const { onHit } = inField(field)
      return (text) => scan(text, onHit)
    },
    structure: <T>(field: string, value: T) => redactJson(value, inField(field)) as T,
  }
}

/** The names that every batch has: who acts, and the key of the call. */
function refuseSecretNames(batch: Pick<Batch, 'actor' | 'idempotency'>, scanNames: Scanner): void {
  // Ids that the host made itself contain no secret, and a rule that happens to match them must not lock a tenant out.
  const actor = batch.actor.startsWith('key:') ? undefined : batch.actor
  // The key's first part is the operation, a name of the host's own.
  const idempotencyKey = batch.idempotency?.key.replace(/^[^:]*:/, '')
  refuseSecrets({ actor, idempotencyKey }, scanNames)
}

/** Another system's marker is only respelled; there is no secret in it to refuse. */
function refuseHits(hits: readonly RedactionHit[]): void {
  const leak = hits.find(({ rule }) => rule !== 'foreign-marker')
  if (!leak) return
  const { field, rule } = leak
  throw new ColophonError(
    'secret_leakage',
    `${field} contains a secret, and the redaction policy of this tenant is to reject.`,
    {
      details: { field, rule },
    },
  )
}

type OnHit = (rule: string) => void
const ignoreHit: OnHit = () => {}

/** For values that are stored outside a batch: a job's error and progress. */
export function redactValue<T>(value: T, scan: Scanner, onHit: OnHit = ignoreHit): Redacted<T> {
  return redactJson(value, { scan, onHit }) as Redacted<T>
}

/** Why a job failed. The names of its members are the host's, and so is a code of its own. */
export function redactFailure(failure: JobFailure, scan: Scanner, isHostCode: boolean): Redacted<JobFailure> {
  const code = isHostCode ? failure.code : redactValue(failure.code, scan)
  return { ...failure, code, message: redactValue(failure.message, scan) } as unknown as Redacted<JobFailure>
}

/** A schedule names its job by identifiers; only the payload is free text. */
export function redactSchedule(schedule: Schedule, scan: Scanner): Redacted<Schedule> {
  refuseSecrets({ scheduleId: schedule.scheduleId, kind: schedule.kind, cron: schedule.cron }, scan)
  return { ...schedule, payload: redactValue(schedule.payload, scan) } as Redacted<Schedule>
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
export function redactStoredSource(source: SourceEventTexts, scan: Scanner, onHit: OnHit): SourceEventTexts {
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
