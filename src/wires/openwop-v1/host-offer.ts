import { type HostFacts, hostMemory } from '../../app/capabilities.ts'
import type { HostOffer } from '../../core/agents/agent-needs.ts'
import { advertise } from './discovery.ts'

/** What the requirements of agents are compared with: the current memory capabilities and the discovery document. */
export function hostOffer(facts: HostFacts): HostOffer {
  return { memory: hostMemory(facts), document: advertise(facts) }
}
