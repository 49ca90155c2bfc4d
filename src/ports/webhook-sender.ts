export type WebhookRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal?: AbortSignal
}

/** Why a delivery failed. It contains nothing of the receiver's address or response. */
export type WebhookFailure = 'rejected_address' | 'dns' | 'timeout' | 'connection' | 'tls' | 'redirect' | 'status'

export type WebhookOutcome =
  | { readonly ok: true; readonly status: number }
  | { readonly ok: false; readonly reason: WebhookFailure; readonly status?: number }

/**
 * Sends one delivery to its receiver, once. A delivery that fails is an outcome, not an error; one that its `signal`
 * aborts counts as timed out. It rejects only for headers that HTTP cannot carry, which is a bug of the caller.
 */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<WebhookOutcome>
}
