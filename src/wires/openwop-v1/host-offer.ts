import { type HostFacts, hostMemory } from '../../app/capabilities.ts'
import type { HostOffer } from '../../core/agents/agent-needs.ts'
import { advertise } from './discovery.ts'

/** What agents are measured by: the memory of this moment and the very document that clients read. */
export function hostOffer(facts: HostFacts): HostOffer {
  return { memory: hostMemory(facts), document: advertise(facts) }
}
