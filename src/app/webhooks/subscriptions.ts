import type { AdminRecord } from '../../core/admin.ts'
import { sha256 } from '../../core/audit/digest.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import { checkWebhookUrl } from '../../core/webhooks/webhook-address.ts'
import type { CommitOptions, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Engine } from '../engine.ts'
import { type FinalWriteOptions, withFinalRefusals } from '../final-refusals.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import { openValue, sealValue } from '../redaction/vault.ts'
import type { Tenant } from '../tenant.ts'

/** A subscription to events of a tenant's runs. Its URL, which often holds a token, and its signing secret are stored encrypted. */
export type Webhook = {
  readonly webhookId: string
  readonly events: readonly string[]
  readonly tags: readonly string[]
  readonly createdAt: number
  readonly secretFingerprint: string
  /** The form of its deliveries; absent for that of OpenWOP. */
  readonly format?: 'cloudevents'
  /** The major version of the protocol that it was registered with, which its deliveries have; absent for 1. */
  readonly protocol?: number
}

export type WebhookRegistration = {
  readonly url: string
  readonly events: readonly string[]
  readonly tags?: readonly string[] | undefined
  readonly secret?: string | undefined
  readonly format?: 'openwop' | 'cloudevents' | undefined
  readonly protocol?: number | undefined
  /** A client may name the tenant. Only the tenant of its key is accepted. */
  readonly tenantId?: unknown
}

export type RegisteredWebhook = {
  readonly webhook: Webhook
  readonly secret: string | null
  readonly repeated: boolean
}

/** Creates a subscription. The signing secret is returned once. */
export async function createWebhook(
  tenant: Tenant,
  draft: WebhookRegistration,
  options: FinalWriteOptions = {},
): Promise<RegisteredWebhook> {
  checkTenant(draft.tenantId, tenant.id)
  const url = URL.parse(draft.url)?.href ?? draft.url
  const events = [...new Set(draft.events)]
  const tags = [...new Set(draft.tags)]
  const { secret = newSecret(tenant.engine) } = draft
  const { redaction, digest } = await freshContext(tenant)
  await redaction.redact(({ scanNames }) => {
    for (const name of [...events, ...tags]) refuseSecrets({ events: name }, scanNames)
  })
  // Absent by default, so that a call without it has the same digest as before the option existed.
  const { protocol = 1 } = draft
  const format = {
    ...(draft.format === 'cloudevents' ? { format: draft.format } : {}),
    ...(protocol === 1 ? {} : { protocol }),
  }
  const requested = { url, events, tags, secret: draft.secret === undefined ? null : digest(secret), ...format }
  const write = { ...options, call: { operation: 'webhook.create', ...requested } }
  return withFinalRefusals(tenant, write, () => {
    checkWebhookUrl(draft.url, tenant.host.webhooks?.allowPrivate ?? false)
    return registerWebhook(tenant, { events, tags, ...format }, { url, secret }, write)
  })
}

async function registerWebhook(
  tenant: Tenant,
  chosen: Pick<Webhook, 'events' | 'tags' | 'format' | 'protocol'>,
  target: { readonly url: string; readonly secret: string },
  write: CommitOptions,
): Promise<RegisteredWebhook> {
  const { secret } = target
  const webhookId = tenant.system.newId('wh')
  const facts = { ...chosen, createdAt: tenant.now(), secretFingerprint: sha256(secret).slice(0, 8) }
  const address = JSON.stringify(target)
  const { outcome, repeated } = await storeWebhook(tenant, { webhookId, facts, address }, write)
  if (!repeated) {
    // Concurrent calls can exceed the limit: the last subscriptions are removed again by the calls that made them.
    const isOverLimit = !(await loadWebhooks(tenant)).some((webhook) => webhook.webhookId === webhookId)
    if (!isOverLimit) return { webhook: { webhookId, ...facts }, secret, repeated }
    await removeWebhook(tenant, webhookId, {}, write.actor === undefined ? {} : { actor: write.actor })
    throw limitReached()
  }
  const first = (await loadWebhooks(tenant)).find((webhook) => outcome.admin.includes(webhook.webhookId))
  if (first === undefined) throw new ColophonError('content_erased', 'The webhook of the first call was removed.')
  return { webhook: first, secret: null, repeated }
}

type WebhookParts = {
  readonly webhookId: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly address: string
}

