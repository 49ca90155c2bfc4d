import type { Claim, Job } from '../../../../src/client/index.ts'
import type { InboxItem } from './inbox-items.ts'

type Content = Claim['contents'][number]

/** The contents that tie: they have the priority of the best one. */
export function tiedContents({ contents }: Claim): readonly Content[] {
  const [best] = contents
  return contents.filter(({ priority, memoryId }) => priority === best?.priority && memoryId !== null)
}

/** Why sources alone cannot decide, and what is shown meanwhile. */
export function whyTied(claim: Claim): string {
  const tied = tiedContents(claim)
  const names = new Set(tied.map(({ services, priority }) => `${services.join(' and ') || 'a key'} (${priority})`))
  const current = claim.contents.find(({ status }) => status === 'active')
  const meanwhile =
    current === undefined
      ? 'Neither is current.'
      : `Until you decide, “${shortened(current.content)}” is current, because it was observed last.`
  return `${sameAuthority([...names], tied)} ${meanwhile}`
}

/** A content can have several services, of which the best one has the priority: they are not named with it. */
function sameAuthority(names: readonly string[], tied: readonly Content[]): string {
  if (tied.some(({ services }) => services.length > 1))
    return `The best sources of each have the same priority (${tied[0]?.priority}), so none outranks the other.`
  if (names.length === 1)
    return `${names[0]} states ${tied.length > 2 ? 'all of them' : 'both'}, so its authority cannot decide.`
  return `${joined(names)} have the same priority, so neither outranks the other.`
}

function joined(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60).toWellFormed()}…`
}

const jobWords: Readonly<Record<string, string>> = {
  'colophon.ingest': 'Extracting memories from a source event',
  'colophon.run': 'Executing a run',
  'colophon.start-run': 'Starting a scheduled run',
  'colophon.distill': 'Distilling a ref into an archive',
  'colophon.compact': 'Compacting old entries',
  'colophon.consolidate': 'Merging entries that say the same',
  'colophon.forget': 'Erasing on request',
  'colophon.embed': 'Making vectors for search by meaning',
  'colophon.embeddings-rebuild': 'Making all vectors again',
  'colophon.reresolve': 'Deciding claims again after a change of authority',
  'colophon.fire-commitment': 'Firing a reminder',
  'colophon.infer-commitments': 'Finding reminders in a new entry',
  'colophon.heartbeat': 'Observing a heartbeat',
  'colophon.expiry-sweep': 'Ending expired entries',
  'colophon.history-retention': 'Deleting history that is no longer retained',
  'colophon.payload-retention': 'Deleting messages that are no longer retained',
}

/** What a job was about, in words. */
export function jobInWords({ kind }: Pick<Job, 'kind'>): string {
  return jobWords[kind] ?? (/webhook|deliver/.test(kind) ? 'Delivering an event to a webhook' : kind)
}

/** What an item is about, in one line. */
export function titleOf(item: InboxItem): string {
  if (item.kind === 'claim') return `${item.claim.subject}: ${item.claim.claimKey ?? item.claim.category}`
  if (item.kind === 'question') return textOf(item.interrupt.data.title) ?? `${item.run.workflowId} asks`
  if (item.kind === 'quarantine') return item.memory.memoryRef.replace(/^subject:/, '')
  return jobInWords(item.job)
}

/** A filled-in value as text; what has several members is shown as lines. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  if (Array.isArray(value)) {
    return value.map((one) => textOf((one as { question?: unknown })?.question ?? one) ?? '').join('\n')
  }
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${typeof part === 'string' ? part : JSON.stringify(part)}`)
    .join('\n')
}
