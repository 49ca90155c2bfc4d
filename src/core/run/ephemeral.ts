import type { ClassedEntry } from '../entries/entry.ts'

/** A memory of one run, deleted when the run ends. It is stored in the run's row only, never as an entry and never in the audit. */
export type EphemeralEntry = ClassedEntry

/** An ephemeral memoryRef: the run, and the name of the list in it. */
export type EphemeralRef = { readonly runId: string; readonly name: string }

const scratch = 'scratch:'
const conversation = 'conversation:'

/** Whether a memoryRef is a scratchpad or a conversation. */
export function isEphemeralRef(memoryRef: string): boolean {
  return memoryRef.startsWith(scratch) || memoryRef.startsWith(conversation)
}

/** Parses `scratch:{runId}:{agentId}` and `conversation:{runId}`. In a run, the bare prefixes are its own lists. */
export function parseEphemeralRef(memoryRef: string, own?: { runId: string; agentId: string }): EphemeralRef | null {
  if (memoryRef.startsWith(conversation)) {
    const runId = memoryRef.slice(conversation.length) || own?.runId
    return runId ? { runId, name: 'conversation' } : null
  }
  if (!memoryRef.startsWith(scratch)) return null
  const [runId = '', ...agent] = memoryRef.slice(scratch.length).split(':')
  if (runId === '') return own ? { runId: own.runId, name: `scratch:${own.agentId}` } : null
  return { runId, name: `scratch:${agent.join(':')}` }
}

/** The memoryRef of a list in a run. */
export function toEphemeralRef({ runId, name }: EphemeralRef): string {
  return name === 'conversation' ? `${conversation}${runId}` : `${scratch}${runId}:${name.slice(scratch.length)}`
}

/** Lists ephemeral entries by the same rules as stored ones: newest first, without expired ones. */
export function listEphemeral(
  entries: readonly EphemeralEntry[],
  options: { readonly tag: string | null; readonly limit: number; readonly now: number },
): EphemeralEntry[] {
  return entries
    .toReversed()
    .filter((entry) => entry.expiresAt === undefined || Date.parse(entry.expiresAt) > options.now)
    .filter((entry) => options.tag === null || entry.tags.includes(options.tag))
    .slice(0, options.limit)
}
