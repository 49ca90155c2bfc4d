import type { z } from 'zod'
import { firstEventOf } from '../../app/provenance/first-event.ts'
import type { HistoryStep } from '../../app/provenance/memory-history.ts'
import type { Memory as KnownMemory } from '../../app/provenance/memory-view.ts'
import type { Tenant } from '../../app/tenant.ts'
import { toInstant } from '../../core/check.ts'
import { personOfRef } from '../../core/people/spelling.ts'
import { entitiesOfScope, entityOfSubject } from '../../core/provenance/mem0-entities.ts'
import type { Facts } from './filters.ts'
import type { History, Memory } from './schemas.ts'

/** Source events that are read at once. */
const abreast = 25

export type MemoryView = z.output<typeof Memory> & Facts

/** Memories in the names of mem0. What mem0 keeps with a memory is in the source event that first stated it. */
export async function toMemoryViews(tenant: Tenant, memories: readonly KnownMemory[]): Promise<MemoryView[]> {
  const views: MemoryView[] = []
  for (let at = 0; at < memories.length; at += abreast)
    views.push(...(await Promise.all(memories.slice(at, at + abreast).map((memory) => toView(tenant, memory)))))
  return views
}

async function toView(tenant: Tenant, memory: KnownMemory): Promise<MemoryView> {
  const event = await firstEventOf(tenant, memory)
  const main = subjectIn(memory.memoryRef)
  const own = {
    agent_id: event?.agentId ?? memory.attribution.agentId,
    ...entitiesOfScope(event?.scope),
    ...(main === null ? {} : { [main.field]: main.id }),
  } as Partial<Record<'user_id' | 'agent_id' | 'app_id' | 'run_id', string>>
  const hasMetadata = event !== null && Object.keys(event.metadata).length > 0
  return {
    id: memory.id,
    memory: memory.content,
    user_id: own.user_id ?? null,
    agent_id: own.agent_id ?? null,
    app_id: own.app_id ?? null,
    run_id: own.run_id ?? null,
    metadata: hasMetadata ? event.metadata : null,
    categories: [memory.category],
    created_at: toInstant(memory.createdAt),
    updated_at: toInstant(memory.updatedAt),
    expiration_date: memory.expiresAt === null ? null : toInstant(memory.expiresAt).slice(0, 10),
  }
}

/** What a ref names in mem0; null for a ref that is not about a subject. */
export function subjectIn(memoryRef: string) {
  const person = personOfRef(memoryRef)
  return person === null ? null : entityOfSubject(person)
}

const events: Readonly<Record<HistoryStep['change'], 'ADD' | 'UPDATE' | 'DELETE' | 'NOOP'>> = {
  created: 'ADD',
  reactivated: 'ADD',
  edited: 'UPDATE',
  redacted: 'UPDATE',
  confirmed: 'NOOP',
  readers_changed: 'NOOP',
  superseded: 'DELETE',
  archived: 'DELETE',
  contained: 'DELETE',
  compacted: 'DELETE',
  deleted: 'DELETE',
}

export function toHistoryView(
  { entryId, memoryRef, category }: { readonly entryId: string; readonly memoryRef: string; readonly category: string },
  steps: readonly HistoryStep[],
): z.output<typeof History> {
  const main = subjectIn(memoryRef)
  return steps.map(({ change, content, reason, actor, at }, index) => {
    const event = events[change]
    return {
      id: `${entryId}.${index + 1}`,
      memory_id: entryId,
      input: [],
      old_memory: event === 'ADD' ? null : (steps[index - 1]?.content ?? null),
      new_memory: event === 'DELETE' ? null : content,
      user_id: main?.field === 'user_id' ? main.id : null,
      categories: [category],
      event,
      reason: reason ?? change,
      actor,
      created_at: toInstant(at),
      updated_at: toInstant(at),
    }
  })
}
