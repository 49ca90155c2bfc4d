import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { z } from 'zod'
import { limits } from '../../../core/limits.ts'
import {
  AuditQuery,
  ClaimResolve,
  CompactionQuery,
  CompactionRequest,
  ForgetDraft,
  KeyDraft,
  KeyOverlap,
  RedactionTry,
  RuleDraft,
  SecretDraft,
} from './index.ts'

/** The member and the limit that each of these is refused for; the whole body is the member ''. */
const refusals: [z.ZodType, object, string, string?][] = [
  [KeyDraft, { name: '', scopes: ['memory:read'] }, 'name'],
  [KeyDraft, { name: 'k'.repeat(limits.keyNameCharactersMax + 1), scopes: [] }, 'name', 'keyNameCharactersMax'],
  [KeyDraft, { name: 'reader', scopes: ['memory:read'], admin: true }, ''],
  [KeyOverlap, { overlapMs: -1 }, 'overlapMs'],
  [KeyOverlap, { overlapMs: 0.5 }, 'overlapMs'],
  [KeyOverlap, { overlapMs: limits.keyOverlapMsMax + 1 }, 'overlapMs'],
  [SecretDraft, { value: 'short' }, 'value', 'secretCharactersMin'],
  [SecretDraft, { value: 'x'.repeat(limits.secretCharactersMax + 1) }, 'value', 'secretCharactersMax'],
  [SecretDraft, { value: 'long enough', scope: 'world' }, 'scope'],
  [SecretDraft, { value: 'long enough', scope: 'user', userId: 'a\tb' }, 'userId'],
  [SecretDraft, { value: 'long enough', note: 'x' }, ''],
  [RuleDraft, { pattern: '' }, 'pattern', 'rulePatternCharactersMax'],
  [RuleDraft, { pattern: '(' }, 'pattern'],
  [RuleDraft, { pattern: 'a*' }, 'pattern'],
  [RuleDraft, { pattern: 'a', description: '' }, 'description'],
  [RedactionTry, { text: 'x'.repeat(limits.contentBytesMax + 1) }, 'text', 'contentBytesMax'],
  [RedactionTry, { text: 'a', pattern: '(?=a)' }, 'pattern'],
  [CompactionRequest, {}, 'memoryRef'],
  [CompactionRequest, { memoryRef: '../notes' }, 'memoryRef', 'memoryRefCharactersMax'],
  [CompactionRequest, { memoryRef: 'scratch:run_1/a' }, 'memoryRef'],
  [CompactionRequest, { memoryRef: 'notes', maxInputEntries: 1 }, 'maxInputEntries'],
  [
    CompactionRequest,
    { memoryRef: 'notes', maxInputEntries: limits.compactionSourcesMax + 1 },
    'maxInputEntries',
    'compactionSourcesMax',
  ],
  [CompactionRequest, { memoryRef: 'notes', maxOutputBytes: limits.compactionOutputBytesMin - 1 }, 'maxOutputBytes'],
  [CompactionRequest, { memoryRef: 'notes', minAgeDays: -1 }, 'minAgeDays'],
  [CompactionRequest, { memoryRef: 'notes', keepNewest: 0.5 }, 'keepNewest'],
  [CompactionRequest, { memoryRef: 'notes', force: true }, ''],
  [CompactionQuery, { cursor: 'mem_1' }, 'cursor'],
  [AuditQuery, { cursor: 'mem_1' }, 'cursor'],
  [ForgetDraft, { subject: 'ada', reason: ' ' }, 'reason', 'runReasonCharactersMax'],
  [ForgetDraft, { memoryRef: '../notes', reason: 'asked for' }, 'memoryRef'],
  [ForgetDraft, { memoryRef: 'scratch:run_1/a', reason: 'asked for' }, 'memoryRef'],
  [
    ForgetDraft,
    { tag: 'x'.repeat(limits.memoryRefCharactersMax + 1), reason: 'asked for' },
    'tag',
    'memoryRefCharactersMax',
  ],
  [ForgetDraft, { subject: 'ada', reason: 'asked for', cascade: 'yes' }, 'cascade'],
  [ForgetDraft, { memory: 'mem_1', reason: 'asked for' }, ''],
  [ClaimResolve, { memoryId: 'mem_1' }, 'reason'],
  [ClaimResolve, { memoryId: 'mem_1', reason: ' ' }, 'reason', 'runReasonCharactersMax'],
  [
    ClaimResolve,
    { memoryId: 'mem_1', reason: 'x'.repeat(limits.runReasonCharactersMax + 1) },
    'reason',
    'runReasonCharactersMax',
  ],
  [ClaimResolve, { memoryId: 'mem_1', reason: 'because', unpin: 'no' }, 'unpin'],
  [ClaimResolve, { memoryId: 'mem_1', reason: 'because', force: true }, ''],
]

test('an invalid body is refused with the member and the limit', () => {
  for (const [schema, body, member, limit] of refusals) {
    const issue = schema.safeParse(body).error?.issues[0] as { path: string[]; params?: { limit?: string } } | undefined
    const label = `${schema.meta()?.id} ${JSON.stringify(body).slice(0, 80)}`
    assert.deepEqual([issue?.path.join('.'), issue?.params?.limit], [member, limit], label)
  }
})
