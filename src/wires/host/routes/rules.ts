import { listRules, putRule, removeRule, tryRedaction } from '../../../app/redaction/rules.ts'
import { builtInRules } from '../../../core/redaction/rules/index.ts'
import { respond, route } from '../../../http/route.ts'
import { requestRedaction } from '../../../jobs/manage-jobs.ts'
import { Deleted, JobStarted } from '../../schema-parts.ts'
import { RedactionRequest, RedactionResult, RedactionTry, Rule, RuleDraft, RuleList } from '../schemas/rules.ts'

const base = '/v1/host/colophon/rules'
const common = { tag: 'rules' } as const

/** Redaction rules. */
export const ruleRoutes = [
  route('listRules', `GET ${base}`, 'memory:admin', {
    ...common,
    summary: 'List redaction rules',
    description: 'The rules of the tenant, and the ids of the built-in rules that apply to every tenant.',
    responses: { 200: RuleList },
    handler: async ({ tenant }) => ({ rules: await listRules(tenant), builtIn: builtInRules.map(({ id }) => id) }),
  }),
  route('putRule', `PUT ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Put a redaction rule',
    description:
      'Matches of the pattern are replaced by `[REDACTED:<id>]` in everything that is written from now on. Patterns run in linear time.',
    body: RuleDraft,
    responses: { 200: Rule },
    async handler({ tenant, params, body, write }) {
      const { rule, repeated } = await putRule(tenant, params.id, body, write)
      return respond(rule, { repeated })
    },
  }),
  route('deleteRule', `DELETE ${base}/{id}`, 'memory:admin', {
    ...common,
    summary: 'Delete a redaction rule',
    description: 'The rule no longer applies. Existing markers stay.',
    responses: { 200: Deleted },
    async handler({ tenant, params, write }) {
      const { deleted, repeated } = await removeRule(tenant, params.id, write)
      return respond({ deleted }, { repeated })
    },
  }),
  route('testRedaction', `POST ${base}:test`, 'memory:admin', {
    ...common,
    summary: 'Test redaction',
    description: 'Redacts a text as a write would, with the rules and secrets of the tenant. Nothing is stored.',
    isRead: true,
    body: RedactionTry,
    responses: { 200: RedactionResult },
    handler: async ({ tenant, body }) => tryRedaction(tenant, body.text, body.pattern),
  }),
  route('startRedaction', 'POST /v1/host/colophon/redactions', 'memory:admin', {
    ...common,
    summary: 'Redact stored memory',
    description: 'Starts a job that applies the current secrets and rules to all stored data.',
    body: RedactionRequest,
    responses: { 202: JobStarted },
    async handler({ tenant, body, write }) {
      const { jobId, repeated } = await requestRedaction(tenant, body.dryRun === true, write)
      return respond({ jobId }, { repeated })
    },
  }),
]
