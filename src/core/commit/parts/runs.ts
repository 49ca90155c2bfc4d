import { runDigest } from '../../audit/row-digests.ts'
import { invariant } from '../../invariant.ts'
import { type CleanValueCache, type RedactionContext, redactJson } from '../../redaction/redact-json.ts'
import { originalScanner, refuseSecrets, type Scanner } from '../../redaction/scanner.ts'
import { redactRunText } from '../../run/redact-run-text.ts'
import type { NewRunEvent, RunHead, RunStep, SealedRun } from '../../run/run.ts'
import { isRecordedEnd } from '../../run/run-record.ts'
import { sealRun } from '../../run/seal-run.ts'
import type { BatchPart } from './part.ts'
import { notesOf } from './part.ts'

export type RunMembers = { readonly runs: readonly RunStep[] }

export type RunRows = { readonly runs: readonly SealedRun[] }

export type RunPartState = {
  readonly run: (runId: string) => RunHead | undefined
  /** The run that is under way in a scope. */
  readonly activeInScope: (scopeId: string) => string | undefined
}

/** Steps of runs: each stores a run's next revision with its events and memory calls. */
export const runs: BatchPart<RunMembers, RunRows, RunPartState> = {
  members: ['runs'],
  none: { runs: [] },
  noRows: { runs: [] },

  size(batch) {
    let rows = 0
    let characters = 0
    for (const { run, events, calls } of batch.runs) {
      rows += events.length + calls.length
      characters += JSON.stringify(run.text).length
    }
    return { rows, characters }
  },

  redact(batch, { scan, inField }) {
    const redactEvent = <T extends NewRunEvent>(event: T): T =>
      event.text === undefined ? event : { ...event, text: redactEventText(event.text, inField('event')) }
    return {
      runs: batch.runs.map((step) => ({
        ...step,
        run: { ...step.run, text: redactRunText(step.run.text, { ...inField('run'), clean: cleanUnder(scan) }) },
        events: step.events.map(redactEvent),
        ...(step.rewritten ? { rewritten: step.rewritten.map(redactEvent) } : {}),
      })),
    }
  },

  refuseSecrets(batch, { scan, scanNames }) {
    for (const { claimsScope, calls, run } of batch.runs) {
      refuseSecrets({ scopeId: claimsScope ?? run.facts.scopeId, reader: run.facts.reader }, scanNames)
      for (const { memoryRef } of calls) refuseSecrets({ memoryRef }, scan)
    }
  },

  seal: (batch, { run, activeInScope }, { clock, now }) => ({
    runs: batch.runs.map((step) => {
      const sealed = sealRun(step, { clock, head: run, activeInScope }, now)
      const { snapshot, createdAt, endedAt } = sealed.run
      invariant(snapshot.position <= clock.position, 'a run reads no position that does not exist yet')
      invariant(endedAt === null || endedAt >= createdAt, 'a run ends after it began')
      return sealed
    }),
  }),

  // The steps of a run take no position of their own. Its end does: it is recorded.
  takesPosition: (rows) => rows.runs.some(({ run }) => isRecordedEnd(run)),

  audit: (rows, _batch, { mac }) =>
    notesOf(
      'runs',
      rows.runs.filter(({ run }) => isRecordedEnd(run)),
      ({ run }) => ({ digest: runDigest(mac, run), id: run.runId }),
    ),
}

/** The names of an event's members are the protocol's. */
export function redactEventText(
  text: NonNullable<NewRunEvent['text']>,
  redaction: RedactionContext,
): NonNullable<NewRunEvent['text']> {
  return Object.fromEntries(Object.entries(text).map(([name, value]) => [name, redactJson(value, redaction)]))
}

/** Values that a scanner has redacted already, by name. A run is stored step by step, and most of its text stays as it was. */
const cleanValues = new WeakMap<object, { readonly scan: Scanner; readonly name: string | null }>()

function cleanUnder(scanner: Scanner): CleanValueCache {
  const scan = originalScanner(scanner)
  return {
    has: (value, name) => {
      const known = cleanValues.get(value)
      return known?.scan === scan && known.name === name
    },
    add: (value, name) => cleanValues.set(value, { scan, name }),
  }
}
