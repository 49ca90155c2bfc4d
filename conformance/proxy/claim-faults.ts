// Wrong claims: in the discovery document and in the inventory of agents.
import { asArray, type JsonObject } from '../harness.ts'
import { inAnswersTo, inDiscovery, member, without } from './edits.ts'
import type { NoticedFault } from './noticed.ts'
import type { Fault } from './proxy.ts'

/** A claim stands at the root and in the old wrapper; a host that is wrong is wrong in both. */
const inFamily = (name: string, edit: (family: JsonObject) => JsonObject): Fault =>
  inDiscovery((document) => {
    const family = edit(member(document[name]))
    return { ...document, [name]: family, capabilities: { ...member(document.capabilities), [name]: family } }
  })

export const inMemoryClaims = (edit: (memory: JsonObject) => JsonObject): Fault => inFamily('memory', edit)
const inAgentClaims = (edit: (agents: JsonObject) => JsonObject): Fault => inFamily('agents', edit)

const inAgents = (edit: (agent: JsonObject) => JsonObject): Fault =>
  inAnswersTo(/^\/v1\/agents$/, (body) => ({
    ...body,
    agents: asArray(body.agents).map((agent) => edit(member(agent))),
  }))

export const claimFaults: readonly NoticedFault[] = [
  {
    name: 'the attribution claim has a key of its own',
    scenario: 'memory-attribution-shape',
    reason: /closed block/,
    fault: inMemoryClaims((memory) => ({ ...memory, attribution: { supported: true, since: '2026' } })),
  },
  {
    name: 'a claim that is false is not left out',
    scenario: 'memory-attribution-shape',
    reason: /attribution\.supported/,
    fault: inMemoryClaims((memory) => ({ ...memory, attribution: { supported: false } })),
  },
  {
    name: 'write events come although they are not claimed',
    scenario: 'memory-attribution-emits-on-write',
    reason: /does not claim them/,
    fault: inMemoryClaims(without('attribution')),
  },
  {
    name: 'compaction without its trigger',
    scenario: 'memory-capability-model-shape',
    reason: /memory\.compaction/,
    fault: inMemoryClaims((memory) => ({ ...memory, compaction: { supported: true } })),
  },
  {
    name: 'expiry is claimed here and denied there',
    scenario: 'memory-capability-model-shape',
    reason: /say the same/,
    fault: inMemoryClaims((memory) => ({ ...memory, retention: { ttl: false } })),
  },
  {
    name: 'an unknown backend',
    scenario: 'memory-capability-model-shape',
    reason: /memoryBackends/,
    fault: inAgentClaims((agents) => ({ ...agents, memoryBackends: ['long-term', 'vector'] })),
  },
  {
    name: 'siblings share memory in an unknown way',
    scenario: 'multi-agent-memory-lifecycle-concurrency-claim',
    reason: /crossChildMemoryConcurrency/,
    fault: inDiscovery((document) => ({
      ...document,
      multiAgent: { executionModel: { version: 2, crossChildMemoryConcurrency: 'eventual' } },
    })),
  },
  {
    name: 'an agent is degraded without naming in what',
    scenario: 'memory-degraded-projection',
    reason: /says what is missing/,
    fault: inAgents((agent) => ({ ...agent, memoryDegraded: true })),
  },
  {
    name: 'an agent asks for memory that the host cannot write, and is not degraded',
    scenario: 'memory-degraded-projection',
    reason: /asks for a memory that the host cannot write/,
    fault: inMemoryClaims((memory) => ({ ...memory, writable: false })),
  },
  {
    name: 'a memory without writes has write events',
    scenario: 'memory-capability-model-shape',
    reason: /a memory without writes has no write events/,
    fault: inMemoryClaims((memory) => ({ ...memory, writable: false })),
  },
  {
    name: 'an agent asks for a durability that the host lacks, and is not degraded',
    scenario: 'memory-degraded-projection',
    reason: /durability that the host lacks/,
    fault: inAgentClaims(without('memoryBackends')),
  },
]