async function storeWebhook(tenant: Tenant, parts: WebhookParts, options: CommitOptions) {
  const { webhookId, facts } = parts
  if ((await loadWebhooks(tenant)).length >= limits.webhooksPerTenantMax) {
    const outcome = await tenant.findOutcome(options)
    if (outcome === null) throw limitReached()
    return { outcome, repeated: true }
  }
  // Two calls may encrypt the first value of a tenant at once: one creates the data key, the other retries and uses it.
  return decideAndCommit(async () => {
    const { value, admin } = await sealValue(tenant, `webhook:${webhookId}`, parts.address)
    const body = { text: {}, facts, sealed: { address: value } }
    const webhook = { kind: 'webhook', id: webhookId, body, expects: 0 } as const
    return tenant.commit({ kind: 'admin.webhook.created', admin: [...admin, webhook] }, options)
  })
}

function limitReached(): ColophonError {
  return invalid('webhooks', `must be at most ${limits.webhooksPerTenantMax} per tenant`, {
    limit: 'webhooksPerTenantMax',
    max: limits.webhooksPerTenantMax,
  })
}

/** Removes a subscription. Deliveries that wait for it are dropped when they are due. */
export async function removeWebhook(
  tenant: Tenant,
  webhookId: string,
  request: Pick<WebhookRegistration, 'tenantId'>,
  options: WriteOptions = {},
): Promise<{ readonly repeated: boolean }> {
  checkTenant(request.tenantId, tenant.id)
  const { outcome, repeated } = await tenant.commit(
    { kind: 'admin.webhook.removed', admin: [{ kind: 'webhook', id: webhookId, body: null, expects: null }] },
    { ...options, call: { operation: 'webhook.remove', webhookId } },
  )
  if (outcome.admin.length === 0) throw noSuchWebhook()
  return { repeated }
}

export function noSuchWebhook(): ColophonError {
  return new ColophonError('subscription_not_found', 'There is no such webhook.')
}

/** The subscriptions of a tenant. */
export async function loadWebhooks(tenant: Tenant): Promise<Webhook[]> {
  const limit = limits.webhooksPerTenantMax
  const records = await tenant.storage.records({ tenantId: tenant.id, kind: 'webhook', after: null, limit })
  return records.map(({ id, body }) => ({ webhookId: id, ...(body.facts as Omit<Webhook, 'webhookId'>) }))
}

/** Where deliveries of a webhook are sent, the secret that signs them, and their form. */
export type WebhookAddress = Pick<Webhook, 'format' | 'protocol'> & { readonly url: string; readonly secret: string }

/** The address of a webhook; null when it was removed. */
export async function webhookAddress(tenant: Tenant, webhookId: string): Promise<WebhookAddress | null> {
  const record = await tenant.storage.record(tenant.id, 'webhook', webhookId)
  const stored = record && (await openAddress(tenant, record))
  if (!record || stored === null) return null
  const { format, protocol } = record.body.facts as Pick<Webhook, 'format' | 'protocol'>
  const { url, previous } = stored
  // Right after a rotation the secret before still signs.
  const secret = previous && tenant.expiryNow() < previous.until ? previous.secret : stored.secret
  const form = { ...(format === undefined ? {} : { format }), ...(protocol === undefined ? {} : { protocol }) }
  return { url, secret, ...form }
}

/** What is stored encrypted: the URL and the secret, and the secret before the last rotation. */
type StoredAddress = {
  readonly url: string
  readonly secret: string
  readonly previous?: { readonly secret: string; readonly until: number }
}

/** Null for a webhook without an address, as an import leaves it. */
export async function openAddress(tenant: Tenant, { id, body }: AdminRecord): Promise<StoredAddress | null> {
  const sealed = body.sealed.address
  return sealed === undefined ? null : (JSON.parse(await openValue(tenant, `webhook:${id}`, sealed)) as StoredAddress)
}

/** `*` means every event type. */
export function isWanted({ events }: Webhook, type: string): boolean {
  return events.includes('*') || events.includes(type)
}

/** If the webhook has tags, the run must have one of them. */
export function isForRun({ tags }: Webhook, runTags: readonly string[]): boolean {
  return tags.length === 0 || tags.some((tag) => runTags.includes(tag))
}

export function newSecret({ system }: Engine): string {
  return Buffer.from(system.newKey()).toString('hex')
}

/** The tenant is always that of the key. A body that names another tenant is refused, so that the mistake is noticed. */
function checkTenant(named: unknown, tenantId: string): void {
  if (named === undefined || named === tenantId) return
  throw new ColophonError('tenant_membership_required', 'The key belongs to another tenant.')
}
