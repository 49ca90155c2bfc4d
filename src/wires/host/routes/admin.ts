import { createKey, listKeys, revokeKey, rotateKey } from '../../../app/keys.ts'
import { listRules, putRule, readSettings, removeRule, tryRedaction, writeSettings } from '../../../app/rules.ts'
import { createTenant, listTenants, setTenantStatus } from '../../../app/tenants.ts'
import { listSecrets, putSecret, removeSecret } from '../../../app/vault.ts'
import { ColophonError } from '../../../core/errors.ts'
import { limits } from '../../../core/limits.ts'
import { rules } from '../../../core/rules/index.ts'
import { type App, idempotencyOf, principalOf, type RouteParts, writeOptions } from '../../../http/context.ts'
import { markReplay } from '../../../http/replay.ts'
import { scheduleUpkeep } from '../../../jobs/upkeep.ts'
import { IdParams, NoQuery } from '../../params.ts'
import { Settings, SettingsChange } from '../../provenance/schemas/settings.ts'
import { Deleted, NoContent, PageQuery } from '../../schema-parts.ts'
import { KeyDraft, KeyList, KeyOverlap, KeyView, NewKey } from '../schemas/keys.ts'
import { RedactionResult, RedactionTry, Rule, RuleDraft, RuleList } from '../schemas/rules.ts'
import { SecretDraft, SecretList } from '../schemas/secrets.ts'
import { NewTenant, TenantDraft, TenantList, TenantView } from '../schemas/tenants.ts'

const host = '/v1/host/colophon'
const forAdmins = { access: 'memory:admin' } as const

/** Keys, secrets, rules, settings of the key's tenant; tenants for the operator. */
export function adminRoutes(app: App, parts: RouteParts): void {
  keyRoutes(app, parts)
  secretRoutes(app, parts)
  ruleRoutes(app, parts)
  settingsRoutes(app, parts)
  tenantRoutes(app, parts)
}

