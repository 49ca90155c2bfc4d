import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { MergeReason } from '../../core/consolidation/consolidation.ts'
import { blankVersion, type EntryVersion } from '../../core/entries/entry.ts'
import { defaultClassification } from '../../core/provenance/category.ts'
import { isConfirmed, outputOf, statementsOf } from './merge-output.ts'

const stated = (keyId: string, content: string, confidence: number): EntryVersion => ({
  ...blankVersion,
  memoryRef: 'notes',
  entryId: keyId,
  version: 1,
  salt: '',
  origin: { kind: 'api', keyId },
  recordedPosition: 1,
  digestPosition: 1,
  createdPosition: 1,
  content,
  classification: { ...defaultClassification, confidence },
})

const kept = stated('k1', 'Ada likes tea. Ada owes 9 euros.', 0.5)
const part = stated('k2', 'Ada likes tea.', 0.9)
const same = stated('k3', 'ada likes tea; Ada owes 9 euros!'.replace(';', '.'), 0.5)

test('a sentence of one writer is not confirmed by the writer of another sentence', async () => {
  await using world = openUseCases(openInMemoryStore)
  const merged = (reason: MergeReason, ...sources: readonly EntryVersion[]) => {
    const statements = statementsOf(reason, kept, sources)
    const parts = { compactionId: 'c', content: kept.content, kept, statements }
    const { classification } = outputOf(world.engine, parts, sources) ?? {}
    return [classification?.confidence, isConfirmed(statements)]
  }
  assert.deepEqual(merged('included', kept, part), [0.5, false])
  assert.deepEqual(merged('correction', kept, part), [0.5, false])
  assert.deepEqual(merged('included', kept, part, same), [0.75, true])
  assert.deepEqual(merged('duplicate', kept, same), [0.75, true])
})
