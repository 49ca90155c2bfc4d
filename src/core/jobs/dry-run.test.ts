import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  describeCompaction,
  describeConsolidation,
  describeEmbedding,
  describeExpiry,
  describePayloads,
  describePruning,
  describeRedaction,
  isDryRun,
} from './dry-run.ts'

test('only true asks for a dry run', () => {
  assert.equal(isDryRun({ dryRun: true }), true)
  for (const payload of [null, undefined, true, 'dryRun', {}, { dryRun: 'true' }, { dryRun: 1 }, { dryRun: false }])
    assert.equal(isDryRun(payload), false)
})

test('what a pass would do is said in words, with one and many, and nothing', () => {
  const none = { refs: 3, inputCount: 12, outputCount: 12, tooLarge: 0, questions: 0 }
  const noText = { scanned: 4, changed: 0, jobsChanged: 0, recordsChanged: 0, runsChanged: 0, sourcesChanged: 0 }
  assert.deepEqual(
    [
      describeCompaction({ sources: 0, compactions: 0 }),
      describeCompaction({ sources: 1_200, compactions: 5 }),
      describeConsolidation(none),
      describeConsolidation({ ...none, outputCount: 5, tooLarge: 1, questions: 2 }),
      describePruning({ versions: 0, runs: 0, jobs: 0 }),
      describePruning({ versions: 1, runs: 0, jobs: 2 }),
      describeExpiry({ expired: 0, isAtLeast: false }),
      describeExpiry({ expired: 10_000, isAtLeast: true }),
      describePayloads({ redacted: 0, waiting: 1 }),
      describePayloads({ redacted: 2, waiting: 0 }),
      describeRedaction(noText),
      describeRedaction({ ...noText, changed: 1, jobsChanged: 1, sourcesChanged: 2 }),
      describeEmbedding({ waiting: 1 }),
    ],
    [
      'would compact nothing',
      'would compact 1,200 entries into 5',
      'would merge nothing',
      'would merge 12 entries into 5, in 3 refs; would ask a model about 2 pairs; 1 ref too large to compare',
      'would delete nothing',
      'would delete 1 ended version, 0 runs, 2 jobs',
      'would end nothing',
      'would end at least 10,000 expired entries',
      'would delete no messages; 1 source event not processed yet',
      'would delete the messages of 2 source events',
      'would redact 0 of 4 texts',
      'would redact 1 of 4 texts, 1 job, 2 source events',
      'would embed 1 text',
    ],
  )
})