function keyRoutes(app: App, { engine }: RouteParts): void {
  app.get(
    `${host}/keys`,
    { config: forAdmins, schema: { tags: ['keys'], querystring: NoQuery, response: { 200: KeyList } } },
    async (request) => ({
      keys: await listKeys(engine.tenant(principalOf(request).tenantId)),
    }),
  )
  app.post(
    `${host}/keys`,
    {
      config: forAdmins,
      schema: { tags: ['keys'], querystring: NoQuery, body: KeyDraft, response: { 201: NewKey } },
    },
    async (request, reply) => {
      const made = await createKey(engine.tenant(principalOf(request).tenantId), request.body, writeOptions(request))
      markReplay(request, reply, made.key === undefined)
      return reply.code(201).send(made)
    },
  )
  app.post(
    `${host}/keys/:id(^[^:]+$)::rotate`,
    {
      config: forAdmins,
      schema: {
        tags: ['keys'],
        params: IdParams,
        querystring: NoQuery,
        body: KeyOverlap,
        response: { 201: NewKey },
      },
    },
    async (request, reply) => {
      const { overlapMs = 0 } = request.body
      const made = await rotateKey(
        engine.tenant(principalOf(request).tenantId),
        request.params.id,
        overlapMs,
        writeOptions(request),
      )
      markReplay(request, reply, made.key === undefined)
      return reply.code(201).send(made)
    },
  )
  app.delete(
    `${host}/keys/:id`,
    {
      config: forAdmins,
      schema: { tags: ['keys'], params: IdParams, querystring: NoQuery, response: { 200: KeyView } },
    },
    async (request, reply) => {
      const { key, repeated } = await revokeKey(
        engine.tenant(principalOf(request).tenantId),
        request.params.id,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return key
    },
  )
}

function secretRoutes(app: App, { engine }: RouteParts): void {
  app.get(
    `${host}/secrets`,
    { config: forAdmins, schema: { tags: ['secrets'], querystring: NoQuery, response: { 200: SecretList } } },
    async (request) => ({
      secrets: await listSecrets(engine.tenant(principalOf(request).tenantId)),
    }),
  )
  app.put(
    `${host}/secrets/:id`,
    {
      config: forAdmins,
      schema: {
        tags: ['secrets'],
        params: IdParams,
        querystring: NoQuery,
        body: SecretDraft,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { repeated } = await putSecret(
        engine.tenant(principalOf(request).tenantId),
        request.params.id,
        request.body,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return reply.code(204).send(null)
    },
  )
  app.delete(
    `${host}/secrets/:id`,
    {
      config: forAdmins,
      schema: { tags: ['secrets'], params: IdParams, querystring: NoQuery, response: { 200: Deleted } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { deleted, repeated } = await removeSecret(
        engine.tenant(tenantId),
        request.params.id,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return { deleted }
    },
  )
}

function ruleRoutes(app: App, { engine }: RouteParts): void {
  app.get(
    `${host}/rules`,
    { config: forAdmins, schema: { tags: ['rules'], querystring: NoQuery, response: { 200: RuleList } } },
    async (request) => ({
      rules: await listRules(engine.tenant(principalOf(request).tenantId)),
      builtIn: rules.map(({ id }) => id),
    }),
  )
  app.put(
    `${host}/rules/:id`,
    {
      config: forAdmins,
      schema: {
        tags: ['rules'],
        params: IdParams,
        querystring: NoQuery,
        body: RuleDraft,
        response: { 200: Rule },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { rule, repeated } = await putRule(
        engine.tenant(tenantId),
        request.params.id,
        request.body,
        writeOptions(request),
      )
      markReplay(request, reply, repeated)
      return rule
    },
  )
  app.delete(
    `${host}/rules/:id`,
    {
      config: forAdmins,
      schema: { tags: ['rules'], params: IdParams, querystring: NoQuery, response: { 200: Deleted } },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { deleted, repeated } = await removeRule(engine.tenant(tenantId), request.params.id, writeOptions(request))
      markReplay(request, reply, repeated)
      return { deleted }
    },
  )
  app.post(
    `${host}/rules::test`,
    {
      config: forAdmins,
      schema: {
        tags: ['rules'],
        querystring: NoQuery,
        body: RedactionTry,
        response: { 200: RedactionResult },
      },
    },
    async (request) => {
      const { text, pattern } = request.body
      if (text.length > limits.contentBytesMax)
        throw new ColophonError('validation_error', 'The text to try is too long.', {
          details: { limit: 'contentBytesMax' },
        })
      return tryRedaction(engine.tenant(principalOf(request).tenantId), text, pattern)
    },
  )
}

function settingsRoutes(app: App, { engine }: RouteParts): void {
  app.get(
    '/v1/tenant/settings',
    { config: forAdmins, schema: { tags: ['settings'], querystring: NoQuery, response: { 200: Settings } } },
    async (request) => readSettings(engine.tenant(principalOf(request).tenantId)),
  )
  app.patch(
    '/v1/tenant/settings',
    {
      config: forAdmins,
      schema: {
        tags: ['settings'],
        querystring: NoQuery,
        body: SettingsChange,
        response: { 200: Settings },
      },
    },
    async (request, reply) => {
      const { tenantId } = principalOf(request)
      const { settings, repeated } = await writeSettings(engine.tenant(tenantId), request.body, writeOptions(request))
      markReplay(request, reply, repeated)
      return settings
    },
  )
}

function tenantRoutes(app: App, { engine }: RouteParts): void {
  const forOperator = { access: 'operator' } as const
  app.get(
    `${host}/tenants`,
    {
      config: forOperator,
      schema: { tags: ['tenants'], querystring: PageQuery, response: { 200: TenantList } },
    },
    async (request) => {
      const { limit = 0, cursor } = request.query
      const size = Math.min(limit || limits.pageEntriesDefault, limits.pageEntriesMax)
      const found = await listTenants(engine, { after: cursor ?? null, limit: size + 1 })
      const tenants = found.slice(0, size)
      const last = tenants.at(-1)
      return { tenants, ...(found.length > size && last ? { cursor: last.id } : {}) }
    },
  )
  app.post(
    `${host}/tenants`,
    {
      config: forOperator,
      schema: {
        tags: ['tenants'],
        querystring: NoQuery,
        body: TenantDraft,
        response: { 201: NewTenant },
      },
    },
    async (request, reply) => {
      const made = await createTenant(engine, request.body.id, idempotencyOf(request))
      await scheduleUpkeep(engine.tenant(made.id))
      markReplay(request, reply, made.key.key === undefined)
      return reply.code(201).send(made)
    },
  )
  for (const [verb, status] of [
    ['disable', 'disabled'],
    ['enable', 'active'],
  ] as const) {
    app.post(
      `${host}/tenants/:id(^[^:]+$)::${verb}`,
      {
        config: forOperator,
        schema: {
          tags: ['tenants'],
          params: IdParams,
          querystring: NoQuery,
          response: { 200: TenantView },
        },
      },
      async (request) => setTenantStatus(engine, request.params.id, status),
    )
  }
}
