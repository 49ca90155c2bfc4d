import type { MemoryEntry } from '../entries/entry.ts'

/** A memory that lives in its run and goes with it: never in the store, never in the audit. */
export type EphemeralEntry = {
  readonly id: string
  readonly content: string
  readonly tags: readonly string[]
  readonly createdAt: string
  readonly expiresAt?: string
}

/** What an ephemeral ref names: a part of one run. */
export type EphemeralRef = { readonly runId: string; readonly name: string }

const scratch = 'scratch:'
const conversation = 'conversation:'

export function isEphemeralRef(memoryRef: string): boolean {
  return memoryRef.startsWith(scratch) || memoryRef.startsWith(conversation)
}

/** `scratch:{runId}:{agentId}` and `conversation:{runId}`; in a run the bare prefixes mean its own. */
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

export function toEphemeralRef({ runId, name }: EphemeralRef): string {
  return name === 'conversation' ? `${conversation}${runId}` : `${scratch}${runId}:${name.slice(scratch.length)}`
}

/** Newest first, without what has expired: the same reading rules as everywhere. */
export function listEphemeral(
  entries: readonly EphemeralEntry[],
  options: { readonly tag: string | null; readonly limit: number; readonly now: number },
): MemoryEntry[] {
  return entries
    .toReversed()
    .filter((entry) => entry.expiresAt === undefined || Date.parse(entry.expiresAt) > options.now)
    .filter((entry) => options.tag === null || entry.tags.includes(options.tag))
    .slice(0, options.limit)
}
