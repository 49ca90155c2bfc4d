// Registering and removing webhooks: what is refused, and whose they are.
import { type Answer, asArray, type Check } from '../harness.ts'
import { scenario, unknownId } from '../support.ts'

const facts = 'core 26.8'
const isolationFacts = 'core 26.36'
const events = ['run.completed']
const register = (check: Check, body: object, auth = 'key') => check.http('POST', '/v1/webhooks', { body, auth })

/**
 * A webhook of the key's own tenant, for an event that does not occur. A host that resolves names might not know
 * example.com where it runs; one that is set up for tests takes a loopback address instead.
 */
async function ownWebhook(check: Check): Promise<Answer> {
  check.needsFamily('webhooks')
  const wanted = { events: ['run.dead_lettered'] }
  const answer = await register(check, { ...wanted, url: 'https://example.com/openwop-conformance' })
  if (answer.status === 201) return answer
  const local = await register(check, { ...wanted, url: 'http://127.0.0.1:9/openwop-conformance' })
  if (local.status !== 201) check.blocked(`the host takes neither webhook (${String(answer.body.error)})`)
  return local
}

const remove = (check: Check, id: unknown, query = '', auth = 'key') =>
  check.http('DELETE', `/v1/webhooks/${String(id)}${query}`, { auth })

export const scenarios = [
  scenario('webhook-negative.private-url', facts, 'A webhook to a private address is refused', async (check) => {
    check.needsFamily('webhooks')
    const urls = [
      'http://127.0.0.1:9/hook',
      'http://169.254.169.254/latest',
      'https://localhost/hook',
      'https://10.0.0.1/',
    ]
    for (const url of urls) {
      const answer = await register(check, { url, events })
      // A host whose operator allowed private addresses for a test run takes it.
      check.oneOf(answer.status, [400, 201], `registering ${url}`)
      if (answer.status === 201) await remove(check, answer.body.webhookId)
      else check.refused(answer, [400], ['webhook_url_rejected'], `registering ${url}`)
    }
  }),

  scenario('webhook-negative.bad-url', facts, 'A text that is no URL, or none, is refused', async (check) => {
    check.needsFamily('webhooks')
    const codes = ['validation_error', 'webhook_url_rejected']
    check.refused(await register(check, { url: 'not a url', events }), [400, 422], codes, 'url "not a url"')
    check.refused(await register(check, { events }), [400], ['validation_error'], 'no url')
    check.refused(
      await register(check, { url: 'https://example.com/x', events: [] }),
      [400],
      ['validation_error'],
      'no events',
    )
  }),

  scenario('webhook-negative.unknown', facts, 'Removing an unknown webhook is 404', async (check) => {
    check.needsFamily('webhooks')
    check.refused(await remove(check, unknownId()), [404], ['subscription_not_found'], 'DELETE of an unknown webhook')
  }),

  scenario(
    'webhook-lifecycle',
    'core 16',
    'A webhook is registered once, shows its secret once, and goes',
    async (check) => {
      const answer = await ownWebhook(check)
      check.ok(typeof answer.body.webhookId === 'string' && answer.body.webhookId !== '', 'webhookId is a text')
      check.matches(answer.body.secret, /^[0-9a-f]{64}$/, 'secret')
      check.matches(answer.body.secretFingerprint, /^[0-9a-f]{8}$/, 'secretFingerprint')
      check.equal((await remove(check, answer.body.webhookId)).status, 204, 'DELETE')
      check.refused(await remove(check, answer.body.webhookId), [404], ['subscription_not_found'], 'DELETE again')
    },
  ),

  scenario(
    'webhook-tenant-isolation.register',
    isolationFacts,
    'A key cannot register a webhook under another tenant',
    async (check) => {
      check.needsFamily('webhooks')
      const url = 'https://example.com/openwop-conformance'
      const answer = await register(check, { url, events, tenantId: unknownId() })
      check.ok(answer.status !== 201, 'a foreign tenantId is not registered')
      check.refused(answer, [400, 403, 404, 422], null, 'a foreign tenantId')
    },
  ),

  scenario(
    'webhook-tenant-isolation.remove',
    isolationFacts,
    'A key cannot remove a webhook of another tenant',
    async (check) => {
      const { webhookId } = (await ownWebhook(check)).body
      const answer = await remove(check, webhookId, `?tenantId=${unknownId()}`)
      check.ok(
        answer.status !== 204 && answer.status < 500,
        `DELETE through a foreign tenantId is refused, not ${answer.status}`,
      )
      if (check.target.keyB !== null) {
        const other = await remove(check, webhookId, '', 'keyB')
        check.refused(other, [403, 404], null, 'DELETE by another tenant')
      }
      check.equal((await remove(check, webhookId)).status, 204, 'DELETE by its own tenant')
    },
  ),

  scenario('webhook-sig-algorithm', 'core 2.4', 'The host can sign with v1', async (check) => {
    const webhooks = check.needsFamily('webhooks')
    check.ok(Array.isArray(webhooks.signatureAlgorithms), 'signatureAlgorithms is an array')
    check.ok(asArray(webhooks.signatureAlgorithms).includes('v1'), 'v1 is one of them')
  }),
]
