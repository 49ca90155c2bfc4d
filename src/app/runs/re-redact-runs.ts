import { limits } from '../../core/limits.ts'
import { redactStoredEvent, redactStoredRun } from '../../core/redaction/redaction.ts'
import { toReplayedEvent } from '../../core/run/replayed-event.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { commitOptions, type RedactionPass } from '../redaction/redaction-pass.ts'
import { freshContext, type RedactionState } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { loadRecordedRun, type RecordedRun } from './recorded-run.ts'

type Pass = Pick<RedactionPass, 'dryRun' | 'actor' | 'signal'>

/** Redacts the text of stored runs and their events with the current secrets and rules. Gives the number of changed runs. */
export async function reRedactRuns(tenant: Tenant, pass: Pass, onHit: (rule: string) => void): Promise<number> {
  let changed = 0
  for (let after: string | null = null; ; ) {
    pass.signal.throwIfAborted()
    const limit = limits.rewritePageEntriesMax
    const page = await tenant.storage.runs.list({ tenantId: tenant.id, status: null, workflowId: null, after, limit })
    for (const { runId } of page) if (await reRedactRun(tenant, runId, pass, onHit)) changed += 1
    after = page.at(-1)?.runId ?? null
    if (after === null) return changed
  }
}

/** An active run may change meanwhile: then it is redacted again. */
function reRedactRun(tenant: Tenant, runId: string, pass: Pass, onHit: (rule: string) => void): Promise<boolean> {
  return decideAndCommit(async () => {
    const run = await tenant.storage.runs.get(tenant.id, runId)
    if (run === null) return false
    const { redaction } = await freshContext(tenant)
    const recorded = await loadRecordedRun(tenant, run)
    const rewritten = await eventsWithHits(recorded, redaction, onHit)
    if (rewritten === null) return false
    if (!pass.dryRun) await rewrite(tenant, recorded, rewritten, redaction, pass)
    return true
  })
}

/** The events that hold a secret; null when neither the run nor its events hold one. */
async function eventsWithHits({ run, events }: RecordedRun, redaction: RedactionState, onHit: (rule: string) => void) {
  const { hits, found } = await redaction.redact(({ scan }) => {
    const hits: string[] = []
    const count = (rule: string) => void hits.push(rule)
    redactStoredRun(run.text, scan, count)
    const found = events.filter((event) => {
      const before = hits.length
      redactStoredEvent(toReplayedEvent(event).text ?? {}, scan, count)
      return hits.length > before
    })
    return { hits, found }
  })
  for (const rule of hits) onHit(rule)
  return hits.length === 0 ? null : found.map((event) => ({ ...toReplayedEvent(event), sequence: event.sequence }))
}

/** Commits the run and the events again. The redaction of the commit is what removes the secrets. */
async function rewrite(
  tenant: Tenant,
  { run, events, calls }: RecordedRun,
  rewritten: readonly (ReturnType<typeof toReplayedEvent> & { sequence: number })[],
  redaction: RedactionState,
  pass: Pass,
): Promise<void> {
  const { runId, workflowId, workflowVersion, status, facts, snapshot, revision, nextSequence } = run
  // Redacted before the commit too: a tenant whose policy refuses secrets must still be able to remove one.
  const { clean, text } = await redaction.redact(({ scan }) => ({
    clean: rewritten.map((event) => ({ ...event, text: redactStoredEvent(event.text ?? {}, scan) })),
    text: redactStoredRun(run.text, scan),
  }))
  const step = {
    expects: revision,
    run: { runId, workflowId, workflowVersion, status, facts, text },
    snapshot,
    firstSequence: nextSequence,
    events: [],
    calls: [],
    claimsScope: null,
    rewritten: clean,
    recorded: { events, calls },
  }
  await tenant.commit({ kind: 'memory.redacted', runs: [step] }, commitOptions(pass))
}
