import type { NewEntry } from '../../../src/core/commit/batch.ts'
import { defaultClassification } from '../../../src/core/provenance/category.ts'
import type { ClaimRecord } from '../../../src/core/provenance/claim.ts'
import type { ClaimStep } from '../../../src/core/provenance/claim-step.ts'
import type { NewSourceEvent } from '../../../src/core/provenance/source-event.ts'
import { batchOf } from './batch.ts'
import type { World } from './world.ts'

/** Source events, claims and their entries for tests that call the store directly: defaults except for what a test names. */

export function sourceOf(sourceEventId: string, parts: Partial<NewSourceEvent> = {}): NewSourceEvent {
  return {
    sourceEventId,
    service: 'chat',
    eventId: `name-of-${sourceEventId}`,
    subject: 'ada',
    agentId: null,
    infer: true,
    observedAt: 1,
    receivedAt: 2,
    payloadHash: 'sha256:0',
    isHashPrivate: false,
    salt: 'salt',
    scope: null,
    evidence: null,
    metadata: {},
    messages: [{ role: 'user', content: `said in ${sourceEventId}` }],
    jobId: `job-of-${sourceEventId}`,
    actor: 'test',
    trust: 'agent',
    readers: null,
    requestId: 'req_1',
    ...parts,
  }
}

type NewAssertion = ClaimStep['assertions'][number]

export function assertionOf(ordinal: number, parts: Partial<NewAssertion> = {}): NewAssertion {
  return {
    claimId: 'clm_1',
    ordinal,
    sourceEventId: 'src_1',
    candidate: ordinal,
    service: 'chat',
    eventId: 'e1',
    actor: null,
    content: `content ${ordinal}`,
    contentKey: `key ${ordinal}`,
    importance: 5,
    confidence: 0.7,
    priority: 50,
    observedAt: 1,
    trust: 'agent',
    entryId: null,
    withdrawnPosition: null,
    ...parts,
  }
}

type ClaimParts = Partial<Omit<ClaimStep, 'claim'>> & { readonly claim?: Partial<ClaimRecord> }

/** The first step of a claim that is named, or with `expects` the next one. */
export function claimStep(claimId: string, { claim = {}, ...step }: ClaimParts = {}): ClaimStep {
  return {
    expects: 0,
    before: [],
    assertions: [],
    withdrawn: [],
    repriced: [],
    claim: {
      claimId,
      subject: 'ada',
      category: 'preference',
      claimKey: 'ui.theme',
      winner: null,
      isContested: false,
      pin: null,
      ...claim,
    },
    ...step,
  }
}

export const subjectRef = 'subject:ada'

/** An entry with a content of a claim. */
export function claimEntry(entryId: string, parts: Partial<NewEntry> & { readonly claimId?: string } = {}): NewEntry {
  const { claimId = 'clm_1', ...entry } = parts
  return {
    memoryRef: subjectRef,
    entryId,
    content: `says ${entryId}`,
    tags: ['ingested'],
    expiresAt: null,
    subject: 'ada',
    origin: { kind: 'service', service: 'chat' },
    salt: `salt of ${entryId}`,
    classification: { ...defaultClassification, category: 'preference', claimKey: 'ui.theme', claimId },
    ...entry,
  }
}

export const restoringRevision = (entryId: string, content = `says ${entryId}`) => ({
  memoryRef: subjectRef,
  entryId,
  content,
  tags: ['ingested'],
  origin: { kind: 'service', service: 'chat' } as const,
  revives: true,
  salt: `next salt of ${entryId}`,
})

export const ending = (entryId: string, reason = 'superseded') => ({ memoryRef: subjectRef, entryId, reason })

type Parts = Omit<Parameters<typeof batchOf>[0], 'tenantId'>

export async function commit({ storage }: World, parts: Parts, tenantId = 'acme'): Promise<number> {
  // What a step was decided on, as a use case would have read it.
  const claims = (parts.claims ?? []).map(async (step) => ({
    ...step,
    before: await storage.provenance.assertions(tenantId, step.claim.claimId),
  }))
  const batch = batchOf({ tenantId, ...parts, claims: await Promise.all(claims) })
  return (await storage.commit(batch)).outcome.position
}
