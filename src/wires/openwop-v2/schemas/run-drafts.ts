import { z } from 'zod'
import { checkCharacters, checkJson, checkText } from '../../../core/check.ts'
import { invalid } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { drainPolicies, forkModes } from '../../../core/run/run.ts'
import { checkTree } from '../../../core/workflow/json-values.ts'
import { values } from '../../run-values-schema.ts'
import { bounded, withCheck } from '../../schema-parts.ts'
import { boundRunId } from './examples.ts'

const count = z.int().min(1)

/** Checked at once: a million invalid members would make a million issues. */
const texts = withCheck(z.record(z.string(), z.unknown()), (field, given) => {
  if (Object.values(given).some((text) => typeof text !== 'string')) throw invalid(field, 'must be an object of texts')
})

/** Closed: an option has one place. The engine checks the bounds of each. */
const Configurable = withCheck(
  z.strictObject({
    version: z.literal(1),
    run: z
      .strictObject({
        recursionLimit: count.optional(),
        runTimeoutMs: count.optional(),
        maxLoopIterations: count.optional(),
        escalationThreshold: z.int().min(0).optional(),
      })
      .optional(),
    ai: z
      .strictObject({
        provider: z.string().optional(),
        model: z.string().optional(),
        temperature: z.number().min(0).max(2).optional(),
        maxTokens: count.optional(),
        credentialRef: z.string().optional(),
        promptOverrides: texts.optional(),
        mockProvider: z.record(z.string(), z.unknown()).optional(),
        reasoningVerbosity: z.enum(['none', 'summary', 'full']).optional(),
        maxRefusals: z.int().min(0).optional(),
      })
      .optional(),
    distillation: z.strictObject({ tokenBudget: count.optional() }).optional(),
    budget: z.record(z.string(), z.unknown()).optional(),
    extensions: z.strictObject({}).optional().describe('This host has no registered extensions'),
  }),
  (field, value) => {
    checkJson(field, value, 'runConfigurableBytesMax', limits.runConfigurableBytesMax)
    checkTree(field, value)
  },
)

const runText = {
  configurable: Configurable.optional().describe('Options and bounds of the run, in groups'),
  tags: withCheck(bounded(z.string().min(1), limits, 'runTagsMax'), (field, given) => {
    for (const tag of given) checkCharacters(field, tag, 'runTagCharactersMax', limits.runTagCharactersMax)
  })
    .optional()
    .describe('Shown with the run, and a filter of webhooks'),
  metadata: values('runMetadataBytesMax').optional(),
}

/** Members of the protocol that this host refuses by name, because it has no such feature. */
const refused = z.unknown().optional().describe('Not supported by this host')

export const RunDraft = z
  .strictObject({
    workflowId: withCheck(z.string(), (field, id) => {
      if (id === '') throw invalid(field, 'must name a workflow')
    }),
    inputs: values('runInputsBytesMax').optional().describe('Values that nodes read as {{inputs.name}}'),
    ...runText,
    scopeId: withCheck(z.string().min(1), (field, given) =>
      checkCharacters(field, given, 'runScopeCharactersMax', limits.runScopeCharactersMax),
    )
      .nullish()
      .describe('With `OpenWOP-Dedup: enforce`, only one run of a scope is active at a time'),
    tenantId: z.string().optional().describe('Only the tenant of the key is allowed'),
    residency: refused,
    callbackUrl: refused,
    mode: refused,
    evalSuiteRef: refused,
    agentId: refused,
  })
  .meta({
    id: 'RunDraftV2',
    description: 'Which workflow to run, with which inputs.',
    examples: [{ workflowId: 'visit', inputs: { person: 'ada' }, tags: ['front-desk'] }],
  })

const reason = withCheck(z.string(), (field, given) => {
  checkText(field, given)
  checkCharacters(field, given, 'runReasonCharactersMax', limits.runReasonCharactersMax)
}).optional()

export const Reason = z
  .strictObject({ reason })
  .nullish()
  .meta({
    id: 'RunReasonV2',
    description: 'The reason, which is stored in the log of the run.',
    examples: [{ reason: 'The customer withdrew the request.' }],
  })

export const PauseDraft = z
  .strictObject({
    reason,
    drainPolicy: z
      .enum(drainPolicies)
      .optional()
      .describe('Whether the current node finishes first, which is the default'),
  })
  .nullish()
  .meta({
    id: 'PauseDraftV2',
    description: 'How to pause a run, and why.',
    examples: [{ drainPolicy: 'immediate', reason: 'Maintenance at noon.' }],
  })

export const BulkCancel = z
  .strictObject({
    runIds: bounded(z.string().max(2 * limits.runIdCharactersMax), limits, 'bulkCancelRunsMax', 1),
    reason,
  })
  .meta({
    id: 'BulkCancelV2',
    description: 'The runs to cancel, up to 100.',
    examples: [{ runIds: [boundRunId], reason: 'The campaign is over.' }],
  })

export const ForkDraft = z
  .strictObject({
    mode: z.enum(forkModes).describe('`replay` repeats the record; `branch` continues from `fromSeq`'),
    fromSeq: z.int().min(0).optional().describe('The first event that is not inherited; a branch needs it'),
    runOptionsOverlay: z
      .strictObject(runText)
      .optional()
      .describe('Changes of a branch: options and metadata are merged, tags are replaced'),
  })
  .check(({ value, issues }) => {
    const refuse = (field: string, message: string) =>
      issues.push({ code: 'custom', input: value, path: [field], message })
    if (value.mode === 'branch' && value.fromSeq === undefined)
      refuse('fromSeq', 'is required for a branch: the first event that is not inherited')
    if (value.mode === 'replay' && value.runOptionsOverlay !== undefined)
      refuse('runOptionsOverlay', 'must be absent for a replay')
  })
  .meta({
    id: 'ForkDraftV2',
    description: 'How to fork a run.',
    examples: [{ mode: 'branch', fromSeq: 4, runOptionsOverlay: { tags: ['what-if'] } }],
  })
