// What can be wrong with a compaction: its event, its text, its tag.
import { asArray } from '../harness.ts'
import { inAnswersTo, inEntries, member, without } from './edits.ts'
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
