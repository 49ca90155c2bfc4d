import { at, type Check, isObject, type JsonObject, type Scenario } from '../../harness.ts'
import {
  agentBlocks,
  type BlockRules,
  blockFaults,
  keyFaults,
  memoryBackends,
  memoryBlocks,
  memoryKeys,
} from '../../memory/claim-rules.ts'
import { hasLongTerm } from '../../memory/long-term.ts'

function expectBlocks(check: Check, family: string, value: JsonObject, rules: Readonly<Record<string, BlockRules>>) {
  for (const [name, blockRules] of Object.entries(rules)) {
    const block = value[name]
    if (block === undefined) continue
    check.ok(isObject(block), `${family}.${name} is an object`)
    check.equal(blockFaults(block as JsonObject, blockRules), [], `faults of ${family}.${name}`)
  }
}

/** Claims that only mean something together: a reader must not get one answer here and another there. */
function expectConsistent(check: Check, memory: JsonObject, agents: JsonObject): void {
  const isTtlClaimed = [memory.ttlSupported, at(memory.retention, 'ttl')].filter((claim) => claim !== undefined)
  check.ok(new Set(isTtlClaimed).size <= 1, 'ttlSupported and retention.ttl say the same')
  if (hasLongTerm(check)) {
    check.equal(memory.supported, true, 'long-term memory needs an adapter: memory.supported')
    check.ok(!isTtlClaimed.includes(false), 'long-term memory promises expiry, so it is not denied elsewhere')
  }
  if (at(agents.memoryConsolidation, 'supported') === true) {
    check.ok(hasLongTerm(check), 'memoryConsolidation works on long-term memory')
  }
  if (at(memory.distillation, 'scheduled') === true) {
    check.ok(check.family('scheduling') !== undefined, 'scheduled distillation needs the scheduling family')
  }
  if (memory.writable === false) {
    check.ok(at(memory.attribution, 'emitsWriteEvents') !== true, 'a memory without writes has no write events')
  }
}

/** The published scenario reads the suite's own schemas, which no host can fail; this reads the host's document. */
export const memoryCapabilityModelShape: Scenario = {
  id: 'memory-capability-model-shape',
  facts: 'memory 16.11, 7.2, 7.3, 8.1',
  title: 'The memory claims of the discovery document are well formed and agree with each other',
  async run(check: Check) {
    const memory = check.family('memory')
    if (memory === undefined) check.inapplicable('the document has no memory family at its root')
    const agents = check.family('agents') ?? {}
    check.published('capabilities', check.discovery, 'the discovery document')
    check.oneOf(memory.supported, [true, false], 'memory.supported')
    check.equal(keyFaults(memory, memoryKeys), [], 'faults of memory')
    expectBlocks(check, 'memory', memory, memoryBlocks)
    if (agents.memoryBackends !== undefined) {
      check.ok(memoryBackends(agents.memoryBackends), 'agents.memoryBackends holds long-term once or nothing')
    }
    expectBlocks(check, 'agents', agents, agentBlocks)
    expectConsistent(check, memory, agents)
    // Older readers use the wrapper; a host that still serves it must not state something else there.
    for (const family of ['memory', 'agents']) {
      const mirror = at(check.discovery, 'capabilities', family)
      if (mirror !== undefined) check.equal(mirror, check.discovery[family], `capabilities.${family} and ${family}`)
    }
  },
}
