// What can be wrong with a consolidation: its claim, its counts, its event, what it leaves.
import { asArray } from '../harness.ts'
import { inAnswersTo, inDiscovery, member } from './edits.ts'
import type { NoticedFault } from './noticed.ts'

const passPath = /\/memory\/consolidate$/
const logPath = /\/v1\/runs\/[^/]+\/events\/poll/

const inEvent = (edit: (event: Record<string, unknown>) => Record<string, unknown>) =>
  inAnswersTo(passPath, (body) => ({ ...body, event: edit(member(body.event)) }))

export const consolidationFaults: readonly NoticedFault[] = [
  {
    name: 'the consolidation claim has a key of its own',
    scenario: 'memory-consolidation-shape',
    reason: /closed block/,
    fault: inDiscovery((document) => {
      const agents = { ...member(document.agents), memoryConsolidation: { supported: true, since: '2026' } }
      return { ...document, agents }
    }),
  },
  {
    name: 'an unknown schedule',
    scenario: 'memory-consolidation-shape',
    reason: /schedule of the claim/,
    fault: inDiscovery((document) => {
      const agents = { ...member(document.agents), memoryConsolidation: { supported: true, schedule: 'hourly' } }
      return { ...document, agents }
    }),
  },
  {
    name: 'every pass finds something to merge',
    scenario: 'memory-consolidation-idempotent',
    reason: /the counts of the second pass/,
    fault: inEvent((event) => ({ ...event, outputCount: Number(event.inputCount) - 1 })),
  },
  {
    name: 'a pass that makes more of less',
    scenario: 'memory-consolidation-idempotent',
    reason: /outputCount is at most inputCount/,
    fault: inEvent((event) => ({ ...event, outputCount: Number(event.inputCount) + 1 })),
  },
  {
    name: 'a pass that does not count',
    scenario: 'memory-consolidation-idempotent',
    reason: /inputCount of the event/,
    fault: inEvent(({ inputCount: _none, ...event }) => event),
  },
  {
    name: 'a secret that comes out of a pass',
    scenario: 'memory-consolidation-idempotent',
    reason: /secretLeaked/,
    fault: inAnswersTo(passPath, (body) => ({ ...body, secretLeaked: true })),
  },
  {
    name: 'a pass that merges nothing',
    scenario: 'memory-consolidation-merges',
    reason: /the counts of the first pass/,
    fault: inEvent((event) => ({ ...event, outputCount: event.inputCount })),
  },
  {
    name: 'a pass that names an entry it left',
    scenario: 'memory-consolidation-merges',
    reason: /mergedIds/,
    fault: inEvent((event) => ({ ...event, mergedIds: asArray(event.mergedIds).slice(1) })),
  },
  {
    name: 'an event that is not in the log',
    scenario: 'memory-consolidation-merges',
    reason: /the event in the log/,
    fault: inAnswersTo(logPath, (body) => ({
      ...body,
      events: asArray(body.events).filter((event) => member(event).type !== 'agent.memory.consolidated'),
    })),
  },
  {
    name: 'a log with the text of what was merged',
    scenario: 'memory-consolidation-merges',
    reason: /the log holds content/,
    fault: inAnswersTo(logPath, (body) => ({
      ...body,
      excerpt: 'x',
      events: [...asArray(body.events), { type: 'x', text: 'the visitor takes tea' }],
    })),
  },
]
