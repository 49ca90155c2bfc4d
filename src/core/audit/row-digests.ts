import type { AdminRecord } from '../admin.ts'
import { canonicalJson } from '../canonical.ts'
import type { Batch } from '../commit/batch.ts'
import type { Compaction, CompactionSource } from '../compaction/compaction.ts'
import type { EntryVersion } from '../entries/entry.ts'
import type { Fence } from '../forget/fence.ts'
import type { Assertion, Claim, StoredAssertion } from '../provenance/claim.ts'
import type { SourceEvent } from '../provenance/source-event.ts'
import type { Run } from '../run/run.ts'
import { shortSha256 } from './digest.ts'

/**
 * The digests by which the audit knows stored rows. A text of a person is digested with a salt that is stored beside it and
 * erased with it, so that nobody can guess it afterwards by hashing candidates. Everything else is digested with the tenant's key.
 */

type Mac = Batch['mac']

type DigestedVersion = Omit<EntryVersion, 'entryId' | 'version' | 'digestPosition' | 'endedPosition' | 'endedReason'>

/** What a version says, and its place: everything but its end, which has notes of its own. */
export function versionDigest(version: DigestedVersion): string {
  const { salt, content, tags, expiresAt, subject, origin, classification } = version
  const { memoryRef, createdAt, createdPosition, ordinal, recordedPosition } = version
  const place = [memoryRef, createdAt, createdPosition, ordinal, recordedPosition]
  return shortSha256(`${salt}${JSON.stringify([content, tags, expiresAt, subject, origin, classification, ...place])}`)
}

/** As records before form 2 have it: without the place. */
export function contentDigest(
  version: Pick<EntryVersion, 'salt' | 'content' | 'tags' | 'expiresAt' | 'subject' | 'origin' | 'classification'>,
): string {
  const { salt, content, tags, expiresAt, subject, origin, classification } = version
  const said = [content, tags, expiresAt, subject, origin]
  return shortSha256(`${salt}${JSON.stringify(classification === null ? said : [...said, classification])}`)
}

/** Everything of a source event but its messages, which retention may delete. */
export function sourceDigest(event: SourceEvent): string {
  const { salt, messages: _apart, isErased: _erased, isHeldUp: _heldUp, ...facts } = event
  return shortSha256(`${salt}${canonicalJson(present(facts))}`)
}

/** As records before form 2 have it: without scope, evidence and metadata. */
export function namedSourceDigest(event: SourceEvent): string {
  const { salt, payloadHash, service, eventId, subject, observedAt } = event
  return shortSha256(`${salt}${JSON.stringify([payloadHash, service, eventId, subject, observedAt])}`)
}

export function messagesDigest({ salt, messages }: Pick<SourceEvent, 'salt' | 'messages'>): string | null {
  return messages === null ? null : shortSha256(`${salt}${canonicalJson(messages)}`)
}

export function claimDigest(mac: Mac, claim: Claim): string {
  return keyed(mac, canonicalJson(present(claim)))
}

/**
 * Everything that was asserted for a claim. The content of an assertion is in its `seal`, by a digest whose salt is erased with
 * the content.
 */
export function assertionsDigest(mac: Mac, assertions: readonly (StoredAssertion | Assertion)[]): string {
  const stated = assertions.map((assertion) => {
    const { content: _sealed, isKeptAlone: _derived, actor: _ofEvent, ...row } = assertion as Assertion
    return present(row)
  })
  return keyed(mac, canonicalJson(stated.sort((a, b) => Number(a.ordinal) - Number(b.ordinal))))
}

/** What the audit knows a content of a claim by: a salt, and the digest of both. An erased content has none. */
export function contentSeal(salt: string, content: string): string {
  return content === '' ? '' : `${salt}.${shortSha256(`${salt}${content}`)}`
}

/** Whether a content is the one that was sealed. Contents from before there were seals have none. */
export function isSealedContent({ seal, content }: Pick<Assertion, 'seal' | 'content'>): boolean {
  return seal === '' || seal === contentSeal(seal.slice(0, seal.lastIndexOf('.')), content)
}

export function adminDigest(mac: Mac, { kind, id, revision, body, updatedAt }: AdminRecord): string {
  return keyed(mac, JSON.stringify([kind, id, revision, body, updatedAt]))
}

export function compactionDigest(mac: Mac, compaction: Compaction): string {
  return keyed(mac, canonicalJson(present(compaction)))
}

export function lineageDigest(mac: Mac, sources: readonly CompactionSource[]): string {
  return keyed(mac, JSON.stringify(sources.map(({ entryId, version }) => [entryId, version])))
}

/** Which line of a fence it is; where it ends may be moved. */
export function fenceDigest(mac: Mac, { kind, value, fromSequence }: Fence): string {
  return keyed(mac, JSON.stringify([kind, value, fromSequence]))
}

/** A run that is over, with its values; its events and memory calls are in `facts.record`, by a hash of each. */
export function runDigest(mac: Mac, run: Run): string {
  const { runId, workflowId, workflowVersion, status, revision, nextSequence, snapshot, facts, text } = run
  const { createdAt, updatedAt, endedAt } = run
  const moments = [snapshot.position, snapshot.at, createdAt, updatedAt, endedAt]
  const parts = [runId, workflowId, workflowVersion, status, revision, nextSequence, ...moments, facts, text]
  return keyed(mac, JSON.stringify(parts))
}

function keyed(mac: Mac, text: string): string {
  return mac(shortSha256(text))
}

/** A member that is null and one that is not there are the same row. */
function present(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined))
}
