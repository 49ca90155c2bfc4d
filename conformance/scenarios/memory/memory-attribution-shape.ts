import type { Check, Scenario } from '../../harness.ts'
import { attributionClaim } from '../../memory/attribution.ts'

export const memoryAttributionShape: Scenario = {
  id: 'memory-attribution-shape',
  facts: 'memory 16.6, 7.2',
  title: 'The attribution claim is well formed',
  async run(check: Check) {
    const claim = attributionClaim(check)
    if (claim === undefined) check.inapplicable('memory.attribution is not advertised')
    check.equal(claim.supported, true, 'attribution.supported; a host without it leaves the block out')
    check.oneOf(typeof claim.emitsWriteEvents, ['boolean', 'undefined'], 'type of attribution.emitsWriteEvents')
    const strange = Object.keys(claim).filter((key) => key !== 'supported' && key !== 'emitsWriteEvents')
    check.equal(strange, [], 'keys that the closed block does not have')
  },
}
