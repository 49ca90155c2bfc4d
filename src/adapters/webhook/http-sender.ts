import { lookup as systemLookup } from 'node:dns/promises'
import type { RequestOptions } from 'node:http'
import { checkWebhookUrl, isPublicAddress } from '../../core/webhooks/webhook-address.ts'
import type { WebhookFailure, WebhookOutcome, WebhookRequest, WebhookSender } from '../../ports/webhook-sender.ts'

const deliveryMsDefault = 5_000
/** Only the status counts. A small part of the body is read, so that an ordinary receiver can finish its response. */
const responseBytesMax = 4_096

type Address = { readonly address: string; readonly family: number }
type Addresses = readonly [Address, ...Address[]]

/** The options of the HTTP webhook sender. */
export type WebhookSenderOptions = {
  /** Allows plain http and private addresses: for tests and closed networks. */
  readonly allowPrivate: boolean
  /** The timeout of a delivery, from the DNS lookup to the end of the response. */
  readonly timeoutMs?: number
  readonly lookup?: (hostname: string) => Promise<readonly Address[]>
}

const failed = (reason: WebhookFailure, status?: number): WebhookOutcome =>
  status === undefined ? { ok: false, reason } : { ok: false, reason, status }

/**
 * Delivers each webhook over its own connection, and only to addresses that were checked in the same delivery (no DNS
 * rebinding, no SSRF).
 */
export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { allowPrivate, timeoutMs = deliveryMsDefault } = options
  const lookup = options.lookup ?? ((hostname) => systemLookup(hostname, { all: true }))

  async function addressesOf(hostname: string): Promise<readonly Address[]> {
    // Reserved for names that never resolve (RFC 6761); some resolvers take seconds to say so.
    if (hostname.endsWith('.invalid')) return []
    try {
      return await lookup(hostname)
    } catch {
      return []
    }
  }

  async function deliver(request: WebhookRequest, deadline: AbortSignal): Promise<WebhookOutcome> {
    const url = parse(request.url, allowPrivate)
    if (url === null) return failed('rejected_address')
    // A DNS lookup cannot be aborted, so the delivery stops waiting for it.
    const found = await Promise.race([addressesOf(unbracketed(url.hostname)), aborted(deadline)])
    if (deadline.aborted) return failed('timeout')
    const [first, ...others] = found
    if (first === undefined) return failed('dns')
    const addresses: Addresses = [first, ...others]
    // A name with public and private addresses is a known SSRF technique: none of them is used.
    if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) return failed('rejected_address')
    return post(url, request, addresses, deadline)
  }

  return {
    async send(request) {
      const stop = new AbortController()
      const end = () => stop.abort()
      const timer = setTimeout(end, timeoutMs)
      request.signal?.addEventListener('abort', end, { once: true })
      if (request.signal?.aborted) end()
      try {
        return await deliver(request, stop.signal)
      } finally {
        clearTimeout(timer)
        request.signal?.removeEventListener('abort', end)
      }
    },
  }
}

function parse(url: string, allowPrivate: boolean): URL | null {
  try {
    return checkWebhookUrl(url, allowPrivate)
  } catch {
    return null
  }
}

const unbracketed = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

function aborted(signal: AbortSignal): Promise<[]> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve([])
    else signal.addEventListener('abort', () => resolve([]), { once: true })
  })
}

/** A lookup that returns only the checked addresses. The name stays in Host, SNI and the certificate check. */
function pinnedTo(addresses: Addresses): NonNullable<RequestOptions['lookup']> {
  return (_hostname, { all }, callback) => {
    if (all) callback(null, [...addresses])
    else callback(null, addresses[0].address, addresses[0].family)
  }
}

function outcomeOf(status: number): WebhookOutcome {
  if (status >= 200 && status < 300) return { ok: true, status }
  return failed(status >= 300 && status < 400 ? 'redirect' : 'status', status)
}

function post(url: URL, request: WebhookRequest, addresses: Addresses, deadline: AbortSignal): Promise<WebhookOutcome> {
  const body = Buffer.from(request.body, 'utf8')
  // Not imported: an import of node:http also loads Node's fetch, which is 28 ms and 7 MB of a start.
  const { request: open } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((resolve) => {
    // The outcome if the delivery ends now. Once there is a status, an error in the rest of the response changes nothing.
    let outcome = failed('connection')
    const sending = open({
      method: 'POST',
      protocol: url.protocol,
      hostname: unbracketed(url.hostname),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      headers: { ...request.headers, 'Content-Length': body.length },
      lookup: pinnedTo(addresses),
      // Not the shared agent: it reuses connections and may use a proxy, which would bypass the pinned addresses.
      agent: false,
      // NODE_TLS_REJECT_UNAUTHORIZED must not disable the certificate check.
      rejectUnauthorized: true,
    })
    const end = () => {
      deadline.removeEventListener('abort', expire)
      sending.destroy()
      resolve(outcome)
    }
    const expire = () => {
      if (!('status' in outcome)) outcome = failed('timeout')
      end()
    }
    deadline.addEventListener('abort', expire, { once: true })
    sending.on('socket', (socket) => {
      if (url.protocol !== 'https:') return
      // Between these two events the TLS handshake is in progress.
      socket.once('connect', () => {
        outcome = failed('tls')
      })
      socket.once('secureConnect', () => {
        outcome = failed('connection')
      })
    })
    sending.on('response', (response) => {
      outcome = outcomeOf(response.statusCode ?? 0)
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > responseBytesMax) end()
      })
      response.on('error', end).on('end', end)
    })
    sending.on('error', end).on('close', end)
    sending.end(body)
  })
}
