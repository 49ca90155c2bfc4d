import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../core/limits.ts'
import { AddDraft, MemoryPatch, RetrieveDraft, SettingsChange, WriterChange, WriterDraft } from './index.ts'

type Schema = { safeParse(value: unknown): { success: boolean } }

function refuses(schema: Schema, bodies: readonly unknown[]): void {
  for (const body of bodies) assert.equal(schema.safeParse(body).success, false, JSON.stringify(body)?.slice(0, 200))
}

function takes(schema: Schema, bodies: readonly unknown[]): void {
  for (const body of bodies) assert.equal(schema.safeParse(body).success, true, JSON.stringify(body)?.slice(0, 200))
}

test('a writer has a service key, priorities from 0 to 100 by category, and no other members', () => {
  const rules = (authority_rules: unknown) => ({ service_key: 'crm', authority_rules })
  refuses(WriterDraft, [
    {},
    { service_key: 'Crm' },
    { service_key: 'crm', is_active: 'yes' },
    { service_key: 'crm', priority: 5 },
    ...[{ default_priority: 101 }, { default_priority: 1.5 }, { categories: { mood: 1 } }, null].map(rules),
  ])
  takes(WriterDraft, [{ service_key: 'crm', display_name: null, api_key_id: null }, rules({ categories: { fact: 0 } })])
  takes(WriterChange, [{}])
})

test('a patch changes something, within the limits of a memory', () => {
  const large = 'x'.repeat(limits.contentBytesMax + 1)
  refuses(MemoryPatch, [{}, { content: null }, { content: ' ' }, { content: large }, { priority: 1 }])
  refuses(MemoryPatch, [{ importance: 0 }, { importance_score: 11 }, { importance: 2.5 }, { is_archived: 'yes' }])
  takes(MemoryPatch, [{ content: 'x', importance: null }, { importance_score: 10 }, { is_archived: false }])
})

test('a settings change names settings within their ranges, also within compaction', () => {
  takes(SettingsChange, [{}, { compaction: {} }, { compaction: { min_entries: 2, tags: ['source:run'] } }])
  refuses(SettingsChange, [
    { historyRetentionDays: 5 },
    { history_retention_days: 0 },
    { default_writer_priority: 101 },
    { compaction: null },
    { compaction: { keepNewest: 1 } },
    { compaction: { min_entries: 1 } },
    { compaction: { max_input_entries: limits.compactionSourcesMax + 1 } },
    { compaction: { max_output_bytes: limits.compactionOutputBytesMin - 1 } },
    { compaction: { skip_tags: [''] } },
    { compaction: { tags: Array.from({ length: 65 }, (_, index) => `t${index}`) } },
  ])
})

test('the speaker name counts towards the size of the memory', () => {
  const add = (content: string, name?: string) => ({
    external_user_id: 'ada',
    infer: false,
    messages: [{ role: 'user', content, ...(name === undefined ? {} : { name }) }],
  })
  const full = 'x'.repeat(limits.contentBytesMax)
  takes(AddDraft, [add(full), add('short', 'Ada')])
  const result = AddDraft.safeParse(add(full, 'Ada'))
  const [issue] = result.error?.issues ?? []
  assert.deepEqual(issue?.path, ['messages', 0])
  assert.deepEqual(issue && 'params' in issue && issue.params, {
    field: '.content',
    limit: 'contentBytesMax',
    max: limits.contentBytesMax,
  })
})

test('a retrieve draft takes a position or an instant, and null for members with a default', () => {
  const query = { external_user_id: 'ada', query: 'x' }
  takes(RetrieveDraft, [{ ...query, as_of: 5, agent_id: null, context_max_tokens: null }])
  refuses(RetrieveDraft, [
    { ...query, as_of: null },
    { ...query, limit: null },
    { ...query, limit: 51 },
  ])
})
