import type { AdminRecord } from '../admin.ts'
import { canonicalJson } from '../canonical.ts'
import type { Batch } from '../commit/batch.ts'
import type { Compaction, CompactionSource } from '../compaction/compaction.ts'
import type { EntryVersion } from '../entries/entry.ts'
import { defaultTrust, type Trust } from '../entries/trust.ts'
import type { Fence } from '../forget/fence.ts'
import type { Assertion, ClaimRecord, StoredAssertion } from '../provenance/claim.ts'
import type { SourceEventRecord } from '../provenance/source-event.ts'
import type { Run } from '../run/run.ts'
import { finishShortSha256, type StartedSha256, shortSha256, startShortSha256 } from './digest.ts'

/**
 * The digests of stored rows in the audit. A person's text is digested with a salt that is stored beside it and erased with it, so that
 * the text cannot be guessed afterwards by hashing candidates. Everything else is digested with the tenant's key.
 */

type Mac = Batch['mac']

type DigestedVersion = Omit<EntryVersion, 'entryId' | 'version' | 'digestPosition' | 'endedPosition' | 'endedReason'>

/** The digest of a version with its place, without its ending: endings have their own notes. */
export function versionDigest(version: DigestedVersion, started?: StartedSha256): string {
  const { salt, content, tags, expiresAt, subject, origin, classification } = version
  const { memoryRef, createdAt, createdPosition, ordinal, recordedPosition, trust, readers } = version
  const place = [memoryRef, createdAt, createdPosition, ordinal, recordedPosition]
  // Left out where they are the default, so that the digests of earlier versions stay true.
  const guard = trust === defaultTrust && readers === null ? [] : [trust, readers]
  const members = [tags, expiresAt, subject, origin, classification, ...place, ...guard]
  if (started !== undefined) return finishShortSha256(started, `,${JSON.stringify(members).slice(1)}`)
  return shortSha256(`${salt}${JSON.stringify([content, ...members])}`)
}

/** The part of a version's digest that takes long and depends on nothing that is decided in a transaction. */
export function startVersionDigest({ salt, content }: Pick<EntryVersion, 'salt' | 'content'>): StartedSha256 {
  return startShortSha256(`${salt}[${JSON.stringify(content)}`)
}

/** The digest of a version in the first audit format: without its place. */
export function contentDigest(
  version: Pick<EntryVersion, 'salt' | 'content' | 'tags' | 'expiresAt' | 'subject' | 'origin' | 'classification'>,
): string {
  const { salt, content, tags, expiresAt, subject, origin, classification } = version
  const members = [content, tags, expiresAt, subject, origin]
  return shortSha256(`${salt}${JSON.stringify(classification === null ? members : [...members, classification])}`)
}

/** The digest of a source event without its messages, which retention may delete. */
export function sourceDigest(event: SourceEventRecord): string {
  const { salt, messages: _apart, isErased: _erased, isHeldUp: _heldUp, ...facts } = event
  return shortSha256(`${salt}${canonicalJson(present(withoutDefaultTrust(facts)))}`)
}

/** The digest of a source event in the first audit format: without scope, evidence and metadata. */
export function namedSourceDigest(event: SourceEventRecord): string {
  const { salt, payloadHash, service, eventId, subject, observedAt } = event
  return shortSha256(`${salt}${JSON.stringify([payloadHash, service, eventId, subject, observedAt])}`)
}

/** The digest of the messages of a source event; null once they are deleted. */
export function messagesDigest({ salt, messages }: Pick<SourceEventRecord, 'salt' | 'messages'>): string | null {
  return messages === null ? null : shortSha256(`${salt}${canonicalJson(messages)}`)
}

/** The digest of a claim without its assertions. */
export function claimDigest(mac: Mac, claim: ClaimRecord): string {
  return keyed(mac, canonicalJson(present(claim)))
}

/**
 * The digest of all assertions of a claim. The content of an assertion is part of it by its `seal`: a digest whose salt is erased with the
 * content.
 */
export function assertionsDigest(mac: Mac, assertions: readonly (StoredAssertion | Assertion)[]): string {
  const rows = assertions.map((assertion) => {
    const { content: _sealed, isKeptAlone: _derived, actor: _ofEvent, ...row } = assertion as Assertion
    return present(withoutDefaultTrust(row))
  })
  return keyed(mac, canonicalJson(rows.sort((a, b) => Number(a.ordinal) - Number(b.ordinal))))
}

/** The seal of an assertion's content: a salt, and the digest of salt and content. An erased content has an empty seal. */
export function contentSeal(salt: string, content: string): string {
  return content === '' ? '' : `${salt}.${shortSha256(`${salt}${content}`)}`
}

/** Whether a content is the one that was sealed. Contents from versions without seals have an empty one. */
export function isSealedContent({ seal, content }: Pick<Assertion, 'seal' | 'content'>): boolean {
  return seal === '' || seal === contentSeal(seal.slice(0, seal.lastIndexOf('.')), content)
}

/** The digest of an administered record. */
export function adminDigest(mac: Mac, { kind, id, revision, body, updatedAt }: AdminRecord): string {
  return keyed(mac, JSON.stringify([kind, id, revision, body, updatedAt]))
}

/** The digest of a compaction without its lineage. */
export function compactionDigest(mac: Mac, compaction: Compaction): string {
  return keyed(mac, canonicalJson(present(compaction)))
}

/** The digest of the sources of a compaction, in their order. */
export function lineageDigest(mac: Mac, sources: readonly CompactionSource[]): string {
  return keyed(mac, JSON.stringify(sources.map(({ entryId, version }) => [entryId, version])))
}

/** The digest of a fence without `toSequence`, which may grow. */
export function fenceDigest(mac: Mac, { kind, value, fromSequence }: Fence): string {
  return keyed(mac, JSON.stringify([kind, value, fromSequence]))
}

/** The digest of a run that has ended, with its values. Its events and memory calls are part of it by the hashes in `facts.record`. */
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

/** Left out where it is the default, so that the digests of rows from before there were classes stay true. */
function withoutDefaultTrust<T extends { readonly trust: Trust }>({ trust, ...members }: T): object {
  return trust === defaultTrust ? members : { ...members, trust }
}

/** Without members that are null or undefined: databases do not distinguish them. */
function present(members: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined))
}
