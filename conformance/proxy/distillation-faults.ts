// What can be wrong with a distillation: its claim, its budget, its event, its archive, its index.

import { inMemoryClaims } from './claim-faults.ts'
import { inAnswersTo, inBodies, inEntries, inVariables, member, without } from './edits.ts'
import type { NoticedFault } from './noticed.ts'

const seam = /\/v1\/host\/sample\/memory\/distill$/
const indexFile = /\/v1\/host\/workspace\/files\/MEMORY-INDEX\.json$/

const inDistillation = (edit: (distillation: Record<string, unknown>) => Record<string, unknown>) =>
  inAnswersTo(seam, (body) => {
    const event = member(body.event)
    return event.distillation === undefined
      ? body
      : { ...body, event: { ...event, distillation: edit(member(event.distillation)) } }
  })

let count = 0

export const distillationFaults: readonly NoticedFault[] = [
  {
    name: 'the distillation claim has a key of its own',
    scenario: 'distillation-shape',
    reason: /memory\.distillation\.model/,
    fault: inMemoryClaims((memory) => ({ ...memory, distillation: { ...member(memory.distillation), model: 'x' } })),
  },
  {
    name: 'more tokens used than the budget',
    scenario: 'distillation-token-budget',
    reason: /within the budget/,
    fault: inDistillation((distillation) => ({ ...distillation, tokensUsed: 9_000 })),
  },
  {
    name: 'a refusal with another code',
    scenario: 'distillation-token-budget',
    reason: /the code of the refusal/,
    fault: inBodies(
      ({ tokenBudget }) => tokenBudget === 1,
      (body) => ({ ...body, tokenBudget: 0 }),
    ),
  },
  {
    name: 'a refusal that changes the index',
    scenario: 'distillation-token-budget',
    reason: /the index after a refusal/,
    fault: inAnswersTo(indexFile, (body) => ({
      ...body,
      content: String(body.content).replaceAll(/arc_[\w-]+/g, `arc_${++count}`),
    })),
  },
  {
    name: 'a budget that is not used',
    scenario: 'distillation-token-budget',
    reason: /a budget of one token is refused/,
    fault: inBodies(({ tokenBudget }) => tokenBudget === 1, without('tokenBudget')),
  },
  {
    name: 'a log that has no event of the distillation',
    scenario: 'distillation-event',
    reason: /the log of the run has memory\.compacted/,
    fault: inAnswersTo(/\/events\/poll/, (body) => ({ ...body, events: [] })),
  },
  {
    name: 'an archive of another size',
    scenario: 'distillation-event',
    reason: /byteSize is that/,
    fault: inEntries((entry) => ({ ...entry, content: `${String(entry.content)}.` })),
  },
  {
    name: 'an archive that differs each time',
    scenario: 'distillation-stable-archive',
    reason: /the checksum of the same sources/,
    fault: inAnswersTo(seam, (body) => ({ ...body, archiveChecksum: `sum-${++count}` })),
  },
  {
    name: 'one archive for every budget',
    scenario: 'distillation-stable-archive',
    reason: /another budget has another checksum/,
    fault: inBodies(
      ({ tokenBudget }) => tokenBudget === 7_000,
      (body) => ({ ...body, tokenBudget: 8_000 }),
    ),
  },
  {
    name: 'an index that does not name the archive',
    scenario: 'distillation-index-roundtrip',
    reason: /the index names the archive/,
    fault: inAnswersTo(indexFile, (body) => ({ ...body, content: '{}' })),
  },
  {
    name: 'a run that does not see the index',
    scenario: 'distillation-index-roundtrip',
    reason: /the next run sees the index/,
    fault: inAnswersTo(/^\/v1\/runs\/[^/?]+$/, without('workspace')),
  },
  {
    name: 'a secret in the archive',
    scenario: 'distillation-secret-carryforward',
    reason: /the archive holds the secret/,
    fault: inEntries((entry) => ({ ...entry, content: 'sk-canary-rfc0062-do-not-leak-qrs456' })),
  },
  {
    name: 'the budget of a run is ignored',
    scenario: 'distillation-workflow',
    reason: /a run without budget/,
    fault: inBodies(({ configurable }) => configurable !== undefined, without('configurable')),
  },
  {
    name: 'a run that names no archive',
    scenario: 'distillation-workflow',
    reason: /the archive that the run made/,
    fault: inVariables((variables) => ({ ...variables, archive: 'arc_0' })),
  },
]
