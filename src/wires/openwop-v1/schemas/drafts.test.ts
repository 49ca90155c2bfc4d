import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import { workflowLimits } from '../../../core/workflow/workflow-limits.ts'
import { ResumeDraft } from './interrupts.ts'
import { BulkCancel, ForkDraft, PauseDraft, Reason, RunDraft } from './run-drafts.ts'
import { WebhookDraft } from './webhooks.ts'

const long = (max: number) => 'x'.repeat(max + 1)
const many = (max: number) => Array.from({ length: max + 1 }, (_, index) => `name-${index}`)

/** The member that is refused, and the limit if there is one. */
function refusalOf(schema: z.ZodType, value: unknown): (string | undefined)[] {
  const { success, error } = schema.safeParse(value)
  assert.ok(!success, JSON.stringify(value).slice(0, 100))
  const [issue] = error.issues
  const limit =
    issue?.code === 'custom' ? (issue.params?.limit as string) : /^limit (\w+)/.exec(issue?.message ?? '')?.[1]
  return [issue?.path.join('.'), limit]
}

test('a run draft needs a workflow; inputs are objects within limits, tags and scope are identifiers', () => {
  const draft = { workflowId: 'visit' }
  assert.ok(RunDraft.safeParse({ ...draft, scopeId: null, unknown: 1 }).success)
  let deep: unknown = {}
  for (let level = 0; level < workflowLimits.nestingLevelsMax; level++) deep = { deep }
  const cases: [object, string, string?][] = [
    [{ workflowId: undefined }, 'workflowId'],
    [{ workflowId: '' }, 'workflowId'],
    [{ workflowId: 7 }, 'workflowId'],
    [{ inputs: [] }, 'inputs'],
    [{ inputs: null }, 'inputs'],
    [{ inputs: { text: long(limits.runInputsBytesMax) } }, 'inputs', 'runInputsBytesMax'],
    [{ inputs: { text: 'a\u0000b' } }, 'inputs'],
    [{ inputs: deep }, 'inputs', 'nestingLevelsMax'],
    [{ configurable: { text: long(limits.runConfigurableBytesMax) } }, 'configurable', 'runConfigurableBytesMax'],
    [{ metadata: { text: long(limits.runMetadataBytesMax) } }, 'metadata', 'runMetadataBytesMax'],
    [{ tags: 'one' }, 'tags', 'runTagsMax'],
    [{ tags: [7] }, 'tags.0'],
    [{ tags: [''] }, 'tags'],
    [{ tags: ['a\nb'] }, 'tags'],
    [{ tags: many(limits.runTagsMax) }, 'tags', 'runTagsMax'],
    [{ tags: [long(limits.runTagCharactersMax)] }, 'tags', 'runTagCharactersMax'],
    [{ scopeId: '' }, 'scopeId'],
    [{ scopeId: long(limits.runScopeCharactersMax) }, 'scopeId', 'runScopeCharactersMax'],
  ]
  for (const [change, field, limit] of cases) {
    assert.deepEqual(refusalOf(RunDraft, { ...draft, ...change }), [field, limit])
  }
})

test('a fork draft has a known mode; a branch needs fromSeq, and a replay no overlay', () => {
  assert.ok(ForkDraft.safeParse({ mode: 'replay', runOptionsOverlay: {} }).success)
  const cases: [object, string][] = [
    [{}, 'mode'],
    [{ mode: 'copy' }, 'mode'],
    [{ mode: 'branch' }, 'fromSeq'],
    [{ mode: 'branch', fromSeq: -1 }, 'fromSeq'],
    [{ mode: 'branch', fromSeq: 1.5 }, 'fromSeq'],
    [{ mode: 'branch', fromSeq: 0, runOptionsOverlay: [] }, 'runOptionsOverlay'],
    [{ mode: 'branch', fromSeq: 0, runOptionsOverlay: { tags: [''] } }, 'runOptionsOverlay.tags'],
    [{ mode: 'replay', runOptionsOverlay: { tags: ['b'] } }, 'runOptionsOverlay'],
  ]
  for (const [draft, field] of cases) assert.deepEqual(refusalOf(ForkDraft, draft), [field, undefined])
})

test('a reason is a string within its limit, and a drain policy is one of two values', () => {
  for (const schema of [Reason, PauseDraft]) {
    for (const body of [undefined, null, {}, { reason: '' }]) assert.ok(schema.safeParse(body).success)
    assert.deepEqual(refusalOf(schema, { reason: 7 }), ['reason', undefined])
    const reason = long(limits.runReasonCharactersMax)
    assert.deepEqual(refusalOf(schema, { reason }), ['reason', 'runReasonCharactersMax'])
  }
  assert.deepEqual(refusalOf(PauseDraft, { drainPolicy: 'later' }), ['drainPolicy', undefined])
})

test('a bulk cancel names at least one run, and at most the limit', () => {
  for (const runIds of [[], many(limits.bulkCancelRunsMax), undefined]) {
    assert.deepEqual(refusalOf(BulkCancel, { runIds }), ['runIds', 'bulkCancelRunsMax'])
  }
  assert.deepEqual(refusalOf(BulkCancel, { runIds: [long(limits.runIdCharactersMax)] }), ['runIds.0', undefined])
  assert.deepEqual(refusalOf(BulkCancel, { runIds: ['run_1', 7] }), ['runIds.1', undefined])
})

test('a resume value may be any JSON value within its limit', () => {
  for (const body of [{ resumeValue: null }, { resumeValue: [1, 'two'] }]) {
    assert.ok(ResumeDraft.safeParse(body).success)
  }
  assert.deepEqual(refusalOf(ResumeDraft, {}), ['resumeValue', undefined])
  const resumeValue = long(limits.resumeValueBytesMax)
  assert.deepEqual(refusalOf(ResumeDraft, { resumeValue }), ['resumeValue', 'resumeValueBytesMax'])
})

test('a webhook draft has a URL and events; tags and secret are within their limits', () => {
  const draft = { url: 'https://hooks.example.com/in', events: ['*'] }
  assert.ok(WebhookDraft.safeParse({ ...draft, unknown: 1 }).success)
  const cases: [object, string, string?][] = [
    [{ url: undefined }, 'url'],
    [{ events: undefined }, 'events', 'webhookEventsMax'],
    [{ events: [] }, 'events', 'webhookEventsMax'],
    [{ events: many(limits.webhookEventsMax) }, 'events', 'webhookEventsMax'],
    [{ events: [7] }, 'events.0'],
    [{ events: [long(limits.runTagCharactersMax)] }, 'events', 'runTagCharactersMax'],
    [{ tags: [] }, 'tags', 'webhookEventsMax'],
    [{ secret: 's'.repeat(limits.webhookSecretCharactersMin - 1) }, 'secret', 'webhookSecretCharactersMin'],
    [{ secret: long(limits.webhookSecretCharactersMax) }, 'secret', 'webhookSecretCharactersMax'],
  ]
  for (const [change, field, limit] of cases) {
    assert.deepEqual(refusalOf(WebhookDraft, { ...draft, ...change }), [field, limit])
  }
})
