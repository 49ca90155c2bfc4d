import { sha256 } from '../../core/audit/digest.ts'
import { limits } from '../../core/limits.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { type FinalWriteOptions, withFinalRefusals } from '../final-refusals.ts'
import { sealValue } from '../redaction/vault.ts'
import type { Tenant } from '../tenant.ts'
import { newSecret, noSuchWebhook, openAddress } from './subscriptions.ts'

export type RotatedSecret = {
  /** Null for a repeated call: the secret is shown once. */
  readonly secret: string | null
  readonly repeated: boolean
}

/**
 * Gives a webhook another secret. For `webhookRotationOverlapMs` deliveries are still signed with the one before, so that the receiver can
 * accept both before the new one signs.
 */
export async function rotateWebhookSecret(
  tenant: Tenant,
  webhookId: string,
  draft: { readonly secret?: string | undefined },
  options: FinalWriteOptions = {},
): Promise<RotatedSecret> {
  const { digest } = await tenant.context()
  const { secret = newSecret(tenant.engine) } = draft
  const given = draft.secret === undefined ? null : digest(secret)
  const write = { ...options, call: { operation: 'webhook.rotate', webhookId, secret: given } }
  const rotate = async () => {
    const record = await tenant.storage.record(tenant.id, 'webhook', webhookId)
    const stored = record && (await openAddress(tenant, record))
    if (!record || stored === null) throw noSuchWebhook()
    const previous = { secret: stored.secret, until: tenant.expiryNow() + limits.webhookRotationOverlapMs }
    const address = JSON.stringify({ url: stored.url, secret, previous })
    const { value, admin } = await sealValue(tenant, `webhook:${webhookId}`, address)
    const facts = { ...record.body.facts, secretFingerprint: sha256(secret).slice(0, 8) }
    const body = { ...record.body, facts, sealed: { address: value } }
    const webhook = { kind: 'webhook', id: webhookId, body, expects: record.revision } as const
    const change = { kind: 'admin.webhook.rotated', admin: [...admin, webhook] } as const
    const { repeated } = await tenant.commit(change, write)
    return { secret: repeated ? null : secret, repeated }
  }
  return withFinalRefusals(tenant, write, () => decideAndCommit(rotate))
}
