// What can be wrong with a compaction: its event, its text, its tag.
import { asArray } from '../harness.ts'
import { inAnswersTo, inBodies, inEntries, inRequestsTo, member, without } from './edits.ts'
import type { NoticedFault } from './noticed.ts'

const passPath = /\/v1\/test\/memory\/compact$/

export const compactionFaults: readonly NoticedFault[] = [
  {
    name: 'a pass that does not say what came out',
    scenario: 'memory-compaction-event-emitted',
    reason: /outputId of the event/,
    fault: inAnswersTo(passPath, (body) => ({ ...body, payload: without('outputId')(member(body.payload)) })),
  },
  {
    name: 'a pass that names only some of its sources',
    scenario: 'memory-compaction-event-emitted',
    reason: /sourceIds are all of them/,
    fault: inAnswersTo(passPath, (body) => {
      const payload = member(body.payload)
      return { ...body, payload: { ...payload, sourceIds: asArray(payload.sourceIds).slice(1) } }
    }),
  },
  {
    name: 'the size of something else',
    scenario: 'memory-compaction-event-emitted',
    reason: /byteSize is that/,
    fault: inAnswersTo(passPath, (body) => ({ ...body, payload: { ...member(body.payload), byteSize: 1 } })),
  },
  ...(['memoryRef', 'sourceCount', 'trigger'] as const).map((name) => ({
    name: `a pass that does not say its ${name}`,
    scenario: 'memory-compaction-event-emitted',
    reason: new RegExp(`${name} of the event`),
    fault: inAnswersTo(passPath, (body) => ({ ...body, payload: without(name)(member(body.payload)) })),
  })),
  {
    name: 'the event of a pass shows what was compacted',
    scenario: 'memory-compaction-event-emitted',
    reason: /the event holds content/,
    fault: inAnswersTo(passPath, (body) => ({
      ...body,
      payload: { ...member(body.payload), excerpt: 'The visitor takes tea.' },
    })),
  },
  {
    name: 'the output cannot be got by its id',
    scenario: 'memory-compaction-event-emitted',
    reason: /the output, got by its id/,
    fault: inRequestsTo(/\/entries\/mem_/, (request) => ({ ...request, path: request.path.replace(/mem_/, 'mem_0') })),
  },
  {
    name: 'what was stored as a plain text is carried along when it has become a secret',
    scenario: 'memory-compaction-sr1-carry-forward',
    reason: /holds the secret of its source/,
    fault: inBodies(
      ({ scope, value }) => scope === 'tenant' && value !== undefined,
      (body) => ({ ...body, value: 'something-else-altogether' }),
    ),
  },
  {
    name: 'a secret that is left out without a word',
    scenario: 'memory-compaction-sr1-carry-forward',
    reason: /has the marker/,
    fault: inAnswersTo(passPath, (body) => ({ ...body, outputContent: 'All is well.' })),
  },
  {
    name: 'a secret that is carried along in what is stored',
    scenario: 'memory-compaction-sr1-carry-forward',
    reason: /holds the credential/,
    fault: inEntries((entry) => ({ ...entry, content: `${String(entry.content)} [BYOK:hk_live_canary_42]` })),
  },
  {
    name: 'a tag that names nothing',
    scenario: 'memory-compaction-provenance-tag',
    reason: /the tag that names the pass/,
    fault: inEntries((entry) => ({
      ...entry,
      tags: asArray(entry.tags).map((tag) => (String(tag).startsWith('compacted-from:') ? 'compacted-from: ' : tag)),
    })),
  },
]
