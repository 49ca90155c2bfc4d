import { limits } from '../../core/limits.ts'
import type { ClaimRecord } from '../../core/provenance/claim.ts'
import type { SourceEventRecord, SourceEventTexts, SourceRewrite } from '../../core/provenance/source-event.ts'
import { redactStoredSource, redactValue } from '../../core/redaction/redaction.ts'
import type { Scanner } from '../../core/redaction/scanner.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { commitOptions, type RedactionPass } from '../redaction/redaction-pass.ts'
import { freshContext, type RedactionState } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'

type Pass = Pick<RedactionPass, 'dryRun' | 'actor' | 'signal'>
type OnHit = (rule: string) => void

/** Redacts stored source events and assertions with the current secrets and rules. Returns how many events and claims changed. */
export async function reRedactProvenance(tenant: Tenant, pass: Pass, onHit: OnHit): Promise<number> {
  return (await reRedactEvents(tenant, pass, onHit)) + (await reRedactClaims(tenant, pass, onHit))
}

/** The redacted value; null when it has no secrets. */
async function cleaned<T>(
  value: T,
  redaction: RedactionState,
  onHit: OnHit,
  redact: (value: T, scan: Scanner, onHit: OnHit) => T = redactValue,
): Promise<T | null> {
  const { clean, hits } = await redaction.redact(({ scan }) => {
    const hits: string[] = []
    return { clean: redact(value, scan, (rule) => hits.push(rule)), hits }
  })
  for (const rule of hits) onHit(rule)
  return hits.length > 0 ? clean : null
}

async function reRedactEvents(tenant: Tenant, pass: Pass, onHit: OnHit): Promise<number> {
  let changed = 0
  for (let after: string | null = null; ; ) {
    pass.signal.throwIfAborted()
    const { redaction } = await freshContext(tenant)
    const page: readonly SourceEventRecord[] = await tenant.storage.provenance.keptPayloads({
      tenantId: tenant.id,
      receivedBefore: Number.MAX_SAFE_INTEGER,
      after,
      limit: limits.rewritePageEntriesMax,
    })
    const sourceRewrites: SourceRewrite[] = []
    for (const event of page) {
      const { sourceEventId, isHashPrivate, scope, evidence, metadata, messages } = event
      const texts = { sourceEventId, isHashPrivate, scope, evidence, metadata, messages }
      const clean = await cleaned<SourceEventTexts>(texts, redaction, onHit, redactStoredSource)
      if (clean !== null) sourceRewrites.push({ ...event, ...clean })
    }
    if (sourceRewrites.length > 0 && !pass.dryRun)
      await tenant.commit({ kind: 'source.redacted', sourceRewrites }, commitOptions(pass))
    changed += sourceRewrites.length
    after = page.at(-1)?.sourceEventId ?? null
    if (after === null) return changed
  }
}

async function reRedactClaims(tenant: Tenant, pass: Pass, onHit: OnHit): Promise<number> {
  let changed = 0
  for (let after: string | null = null; ; ) {
    pass.signal.throwIfAborted()
    const limit = limits.rewritePageEntriesMax
    const query = { tenantId: tenant.id, subject: null, isContested: null, after, limit }
    const page: readonly ClaimRecord[] = await tenant.storage.provenance.claims(query)
    for (const { claimId } of page) if (await reRedactClaim(tenant, claimId, pass, onHit)) changed += 1
    after = page.at(-1)?.claimId ?? null
    if (after === null) return changed
  }
}

/** Redacts the assertions of a claim. The winner stays: only texts change, content keys do not. */
function reRedactClaim(tenant: Tenant, claimId: string, pass: Pass, onHit: OnHit): Promise<boolean> {
  return decideAndCommit(async () => {
    const claim = await tenant.storage.provenance.claim(tenant.id, claimId)
    if (claim === null) return false
    const { redaction } = await freshContext(tenant)
    const assertions = await tenant.storage.provenance.assertions(tenant.id, claimId)
    const restated: { ordinal: number; content: string }[] = []
    for (const { ordinal, content } of assertions) {
      const clean = await cleaned({ content }, redaction, onHit)
      if (clean !== null) restated.push({ ordinal, content: clean.content })
    }
    const reason = claim.pin && (await cleaned({ reason: claim.pin.reason }, redaction, onHit))
    if (restated.length === 0 && reason === null) return false
    const pin = claim.pin && { ...claim.pin, ...reason }
    const { revision, updatedPosition: _position, ...facts } = claim
    const changed = { before: assertions, assertions: [], withdrawn: [], repriced: [], restated }
    const step = { expects: revision, claim: { ...facts, pin }, ...changed }
    if (!pass.dryRun) await tenant.commit({ kind: 'claim.redacted', claims: [step] }, commitOptions(pass))
    return true
  })
}
